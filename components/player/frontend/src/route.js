/** Geometry of the edges: a route of points becomes one smooth curve that touches the two cards. */

import { EDGE } from './design.js';

/** The rectangle of a node given by its centre. */
export function boxOf({ x, y, w, h }) {
  return { left: x - w / 2, right: x + w / 2, top: y - h / 2, bottom: y + h / 2 };
}

/** Smallest box around all boxes, or null for none. */
export function union(boxes) {
  if (boxes.length === 0) return null;
  const all = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
  for (const box of boxes) {
    all.left = Math.min(all.left, box.left);
    all.top = Math.min(all.top, box.top);
    all.right = Math.max(all.right, box.right);
    all.bottom = Math.max(all.bottom, box.bottom);
  }
  return all;
}

/** Edges that would lie exactly on each other (x * x) are moved apart sideways. */
export function spreadParallel(edges, vertical) {
  const twins = new Map();
  for (const edge of edges) {
    const course = `${edge.from}\n${edge.to}\n${edge.route.join(';')}`;
    twins.set(course, [...(twins.get(course) ?? []), edge]);
  }
  const axis = vertical ? 0 : 1;
  for (const group of twins.values()) {
    if (group.length < 2) continue;
    group.forEach((edge, index) => {
      const shift = (index - (group.length - 1) / 2) * EDGE.twins;
      for (const point of edge.route) point[axis] += shift;
    });
  }
}

/**
 * One smooth curve along `points`, from the border of one box to the border of the other.
 *
 * Between two points it leaves and arrives along the direction of the layout. Points in the middle get the slopes of
 * monotone cubic interpolation (Fritsch and Carlson 1980), which never overshoots, so a route around a card stays around it.
 * Where a route goes straight across that direction (from one row to the next, to a lane and back) it has round corners.
 */
export function curveAlong(points, fromBox, toBox, layoutVertical) {
  const vertical = directionOf(points, fromBox, toBox, layoutVertical);
  const flip = ([x, y]) => (vertical ? [y, x] : [x, y]);
  const route = points.map(flip);
  const from = vertical ? transpose(fromBox) : fromBox;
  const to = vertical ? transpose(toBox) : toBox;
  const final = route.length - 1;
  if (!falls(route[0], route[1])) route[0] = onBorder(route[0], from, route[1][0] >= route[0][0]);
  if (!falls(route[final - 1], route[final])) route[final] = onBorder(route[final], to, route[final][0] < route[final - 1][0]);
  const pieces = cubics(route).map((piece) => piece.map(flip));
  const first = pieces[0];
  const last = pieces[pieces.length - 1];
  const start = first[0];
  const end = last[3];
  return {
    pieces,
    startArrow: { tip: start, angle: angle(first[1], start) },
    endArrow: { tip: end, angle: angle(last[2], end) },
    bounds: boundsOf(pieces),
  };
}

/** Point at `share` (0..1) of the way, taking every piece by its chord length. */
export function pointAt(curve, share) {
  const lengths = curve.pieces.map(([p, , , q]) => Math.hypot(q[0] - p[0], q[1] - p[1]));
  let rest = share * lengths.reduce((sum, length) => sum + length, 0);
  let index = 0;
  while (index < lengths.length - 1 && rest > lengths[index]) {
    rest -= lengths[index];
    index += 1;
  }
  return bezier(curve.pieces[index], lengths[index] > 0 ? Math.min(1, rest / lengths[index]) : 0);
}

/** Points along the curve, close enough to tell how far something is from it. */
export function samplesOf({ pieces }) {
  return pieces.flatMap((piece) => Array.from({ length: 13 }, (_, index) => bezier(piece, index / 12)));
}

/** Distance of a point from the line through `points`. */
export function distanceTo(points, x, y) {
  let least = Infinity;
  for (let index = 0; index + 1 < points.length; index += 1) {
    const [[ax, ay], [bx, by]] = [points[index], points[index + 1]];
    const [dx, dy] = [bx - ax, by - ay];
    const along = Math.min(1, Math.max(0, ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy || 1)));
    least = Math.min(least, Math.hypot(x - ax - along * dx, y - ay - along * dy));
  }
  return least;
}

/** A Path2D of the curve that stops short of a filled arrow head at its 'start' or 'end'. */
export function tracePath(curve, arrow) {
  const path = new Path2D();
  const { pieces, startArrow, endArrow } = curve;
  const start = arrow === 'start' ? pulledBack(startArrow) : pieces[0][0];
  path.moveTo(start[0], start[1]);
  pieces.forEach(([, c1, c2, q], index) => {
    const end = index === pieces.length - 1 && arrow === 'end' ? pulledBack(endArrow) : q;
    path.bezierCurveTo(c1[0], c1[1], c2[0], c2[1], end[0], end[1]);
  });
  return path;
}

function cubics(route) {
  return route.length > 2 && route.some((point, i) => i > 0 && falls(route[i - 1], point)) ? withCorners(route) : smooth(route);
}

