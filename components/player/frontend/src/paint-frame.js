/** Rounded frames behind the cards of a time loop, like sheets of paper on one another, and the dark tab that says which loop it is. */

import { FRAME } from './design.js';
import { scaled } from './fonts.js';
import { overlaps } from './paint-edge.js';
import { numberOf } from './rolled.js';
import { clean, fitEnd, textWidth, write } from './text.js';

/** The least size of its text on the screen, as a share of that at zoom 1, and how much it grows at most for that. */
const [LEAST, MOST] = [0.92, 3];
const FROM = 0.12;

export function paintFrames(ctx, { frames }, view) {
  const { palette, scale, area, hoveredFrame } = view;
  for (const frame of frames) {
    if (!overlaps(frame.around, { ...area, top: area.top - FRAME.tab * MOST })) continue;
    const { left, top, right, bottom } = frame.box;
    const line = Math.max(FRAME.line, 0.9 / scale);
    if (frame.loop.starts.length > 1) sheet(ctx, left + FRAME.paper, top + FRAME.paper, right - left, bottom - top, palette.stage, palette.paperLine, line);
    sheet(ctx, left, top, right - left, bottom - top, palette.frame, frame === hoveredFrame ? palette.ink : palette.frameLine, line);
  }
}

/** Their tabs. Those of frames that begin out of view stand at its edge, one beside the other. */
export function paintTabs(ctx, { frames, rolled, nodes }, view) {
  for (const frame of frames) frame.tab = null;
  if (view.scale < FROM) return;
  const stuck = []; // the tabs at the upper edge
  for (const frame of frames) if (overlaps(frame.around, { ...view.area, top: view.area.top - FRAME.tab * MOST })) tab(ctx, frame, { rolled, nodes }, view, stuck);
}

function sheet(ctx, x, y, width, height, fill, stroke, line) {
  ctx.beginPath();
  ctx.roundRect(x, y, width, height, FRAME.radius);
  ctx.fillStyle = fill;
  ctx.fill();
  ctx.lineWidth = line;
  ctx.strokeStyle = stroke;
  ctx.stroke();
}

/** Its place is kept on the frame, for the pointer. */
function tab(ctx, frame, { rolled, nodes }, { palette, fonts, scale, area, above = 0, step }, stuck) {
  const { box } = frame;
  const size = Math.min(MOST, Math.max(1, LEAST / scale));
  const [bold, plain] = size === 1 ? [fonts.tab, fonts.tabRest] : [fonts.tab, fonts.tabRest].map((font) => scaled(fonts.family, font, size));
  const [pad, gap, height] = [FRAME.tabPadding * size, FRAME.tabGap * size, FRAME.tab * size];
  const rim = 8 / scale;
  const own = box.top + FRAME.sunk - height;
  const edge = area.top + above / scale;
  // Two that would lie on one another stand beside one another, too.
  const over = own < edge + (stuck.length > 0 ? height + rim : 0);
  const start = over ? Math.max(area.left + rim, ...stuck.map(({ right }) => right + rim)) : area.left + rim;
  const x = Math.max(box.left + FRAME.radius, start);
  const y = over ? Math.min(edge, box.bottom - height) : own;
  const room = Math.min(box.right - FRAME.radius, area.right - rim) - x - 2 * pad;
  if (room < FRAME.tabLeast * size) return;
  const title = fitEnd(bold, clean(frame.title), room);
  const used = textWidth(bold, title);
  const rest = tabTexts(frame, rolled, step).find((text) => textWidth(plain, text) <= room - used - gap) ?? '';
  const width = used + (rest ? gap + textWidth(plain, rest) : 0) + 2 * pad;
  const place = { left: x, top: y, right: x + width, bottom: y + height };
  // It covers no card: which iterations are on show, the row over the graph says as well.
  if (y > own && nodes.some((node) => overlaps(node.box, place))) return;
  frame.tab = place;
  if (over) stuck.push(place);
  ctx.beginPath();
  ctx.roundRect(x, y, width, height, height / 2);
  ctx.fillStyle = palette.tab;
  ctx.fill();
  const baseline = y + FRAME.tabBase * size;
  write(ctx, title, x + pad, baseline, { font: bold, fill: palette.onTab });
  write(ctx, rest, x + pad + used + gap, baseline, { font: plain, fill: palette.onTabMute });
}

/** What stands on a tab after the title, from all of it to the least. */
export function tabTexts({ loop, nodes }, rolled, step) {
  const { at, of: total } = rolled.called(loop, rolled.at(loop, step));
  const of = total.toLocaleString('en-US');
  const iteration = at < 0 ? `${of} iterations` : `iteration ${numberOf(at)} of ${of}`;
  const line = loop.where ? [loop.where] : [];
  const operations = nodes > 0 ? [`${nodes} ${nodes === 1 ? 'operation' : 'operations'}`] : [];
  return [
    [...line, iteration, ...operations].join(' · '), [...line, iteration].join(' · '), iteration, at < 0 ? of : `${numberOf(at)} of ${of}`,
  ];
}
