import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createGlide, movesOf, restOf } from '../src/glide.js';

test('cards begin where they were on the screen, those of a group where it was', () => {
  const nodes = [{ id: 'stays', x: 0, y: 0 }, { id: 'pushed', x: 100, y: 0 }, { id: 'inside', x: 50, y: 10 }, { id: 'new', x: 9, y: 9 }];
  const at = new Map([['stays', { x: 0, y: 0 }], ['pushed', { x: 120, y: 0 }], ['g:1', { x: 60, y: 0 }]]);
  const before = (id) => at.get(id) ?? at.get(id === 'inside' ? 'g:1' : '');
  const moves = movesOf(nodes, before, ({ x, y }) => ({ x: 2 * x, y: 2 * y }), 2);
  assert.deepEqual([...moves], [['pushed', [-40, 0]], ['inside', [-20, -10]]]);
});

test('what is left of the way goes from all to nothing, and stays nothing', () => {
  const way = { from: 100, until: 300 };
  assert.deepEqual([0, 100, 200, 300, 9999].map((now) => restOf(way, now)), [1, 1, 0.5, 0, 0]);
});

test('cards that are on their way when the player goes are painted no more', () => {
  const frames = new Map();
  globalThis.requestAnimationFrame = (frame) => frames.set(frames.size + 1, frame) && frames.size;
  globalThis.cancelAnimationFrame = (id) => frames.delete(id);
  globalThis.matchMedia = () => ({ matches: false });
  let painted = 0;
  const network = { canvasToDOM: (point) => point, getScale: () => 1 };
  const state = { view: { glide: null }, model: { nodes: [{ id: 'a', x: 0, y: 0 }], stand: (id) => id } };
  const glide = createGlide(state, { graphCanvas: { network, paint: () => { painted += 1; } } });
  glide.start({ stand: (id) => id, at: new Map([['a', { x: 90, y: 0 }]]) });
  assert.equal(frames.size, 1);
  const [frame] = frames.values();
  glide.stop();
  assert.equal(frames.size, 0, 'no frame is waited for');
  frame();
  assert.equal(painted, 0, 'nor does one that was on its way paint');
  assert.equal(state.view.glide, null);
});
