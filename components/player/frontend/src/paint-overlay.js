/** Draws an overlay: bands along edges, outlines and corner signs on cards, a barred circle where a path is cut. */

import { radiusOf } from './paint-card.js';
import { overlaps, pathOf } from './paint-edge.js';
import { pointAt } from './route.js';
import { clean, textWidth, write } from './text.js';

/** A sign beside the colour, so that no meaning hangs on colour alone. */
const SIGNS = { good: '✓', bad: '✕', warn: '!', added: '+', removed: '−', changed: 'Δ' };
const DASHES = { cut: [7, 5], removed: [4, 4] };
const LABELS_FROM = 0.35;

export function toneColour(mark, palette) {
  return mark.tone === 'error' ? palette.scale(mark.value ?? 0) : palette.tones[mark.tone];
}

/** Bands along the marked edges and links, under the cards. */
export function paintOverlayEdges(ctx, model, overlay, { palette, scale, area }) {
  const width = Math.max(3.2, 2.2 / scale);
  for (const edge of model.edges) {
    const mark = overlay.edges.get(edge.id);
    if (!mark || !overlaps(edge.curve.bounds, area)) continue;
    band(ctx, pathOf(edge), mark, width, palette);
  }
  for (const link of overlay.links) band(ctx, linkPath(link), link, width, palette);
}

function band(ctx, path, mark, width, palette) {
  const colour = toneColour(mark, palette);
  ctx.lineCap = 'round';
  ctx.setLineDash([]);
  ctx.strokeStyle = colour;
  ctx.globalAlpha = 0.22;
  ctx.lineWidth = width + 7;
  ctx.stroke(path);
  ctx.globalAlpha = 1;
  ctx.lineWidth = width;
  ctx.setLineDash(DASHES[mark.tone] ?? []);
  ctx.stroke(path);
  ctx.setLineDash([]);
  ctx.lineCap = 'butt';
}

/** Outline of one marked card, its sign and its label. */
export function paintOverlayNode(ctx, node, mark, view) {
  const { palette, fonts, scale } = view;
  const colour = toneColour(mark, palette);
  const { left, top } = node.box;
  const gap = 2.5;
  const width = Math.max(3, 2 / scale);
  ctx.beginPath();
  ctx.roundRect(left - gap, top - gap, node.w + 2 * gap, node.h + 2 * gap, radiusOf(node) + gap);
  ctx.strokeStyle = colour;
  ctx.lineWidth = width;
  ctx.setLineDash(DASHES[mark.tone] ?? []);
  ctx.stroke();
  ctx.setLineDash([]);
  if (scale < LABELS_FROM) return;
  const sign = SIGNS[mark.tone];
  if (sign) badge(ctx, left - 1, top - 1, sign, colour, view);
  if (mark.label) tag(ctx, node.x, top - 13, mark.label, colour, { palette, fonts });
}

/** What stands above everything: the cuts and the labels of edges. */
export function paintOverlayMarks(ctx, model, overlay, view) {
  const { palette, fonts, scale, area } = view;
  const middles = [];
  for (const edge of model.edges) {
    const mark = overlay.edges.get(edge.id);
    if (mark && overlaps(edge.curve.bounds, area)) middles.push([mark, ...along(edge.curve)]);
  }
  for (const link of overlay.links) {
    const [[ax, ay], [bx, by]] = [borderPoint(link.from, link.to), borderPoint(link.to, link.from)];
    middles.push([link, (ax + bx) / 2, (ay + by) / 2, Math.atan2(by - ay, bx - ax)]);
  }
  for (const [mark, x, y, angle] of middles) {
    const colour = toneColour(mark, palette);
    if (mark.tone === 'cut') bar(ctx, x, y, angle, colour, palette, Math.max(1, 0.6 / scale));
    if (mark.label && scale >= LABELS_FROM) tag(ctx, x, y - (mark.tone === 'cut' ? 22 : 0), mark.label, colour, { palette, fonts });
  }
}

function along(curve) {
  const [x, y] = pointAt(curve, 0.5);
  const [bx, by] = pointAt(curve, 0.46);
  return [x, y, Math.atan2(y - by, x - bx)];
}

/** Two bars across the line in a circle: the wire is cut. */
function bar(ctx, x, y, angle, colour, palette, size) {
  ctx.save();
  ctx.translate(x, y);
  ctx.rotate(angle);
  ctx.scale(size, size);
  ctx.beginPath();
  ctx.arc(0, 0, 10, 0, 2 * Math.PI);
  ctx.fillStyle = palette.card;
  ctx.fill();
  ctx.lineWidth = 2;
  ctx.strokeStyle = colour;
  ctx.stroke();
  ctx.lineWidth = 2.4;
  ctx.beginPath();
  for (const shift of [-2.6, 2.6]) {
    ctx.moveTo(shift - 1.6, 5.4);
    ctx.lineTo(shift + 1.6, -5.4);
  }
  ctx.stroke();
  ctx.restore();
}

function badge(ctx, x, y, sign, colour, { palette, fonts }) {
  ctx.beginPath();
  ctx.arc(x, y, 7.5, 0, 2 * Math.PI);
  ctx.fillStyle = colour;
  ctx.fill();
  write(ctx, sign, x, y + 4.2, { font: fonts.strong, fill: palette.onColour, align: 'center' });
}

function tag(ctx, x, y, label, colour, { palette, fonts }) {
  const text = clean(label);
  const width = textWidth(fonts.strong, text) + 12;
  ctx.beginPath();
  ctx.roundRect(x - width / 2, y - 9, width, 18, 6);
  ctx.fillStyle = palette.card;
  ctx.fill();
  ctx.lineWidth = 1.2;
  ctx.strokeStyle = colour;
  ctx.stroke();
  write(ctx, text, x, y + 4.3, { font: fonts.strong, fill: palette.ink, align: 'center' });
}

/** A straight line from border to border. */
function linkPath({ from, to }) {
  const path = new Path2D();
  path.moveTo(...borderPoint(from, to));
  path.lineTo(...borderPoint(to, from));
  return path;
}

/** Where the line from the middle of `node` to the middle of `other` leaves its card. */
function borderPoint(node, other) {
  const [dx, dy] = [other.x - node.x, other.y - node.y];
  const share = Math.min(1, node.w / 2 / Math.abs(dx || 1e-9), node.h / 2 / Math.abs(dy || 1e-9));
  return [node.x + dx * share, node.y + dy * share];
}
