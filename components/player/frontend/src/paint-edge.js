/** Draws the edges along their routes: data forwards, gradients in orange in their own direction, cuts dashed, and the labels. */

import { EDGE, VEIL } from './design.js';
import { indexAt } from './history.js';
import { isDimmed } from './overlay.js';
import { pointAt, tracePath } from './route.js';
import { clean, textWidth, write } from './text.js';

const ARROWS_FROM = 0.3;
/** Beyond so many resting edges in view they are drawn as straight lines, all of one kind at once. */
const MANY = 1200;

/** Everything under the cards. */
export function paintEdges(ctx, model, view, area) {
  const { palette, scale } = view;
  const resting = [];
  const lively = [];
  for (const edge of model.edges) {
    if (!overlaps(edge.curve.bounds, area)) continue;
    (edge.face.active && !edge.ghost ? lively : resting).push(edge);
  }
  const thin = Math.max(EDGE.line, 0.7 / scale);
  if (resting.length > MANY) paintLines(ctx, resting, view, thin);
  else {
    const returns = paintReturns(ctx, resting, view, thin);
    for (const edge of resting) if (!returns.has(edge)) paintResting(ctx, edge, model, view, thin);
  }
  ctx.setLineDash([]);
  ctx.globalAlpha = 1;
  for (const edge of lively) {
    const width = Math.max(widthOf(edge, model.strongest), 1.6 / scale);
    // Edges of data are drawn from input to result; edges of grad_fn already point where the gradient goes.
    const against = edge.kind !== 'grad_fn';
    strokeEdge(ctx, edge, against, palette.orangeHalo, width + EDGE.flowHalo, 0, scale);
    strokeEdge(ctx, edge, against, palette.orange, width, EDGE.flowArrow, scale);
  }
  return lively;
}

/**
 * What iterations hand on, as far as nothing points at it: under everything else, in a colour that is pale and not transparent, so
 * that a bundle of it is no darker than a single line. Returns what was drawn.
 */
function paintReturns(ctx, edges, view, thin) {
  const { palette, scale, near, kept, weighed, focus, overlay } = view;
  const drawn = new Set(kept === null && !weighed ? edges.filter((edge) => edge.carried && !near.has(edge.id) && !isPointedAt(edge, view)) : []);
  ctx.globalAlpha = 1;
  ctx.setLineDash(EDGE.carriedDash);
  for (const writes of [false, true]) {
    // While an optimizer writes its parameters, the edges over which it does so come forward.
    const [line, arrow] = writes ? [palette.carriedFirm, palette.carried] : [palette.carriedPale, palette.carriedFirm];
    for (const edge of drawn) {
      const pale = edge.ghost || isDimmed(overlay, 'edges', edge.id);
      if (focus.has(edge.from) !== writes) continue;
      strokeEdge(ctx, edge, false, pale ? palette.carriedPale : line, thin * EDGE.fewLine, 0, scale);
      if (scale < ARROWS_FROM || pale) continue;
      openArrow(ctx, edge.curve.endArrow, arrow);
      ctx.setLineDash(EDGE.carriedDash);
    }
  }
  return drawn;
}

/** An edge over which nothing passes. */
function paintResting(ctx, edge, model, view, thin) {
  const { palette, scale, kept, near, overlay, step, weighed } = view;
  const touched = near.has(edge.id) || ((edge.carried || edge.some) && isPointedAt(edge, view));
  const dimmed = !touched && isDimmed(overlay, 'edges', edge.id);
  const aside = kept !== null && !(kept.has(edge.from) && kept.has(edge.to));
  const strength = edge.some && !touched ? EDGE.few : 1;
  ctx.globalAlpha = aside ? 0.1 : edge.ghost ? EDGE.ghost * strength : (edge.far && !touched) || dimmed ? EDGE.far * strength : strength;
  const colour = edge.carried ? palette.carried : touched ? palette.ink : edge.kind === 'cut' ? palette.cut : palette.edge;
  ctx.setLineDash(dashOf(edge));
  const norm = weighed && !aside ? lastNorm(edge, step) : null;
  if (norm !== null) strokeEdge(ctx, edge, false, palette.orangeMute, weight(norm, model.strongest), EDGE.arrow, scale);
  else strokeEdge(ctx, edge, false, colour, touched ? thin + 0.6 : strength < 1 ? thin * EDGE.fewLine : thin, EDGE.arrow, scale);
}

/** Is one of its ends under the pointer or selected? */
function isPointedAt({ from, to }, { hovered, selected }) {
  return [hovered, selected].some((id) => id !== null && (id === from || id === to));
}

/** What an iteration hands on to the next is dashed, what only some iterations have is dotted. */
function dashOf(edge) {
  if (edge.kind === 'cut') return EDGE.cutDash;
  if (edge.ghost) return EDGE.ghostDash;
  if (edge.some) return EDGE.someDash;
  return edge.carried ? EDGE.carriedDash : [];
}

function paintLines(ctx, edges, { palette, near, kept }, width) {
  ctx.lineWidth = width;
  const kinds = new Map();
  for (const edge of edges) {
    const aside = kept !== null && !(kept.has(edge.from) && kept.has(edge.to));
    const kind = near.has(edge.id) ? 'near' : aside ? 'aside' : edge.ghost ? 'ghost' : edge.far ? 'far' : 'rest';
    if (!kinds.has(kind)) kinds.set(kind, []);
    kinds.get(kind).push(edge);
  }
  const alpha = { near: 1, aside: 0.08, ghost: 0.2, far: 0.3, rest: 0.8 };
  for (const [kind, same] of kinds) {
    ctx.globalAlpha = alpha[kind];
    ctx.strokeStyle = kind === 'near' ? palette.ink : palette.edge;
    ctx.beginPath();
    for (const { route } of same) {
      ctx.moveTo(route[0][0], route[0][1]);
      for (let index = 1; index < route.length; index += 1) ctx.lineTo(route[index][0], route[index][1]);
    }
    ctx.stroke();
  }
}

