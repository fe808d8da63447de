/** What cards of a rolled run have besides: sparklines, rows of parameters, how often and in how many iterations they are there. */

import { paintSpark } from './sparks.js';
import { fitMiddle, fitNumber, textWidth, write } from './text.js';

const SPARK = { width: 58, least: 34, height: 14 };
export const SPARK_LEAST = SPARK.least;
/** What a row's label and a number such as "0.02 ± 0.57" take. */
const WORDS = 122;
/** Cards that are narrower have no room for curves beside their numbers. */
const NARROW = 118;

/** The colour of a text that says NaN or Inf, or null. */
export function troubleColour(text, palette) {
  if (text == null) return null;
  if (/nan/i.test(text)) return palette.red;
  return /\binf/i.test(text) ? palette.tones.warn : null;
}

/** "× 64", or nothing. */
export const timesText = ({ times }) => (times > 1 ? ` × ${times}` : '');

/** The line under a title: shape and line, and in how many iterations the node is there, which is never cut. */
export function writeSub(ctx, node, left, y, room, { palette, fonts }) {
  if (!node.some) return write(ctx, node.sub, left, y, { font: fonts.small, fill: palette.mute, room });
  const some = fitMiddle(ctx, fonts.small, node.some, room);
  const rest = room - textWidth(ctx, fonts.small, some) - textWidth(ctx, fonts.small, ' · ');
  const sub = textWidth(ctx, fonts.small, node.sub) <= rest ? node.sub : '';
  return write(ctx, sub ? `${sub} · ${some}` : some, left, y, { font: fonts.small, fill: palette.mute });
}

/** How much of a row a curve takes. */
export const sparkRoom = (node, which, room) => (node.spark?.[which] && room >= NARROW ? Math.min(SPARK.width, Math.max(SPARK.least, room - WORDS)) : 0);

/** The curve at the right end of a row whose text stands at a baseline. */
export function rowSpark(ctx, node, which, right, baseline, width, view) {
  const box = { left: right - width, top: baseline - 11, width, height: SPARK.height };
  paintSpark(ctx, node.spark, which, box, node.iteration, view, which === 'grad' ? view.palette.orange : view.palette.blue);
}

/** A pill has its curve along its lower edge. */
export function pillSpark(ctx, node, view) {
  const which = node.spark?.value ? 'value' : node.spark?.grad ? 'grad' : null;
  if (which === null || node.w < 70) return;
  const alpha = ctx.globalAlpha;
  ctx.globalAlpha = alpha * 0.5;
  const box = { left: node.box.left + 12, top: node.box.bottom - 9, width: node.w - 24, height: 7 };
  paintSpark(ctx, node.spark, which, box, node.iteration, view, which === 'grad' ? view.palette.orange : view.palette.blue);
  ctx.globalAlpha = alpha;
}

/** The parameters in a card, each a small card of its own with its curve. */
export function paintRows(ctx, node, view) {
  const { palette, fonts } = view;
  for (const row of node.rows) paintRow(ctx, row, view);
  if (node.unseen?.box) {
    const { left, right, bottom } = node.unseen.box;
    write(ctx, `+${node.unseen.count} more`, left + 9, bottom - 7, { font: fonts.small, fill: palette.mute, room: right - left - 18 });
  }
}

function paintRow(ctx, row, view) {
  const { palette, fonts, selected, hovered, found, linked, scale } = view;
  const { left, top } = row.box;
  ctx.beginPath();
  ctx.roundRect(left, top, row.w, row.h, 6);
  ctx.fillStyle = palette.blueTint;
  ctx.fill();
  ctx.lineWidth = hovered === row.id ? 2 : 1.3;
  ctx.strokeStyle = palette.blue;
  ctx.stroke();
  const which = row.spark?.grad ? 'grad' : row.spark?.value ? 'value' : null;
  const width = which ? Math.min(46, row.w * 0.36) : 0;
  const title = row.face.title ?? row.title;
  const room = row.w - 18 - (width ? width + 6 : 0);
  const shown = fitMiddle(ctx, fonts.name, title, room);
  const used = write(ctx, shown, left + 9, top + 15, { font: fonts.name, fill: palette.ink });
  const number = (row.face.grad ?? row.face.value)?.replace(/^mean /, '');
  if (number != null && shown === title && room - used > 40) {
    const fill = row.old ? palette.faint : troubleColour(number, palette) ?? (row.face.grad != null ? palette.orangeText : palette.mute);
    // Beside its name and its curve a parameter's number is left out where it does not fit whole.
    const told = fitNumber(ctx, fonts.small, number, room - used - 8);
    if (told && !told.endsWith('…')) write(ctx, told, left + 9 + used + 7, top + 15, { font: fonts.small, fill });
  }
  if (which) {
    const box = { left: row.box.right - 7 - width, top: top + 4, width, height: row.h - 8 };
    paintSpark(ctx, row.spark, which, box, row.iteration, view, which === 'grad' ? palette.orange : palette.blue);
  }
  if (selected !== row.id && !found.has(row.id) && linked !== row.id) return;
  ctx.beginPath();
  ctx.roundRect(left - 2.5, top - 2.5, row.w + 5, row.h + 5, 8);
  ctx.lineWidth = 2 / Math.min(1, scale);
  ctx.strokeStyle = selected === row.id ? palette.ink : palette.blue;
  ctx.setLineDash(selected === row.id ? [] : [3, 3]);
  ctx.stroke();
  ctx.setLineDash([]);
}
