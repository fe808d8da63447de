/** The parameters in a card, each a small card of its own with its curve. */

import { troubleColour } from './card-text.js';
import { CARD, ROWS, SPARK } from './design.js';
import { paintSpark } from './sparks.js';
import { clean, fitMiddle, fitNumber, textWidth, write } from './text.js';

export function paintRows(ctx, node, view) {
  for (const row of node.rows) paintRow(ctx, row, view);
  if (!node.unseen?.box) return;
  const { left, right, bottom } = node.unseen.box;
  const { fonts, palette } = view;
  write(ctx, `+${node.unseen.count} more`, left + ROWS.padding, bottom - ROWS.more, { font: fonts.small, fill: palette.mute, room: right - left - 2 * ROWS.padding });
}

/** Its name, its number and the width of its curve: the number is left out where it does not fit whole beside the two. */
function planOf(row, number, curve, fonts) {
  const title = clean(row.face.title ?? row.title);
  const room = row.w - 2 * ROWS.padding - (curve ? curve + SPARK.rowGap : 0);
  const shown = fitMiddle(fonts.name, title, room);
  const left = room - textWidth(fonts.name, shown);
  const told = shown === title && left > ROWS.least ? fitNumber(fonts.small, number, left - CARD.gap) : '';
  return { shown, told: told.endsWith('…') ? '' : told, curve };
}

function paintRow(ctx, row, view) {
  const { palette, fonts, selected, hovered, found, linked, scale } = view;
  const { left, top } = row.box;
  ctx.beginPath();
  ctx.roundRect(left, top, row.w, row.h, ROWS.radius);
  ctx.fillStyle = palette.blueTint;
  ctx.fill();
  ctx.lineWidth = hovered === row.id ? 2 : ROWS.line;
  ctx.strokeStyle = palette.blue;
  ctx.stroke();
  const which = row.spark?.grad ? 'grad' : row.spark?.value ? 'value' : null;
  const most = which ? Math.min(SPARK.rowWidth, row.w * SPARK.rowShare) : 0;
  const number = clean(row.face.grad ?? row.face.value ?? '').replace(/^mean /, '');
  const plans = [most, Math.min(most, SPARK.rowLeast)].map((curve) => planOf(row, number, curve, fonts));
  const { shown, told, curve: width } = plans.find((plan) => plan.told) ?? plans[0];
  const base = top + fonts.lines.parameter;
  const used = write(ctx, shown, left + ROWS.padding, base, { font: fonts.name, fill: palette.ink });
  const fill = row.old ? palette.faint : troubleColour(number, palette) ?? (row.face.grad != null ? palette.orangeText : palette.mute);
  write(ctx, told, left + ROWS.padding + used + ROWS.gapNumber, base, { font: fonts.small, fill });
  if (which) {
    const box = { left: row.box.right - SPARK.rowAside - width, top: top + SPARK.rowInset, width, height: row.h - 2 * SPARK.rowInset };
    paintSpark(ctx, row.spark, which, box, row.iteration, view);
  }
  if (selected !== row.id && !found.has(row.id) && linked !== row.id) return;
  ctx.beginPath();
  ctx.roundRect(left - 2.5, top - 2.5, row.w + 5, row.h + 5, ROWS.radius + 2);
  ctx.lineWidth = 2 / Math.min(1, scale);
  ctx.strokeStyle = selected === row.id ? palette.ink : palette.blue;
  ctx.setLineDash(selected === row.id ? [] : [3, 3]);
  ctx.stroke();
  ctx.setLineDash([]);
}