/** The norm of the gradient that passed along an edge last, null if none has yet. */
function lastNorm(edge, step) {
  for (let index = indexAt(edge.history, step); index >= 0; index -= 1) {
    const face = edge.history[index][1];
    if (face.active) return face.norm ?? 0;
  }
  return null;
}

/** Widths from a hair to a band, over five decades of this recording. */
function weight(norm, strongest) {
  if (!(norm > 0) || strongest <= 0) return 0.8;
  return 1.2 + 7 * Math.min(1, Math.max(0, 1 + Math.log10(norm / strongest) / 5));
}

/** The numbers on edges where a gradient flows; each looks for a free position along its edge. */
export function paintEdgeLabels(ctx, edges, nodes, { palette, fonts }) {
  const taken = nodes.map((node) => node.box);
  const height = EDGE.labelHeight;
  for (const edge of edges) {
    const label = clean(edge.face.label ?? '');
    if (!label) continue;
    const width = textWidth(fonts.strong, label) + 2 * EDGE.labelPadding;
    const [x, y] = freePosition(edge.curve, width, height, taken);
    const box = { left: x - width / 2, right: x + width / 2, top: y - height / 2, bottom: y + height / 2 };
    taken.push(box);
    ctx.beginPath();
    ctx.roundRect(box.left, box.top, width, height, EDGE.labelRadius);
    ctx.globalAlpha = VEIL.opacity;
    ctx.fillStyle = palette.stage;
    ctx.fill();
    ctx.globalAlpha = 1;
    write(ctx, label, x, y + EDGE.labelBase, { font: fonts.strong, fill: palette.orangeText, align: 'center' });
  }
}

function freePosition(curve, width, height, taken) {
  const half = { x: width / 2, y: height / 2 };
  let best = null;
  const { left, right, top, bottom } = curve.bounds;
  // On a short edge the label would hide the arrow: beside it, then.
  const short = Math.hypot(right - left, bottom - top) < width + EDGE.labelShort;
  for (const lift of short ? EDGE.labelLiftsShort : EDGE.labelLifts) {
    for (const share of EDGE.labelShares) {
      const [x, y] = pointAt(curve, share);
      const position = [x, y + lift];
      const box = { left: x - half.x, right: x + half.x, top: y + lift - half.y, bottom: y + lift + half.y };
      const hidden = taken.reduce((sum, other) => sum + overlapArea(box, other), 0);
      if (best === null || hidden < best.hidden - EDGE.labelHidden) best = { hidden, position };
      if (hidden <= EDGE.labelHidden) return best.position;
    }
  }
  return best.position;
}

/** The line of an edge, as far as its arrow: what an iteration hands on has an open one, into which the line goes. */
export const pathOf = (edge) => (edge.path ??= tracePath(edge.curve, edge.carried ? '' : 'end'));

function strokeEdge(ctx, edge, reverse, colour, width, arrow, scale) {
  const path = reverse ? (edge.reversePath ??= tracePath(edge.curve, 'start')) : pathOf(edge);
  ctx.lineWidth = width;
  ctx.strokeStyle = colour;
  ctx.stroke(path);
  if (!arrow || scale < ARROWS_FROM) return;
  const end = reverse ? edge.curve.startArrow : edge.curve.endArrow;
  if (edge.carried && !reverse) openArrow(ctx, end, colour);
  else arrowHead(ctx, end, arrow, colour);
}

/** The arrow of a return: two lines instead of a wedge. */
function openArrow(ctx, { tip: [x, y], angle }, colour) {
  const [size, wing] = [EDGE.carriedArrow, EDGE.carriedWing];
  ctx.setLineDash([]);
  ctx.beginPath();
  ctx.moveTo(x - size * Math.cos(angle - wing), y - size * Math.sin(angle - wing));
  ctx.lineTo(x, y);
  ctx.lineTo(x - size * Math.cos(angle + wing), y - size * Math.sin(angle + wing));
  ctx.strokeStyle = colour;
  ctx.lineWidth = Math.max(EDGE.carriedArrowLine, ctx.lineWidth);
  ctx.stroke();
}

function arrowHead(ctx, { tip: [x, y], angle }, size, colour) {
  const wing = EDGE.arrowWing;
  ctx.beginPath();
  ctx.moveTo(x, y);
  ctx.lineTo(x - size * Math.cos(angle - wing), y - size * Math.sin(angle - wing));
  ctx.lineTo(x - size * Math.cos(angle + wing), y - size * Math.sin(angle + wing));
  ctx.closePath();
  ctx.fillStyle = colour;
  ctx.fill();
}

/** A stronger gradient is a thicker line, on a logarithmic scale over some decades of this recording. */
function widthOf(edge, strongest) {
  const { norm } = edge.face;
  if (!Number.isFinite(norm) || norm <= 0 || strongest <= 0) return EDGE.flow;
  const share = 1 + Math.log10(norm / strongest) / EDGE.decades;
  return EDGE.flow + EDGE.flowMore * Math.min(1, Math.max(0, share));
}

export function overlaps(a, b) {
  return a.left < b.right && a.right > b.left && a.top < b.bottom && a.bottom > b.top;
}

function overlapArea(a, b) {
  const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
  const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
  return width > 0 && height > 0 ? width * height : 0;
}
