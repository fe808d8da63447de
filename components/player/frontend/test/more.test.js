import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aboveStrip, beyond } from '../src/more.js';
import { fontsOf } from '../src/fonts.js';

const at = (left, top) => ({ box: { left, top, right: left + 10, bottom: top + 10 } });
const area = { left: 0, top: 0, right: 100, bottom: 100 };

test('every card that is out of view counts at one edge, and none that is partly in view', () => {
  const nodes = [at(50, 50), at(95, 50), at(100, 50), at(120, 300), at(-10, 0), at(0, 100), at(40, -40), at(50, -11)];
  assert.deepEqual(beyond(nodes, area), { left: 1, right: 2, top: 2, bottom: 1 });
});

test('a card that lies under the strip is out of view', () => {
  assert.equal(beyond([at(50, 60)], area).bottom, 0);
  assert.equal(beyond([at(50, 60)], aboveStrip(area, 0.8)).bottom, 1);
});

test('no text is smaller than 11 pixels at any zoom that a graph opens at', () => {
  for (let scale = 0.54; scale <= 1.25; scale += 0.01) {
    const { title, small, row, strong, pill } = fontsOf('serif', scale);
    for (const font of [title, small, row, strong, pill]) assert.ok(font.size * scale >= 11, `${font.css} at ${scale}`);
  }
  assert.deepEqual(fontsOf('serif', 1), fontsOf('serif', 1.2));
});
