import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EDGE } from '../src/design.js';
import { boxOf, curveAlong, pointAt, spreadParallel } from '../src/route.js';

const left = boxOf({ x: 0, y: 0, w: 100, h: 80 });
const right = boxOf({ x: 400, y: 200, w: 100, h: 80 });

test('a route between centres starts and ends on the borders of the cards', () => {
  const { pieces } = curveAlong([[0, 0], [400, 200]], left, right, false);
  assert.deepEqual(pieces[0][0], [50, 0]);
  assert.deepEqual(pieces.at(-1)[3], [350, 200]);
});

test('arrows point along the layout at both ends', () => {
  const curve = curveAlong([[50, 0], [350, 200]], left, right, false);
  assert.equal(curve.endArrow.angle, 0);
  assert.equal(Math.abs(curve.startArrow.angle), Math.PI);
});

test('from top to bottom the same curve stands upright', () => {
  const below = boxOf({ x: 60, y: 300, w: 100, h: 80 });
  const { pieces, endArrow } = curveAlong([[0, 0], [60, 300]], left, below, true);
  assert.deepEqual(pieces[0][0], [0, 40]);
  assert.deepEqual(pieces.at(-1)[3], [60, 260]);
  assert.equal(endArrow.angle, Math.PI / 2);
});

test('cards one above the other in a left-to-right layout are joined downwards', () => {
  const below = boxOf({ x: 10, y: 300, w: 100, h: 80 });
  const { pieces } = curveAlong([[0, 0], [10, 300]], left, below, false);
  assert.deepEqual(pieces[0][0], [0, 40]);
  assert.deepEqual(pieces.at(-1)[3], [10, 260]);
});

test('a curve through a detour never leaves the range of its points', () => {
  const { bounds } = curveAlong([[50, 0], [120, 150], [260, 150], [350, 200]], left, right, false);
  assert.ok(bounds.top >= -1e-9 && bounds.bottom <= 200 + 1e-9);
});

test('half way along a straight edge is its middle', () => {
  const curve = curveAlong([[50, 0], [350, 0]], left, boxOf({ x: 400, y: 0, w: 100, h: 80 }), false);
  assert.deepEqual(pointAt(curve, 0.5), [200, 0]);
});

test('identical edges are spread evenly around their course', () => {
  const edges = [1, 2, 3].map(() => ({ from: 'a', to: 'b', route: [[0, 5], [9, 5]] }));
  spreadParallel(edges, false);
  assert.deepEqual(edges.map((edge) => edge.route[0][1]), [5 - EDGE.twins, 5, 5 + EDGE.twins]);
});

test('from one row to the next an edge goes straight down with round corners, and comes in from the right', () => {
  const below = boxOf({ x: 0, y: 200, w: 100, h: 80 });
  const { pieces, endArrow, bounds } = curveAlong([[50, 0], [80, 0], [80, 200], [50, 200]], left, below, false);
  assert.deepEqual(pieces[0][0], [50, 0]);
  assert.deepEqual(pieces.map((piece) => piece[3]), [[70, 0], [80, 10], [80, 190], [70, 200], [50, 200]]);
  assert.equal(Math.abs(endArrow.angle), Math.PI);
  assert.deepEqual([bounds.left, bounds.right], [50, 80]);
});

test('a way by a lane keeps to it, and touches nothing beside it', () => {
  const points = [[50, 0], [64, 0], [64, 90], [300, 90], [300, 200], [350, 200]];
  const { pieces } = curveAlong(points, left, right, false);
  assert.ok(pieces.some(([p, , , q]) => p[1] === 90 && q[1] === 90 && p[0] === 74 && q[0] === 290));
  for (const piece of pieces) for (const [x, y] of piece) assert.ok(y === 0 || y === 90 || y === 200 || (x >= 64 && x <= 300));
});
