import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Text } from '@codemirror/state';

import { normalised, offsetOf, positionOf, smallestChange } from '../src/text.js';

const doc = Text.of(['x = "größe 🙂"', '', 'yy = 1']);

test('a Python column counts bytes, an offset counts UTF-16 units', () => {
  assert.equal(offsetOf(doc, 1, 0), 0);
  assert.equal(offsetOf(doc, 1, 7), 7);
  assert.equal(offsetOf(doc, 1, 9), 8); // after ö, two bytes
  const end = doc.line(1).to;
  assert.deepEqual(positionOf(doc, end), { line: 1, column: new TextEncoder().encode(doc.line(1).text).length });
});

test('every offset comes back from its position', () => {
  for (let offset = 0; offset <= doc.length; offset += 1) {
    if (doc.sliceString(offset - 1, offset) === '\ud83d') continue; // inside the emoji
    const { line, column } = positionOf(doc, offset);
    assert.equal(offsetOf(doc, line, column), offset);
  }
});

test('a position outside the text is moved into it', () => {
  assert.equal(offsetOf(doc, 99, 0), doc.line(3).from);
  assert.equal(offsetOf(doc, 0, 0), 0);
  assert.equal(offsetOf(doc, 2, 50), doc.line(2).to);
});

test('the smallest change turns one text into the other and keeps their common ends', () => {
  const samples = ['', 'a', 'aa', 'aaa', 'y = 5 * x', 'y = 50 * x', 'y = 5 * x\n', 'b', 'aba'];
  for (const before of samples) {
    for (const after of samples) {
      const change = smallestChange(before, after);
      if (before === after) assert.equal(change, null);
      else assert.equal(before.slice(0, change.from) + change.insert + before.slice(change.to), after);
    }
  }
  assert.deepEqual(smallestChange('y = 5 * x', 'y = 50 * x'), { from: 5, to: 5, insert: '0' });
});

test('all line ends become \\n', () => {
  assert.equal(normalised('a\r\nb\rc\n'), 'a\nb\nc\n');
});