/** Is the way between two points straight across the layout's direction? */
function falls([x0, y0], [x1, y1]) {
  return Math.abs(x1 - x0) <= 0.5 && y0 !== y1;
}

/** Curves along the layout's direction, straight lines across it, and round corners between them. */
function withCorners(points) {
  const within = (i) => i > 0 && i + 1 < points.length;
  const route = points.filter((point, i) => !(within(i) && falls(points[i - 1], point) && falls(point, points[i + 1])));
  const pieces = [];
  let run = [route[0]];
  for (let i = 1; i < route.length; i += 1) {
    const corner = route[i];
    const down = falls(route[i - 1], corner);
    if (i + 1 === route.length || down === falls(corner, route[i + 1])) {
      run.push(corner);
      continue;
    }
    const [before, after] = [towards(corner, route[i - 1], down), towards(corner, route[i + 1], !down)];
    pieces.push(...(down ? line(run[0], before) : smooth([...run, before])));
    const bent = (point) => [point[0] + (corner[0] - point[0]) * EDGE.round, point[1] + (corner[1] - point[1]) * EDGE.round];
    pieces.push([before, bent(before), bent(after), after]);
    run = [after];
  }
  const end = route.length - 1;
  pieces.push(...(falls(route[end - 1], route[end]) ? line(run[0], route[end]) : smooth(run)));
  return pieces;
}

/** The point at which a corner begins on the way to the next point; half of the way is left to that one's corner. */
function towards([x, y], [nextX, nextY], down) {
  const way = down ? nextY - y : nextX - x;
  const part = Math.sign(way) * Math.min(EDGE.corner, Math.abs(way) / 2);
  return down ? [x, y + part] : [x + part, y];
}

function line([x0, y0], [x1, y1]) {
  const at = (share) => [x0 + (x1 - x0) * share, y0 + (y1 - y0) * share];
  return [[[x0, y0], at(1 / 3), at(2 / 3), [x1, y1]]];
}

function smooth(route) {
  const slopes = monotoneSlopes(route);
  const pieces = [];
  for (let i = 0; i + 1 < route.length; i += 1) {
    const [x0, y0] = route[i];
    const [x1, y1] = route[i + 1];
    const dx = x1 - x0;
    if (slopes) {
      const reach = dx * EDGE.handle;
      pieces.push([route[i], [x0 + reach, y0 + slopes[i] * reach], [x1 - reach, y1 - slopes[i + 1] * reach], route[i + 1]]);
    } else {
      // A route that turns back on itself (a cell that feeds itself): round handles instead of slopes.
      const reach = Math.max(EDGE.turn, Math.abs(dx) * EDGE.handle);
      const outward = dx < 0 ? -1 : 1;
      pieces.push([route[i], [x0 + outward * reach, y0], [x1 - outward * reach, y1], route[i + 1]]);
    }
  }
  return pieces;
}

/** dy/dx at every point, flat at both ends; null when x does not run strictly one way. */
function monotoneSlopes(route) {
  const secants = [];
  const sign = Math.sign(route[route.length - 1][0] - route[0][0]);
  for (let i = 0; i + 1 < route.length; i += 1) {
    const dx = route[i + 1][0] - route[i][0];
    if (dx * sign <= 0.5) return null;
    secants.push((route[i + 1][1] - route[i][1]) / dx);
  }
  const slopes = [0];
  for (let i = 1; i < secants.length; i += 1) {
    const [a, b] = [secants[i - 1], secants[i]];
    slopes.push(a * b <= 0 ? 0 : (2 * a * b) / (a + b));
  }
  slopes.push(0);
  return slopes;
}

/** Two cards in one rank are joined across it: along the layout there is no room for a curve between them. */
function directionOf(points, from, to, vertical) {
  if (points.length > 2 || from === to) return vertical;
  const apart = vertical
    ? from.bottom <= to.top || to.bottom <= from.top
    : from.right <= to.left || to.right <= from.left;
  return apart ? vertical : !vertical;
}

function onBorder([x, y], box, leavesRight) {
  const inside = x > box.left - 1 && x < box.right + 1 && y > box.top - 1 && y < box.bottom + 1;
  return inside ? [leavesRight ? box.right : box.left, y] : [x, y];
}

function transpose({ left, right, top, bottom }) {
  return { left: top, right: bottom, top: left, bottom: right };
}

function angle([x0, y0], [x1, y1]) {
  return Math.atan2(y1 - y0, x1 - x0);
}

function pulledBack({ tip, angle: direction }) {
  return [tip[0] - Math.cos(direction) * EDGE.covered, tip[1] - Math.sin(direction) * EDGE.covered];
}

function bezier([p, c1, c2, q], t) {
  const s = 1 - t;
  const mix = (axis) => s ** 3 * p[axis] + 3 * s * s * t * c1[axis] + 3 * s * t * t * c2[axis] + t ** 3 * q[axis];
  return [mix(0), mix(1)];
}

function boundsOf(pieces) {
  const xs = pieces.flatMap((piece) => piece.map((point) => point[0]));
  const ys = pieces.flatMap((piece) => piece.map((point) => point[1]));
  return { left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys) };
}
