/** Small signs on the corners of cards: where it stands in the ready queue, and that there is NaN, Inf or a finding in it. */

import { MARK, SIGN } from './design.js';
import { scaled } from './fonts.js';
import { troubleAt } from './sparks.js';
import { write } from './text.js';

/** The least size of a sign on the screen, as a share of that at zoom 1. */
const LEAST = 0.55;
const TURN = 2 * Math.PI;

/** A dashed ring that fills as gradients come, a position in the queue, or a tick. */
export function paintMark(ctx, node, { state, position = 0, have = 0, total = 1 }, { palette, fonts }) {
  if (state === 'running') return;
  const x = node.box.right - (node.pill ? MARK.pillAside : MARK.aside);
  const y = node.box.top + (node.pill ? MARK.pillDown : MARK.down);
  const [done, waiting] = [state === 'done' || state === 'captured', state === 'waiting'];
  const radius = state === 'ready' ? MARK.ready : MARK.radius;
  const ring = () => {
    ctx.beginPath();
    ctx.arc(x, y, radius, 0, TURN);
  };
  ring();
  ctx.fillStyle = done ? palette.orange : palette.card;
  ctx.fill();
  if (waiting && have > 0) {
    ctx.beginPath();
    ctx.moveTo(x, y);
    ctx.arc(x, y, radius - MARK.filled, -TURN / 4, -TURN / 4 + (TURN * have) / Math.max(total, have + 1));
    ctx.fillStyle = palette.orange;
    ctx.fill();
  }
  ring();
  ctx.lineWidth = MARK.line;
  ctx.strokeStyle = waiting && have === 0 ? palette.orangeMute : palette.orange;
  ctx.setLineDash(waiting ? MARK.dash : []);
  ctx.stroke();
  ctx.setLineDash([]);
  if (state === 'ready' && position > 0) write(ctx, String(position), x, y + MARK.base, { font: fonts.mark, fill: palette.orangeText, align: 'center' });
  if (!done) return;
  ctx.beginPath();
  MARK.tick.forEach(([dx, dy], at) => (at === 0 ? ctx.moveTo(x + dx, y + dy) : ctx.lineTo(x + dx, y + dy)));
  ctx.strokeStyle = palette.onColour;
  ctx.lineWidth = MARK.tickLine;
  ctx.stroke();
}

/** A red sign where there is NaN, for a group anywhere in it, one in amber where Inf begins, an orange one where there is a finding. */
export function paintSign(ctx, node, { palette, fonts, scale, step, origins }) {
  // In a rolled run a sign on every card would say no more than the first one does: where it begins.
  const told = origins?.size > 0 ? origins.has(node.id) : true;
  const begins = node.spark && told && node.spark.first === node.iteration ? troubleAt(node.spark, node.iteration) : undefined;
  const bad = node.spark ? begins !== undefined : node.alarm !== null && node.alarm <= step;
  const sign = bad ? (begins === 'inf' ? 'Inf' : 'NaN') : node.findings.length > 0 ? '!' : '';
  if (!sign) return;
  const size = Math.max(1, LEAST / scale);
  const width = (sign.length * SIGN.letter + SIGN.padding) * size;
  const left = node.box.left - SIGN.left;
  ctx.fillStyle = begins === 'inf' ? palette.amber : bad ? palette.red : palette.orange;
  ctx.beginPath();
  ctx.roundRect(left, node.box.top - SIGN.up * size, width, SIGN.height * size, (SIGN.height / 2) * size);
  ctx.fill();
  const font = size === 1 ? fonts.sign : scaled(fonts.family, fonts.sign, size);
  write(ctx, sign, left + width / 2, node.box.top + SIGN.base * size, { font, fill: palette.onColour, align: 'center' });
}
