import assert from 'node:assert/strict';
import { test } from 'node:test';

import { EditorState } from '@codemirror/state';

import { ranField, setRan } from '../src/executed-text.js';
import { nodeSpans, setSpan, spanRange } from '../src/spans.js';

const PROGRAM = 'a = 1\ns = "größe"; b = a * 2 + 3\n';
const start = () => EditorState.create({ doc: PROGRAM, extensions: [ranField, nodeSpans] });
const replace = (state, from, to, insert) => state.update({ changes: { from, to, insert } }).state;
const select = (state, span) => state.update({ effects: setSpan.of({ kind: 'select', span }) }).state;
const marked = (state, kind = 'select') => {
  const range = spanRange(state, kind);
  return range && state.sliceDoc(range.from, range.to);
};
/** `a * 2` in bytes: ö and ß take two each. */
const PRODUCT = [2, 19, 2, 24];

test('a node marks its exact expression, by bytes', () => {
  assert.equal(marked(select(start(), PRODUCT)), 'a * 2');
});

test('the mark moves along with edits elsewhere and is hidden when its own text was changed', () => {
  const state = select(start(), PRODUCT);
  const moved = replace(state, 0, 0, '# first\n\n');
  assert.equal(marked(moved), 'a * 2');
  const at = moved.doc.toString().indexOf('a * 2');
  assert.equal(marked(replace(moved, at + 2, at + 3, '-')), null);
  assert.equal(marked(replace(moved, at, at + 5, 'a * 22')), null);
});

test('an edit taken back brings the mark back', () => {
  const at = PROGRAM.indexOf('a * 2');
  const state = replace(select(start(), PRODUCT), at + 2, at + 3, '-');
  assert.equal(marked(replace(state, at + 2, at + 3, '*')), 'a * 2');
});

test('hovering and selecting are marked apart, and another run takes both away', () => {
  let state = select(start(), PRODUCT);
  state = state.update({ effects: setSpan.of({ kind: 'hover', span: [1, 4, 1, 5] }) }).state;
  assert.deepEqual([marked(state), marked(state, 'hover')], ['a * 2', '1']);
  state = state.update({ effects: setRan.of('a = 2\n') }).state;
  assert.deepEqual([marked(state), marked(state, 'hover')], [null, null]);
});
