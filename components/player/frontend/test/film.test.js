/** The film: what browsers can make, how large it is, and when it begins and ends. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kindOf, sizeOf } from '../src/film.js';

class Canvas {
  captureStream() {}
}

const browser = (...kinds) => ({ HTMLCanvasElement: Canvas, MediaRecorder: { isTypeSupported: (kind) => kinds.includes(kind) } });

test('the best kind that the browser makes is chosen, and none where it makes none', () => {
  assert.equal(kindOf(browser('video/webm', 'video/webm;codecs=vp9', 'video/webm;codecs=vp8')), 'video/webm;codecs=vp8');
  assert.equal(kindOf(browser('video/mp4')), '');
  assert.equal(kindOf({ HTMLCanvasElement: Canvas }), '');
  assert.equal(kindOf({ MediaRecorder: {}, HTMLCanvasElement: class {} }), '');
});

test('a film is as sharp as the page, even in both directions and never longer than its bound', () => {
  assert.deepEqual(sizeOf({ width: 801, height: 403 }, 1), { width: 802, height: 450, scale: 1 });
  const { width, height, scale } = sizeOf({ width: 1400, height: 700 }, 3);
  assert.equal(width, 1920);
  assert.equal(height % 2, 0);
  assert.ok(Math.abs(height - 746 * scale) <= 1);
  assert.ok(scale < 3);
});
