import assert from 'node:assert/strict';
import { test } from 'node:test';

import { EditorState } from '@codemirror/state';

import { isEdited, lineInDocument, lineThatRan, rangeOf, ranField, ranPosition, setRan } from '../src/executed-text.js';

const PROGRAM = 'a = 1\nb = 2\nc = a + b\n';

const start = () => EditorState.create({ doc: PROGRAM, extensions: ranField });
const replace = (state, from, to, insert) => state.update({ changes: { from, to, insert } }).state;
const marked = (state, span) => {
  const range = rangeOf(state, span);
  return range && state.sliceDoc(range.from, range.to);
};

test('the text it starts with counts as run', () => {
  assert.equal(isEdited(start()), false);
  assert.equal(marked(start(), [3, 4, 3, 9]), 'a + b');
});

test('a span moves along with edits around it', () => {
  const state = replace(replace(start(), 0, 0, '# first\n'), PROGRAM.length, PROGRAM.length, '# last\n');
  assert.equal(isEdited(state), true);
  assert.equal(marked(state, [3, 4, 3, 9]), 'a + b');
});

test('a span whose line was deleted is gone', () => {
  const state = replace(start(), 6, 12, '');
  assert.equal(marked(state, [2, 0, 2, 5]), null);
  assert.equal(marked(state, [3, 4, 3, 9]), 'a + b');
});

test('a text edited back is as it was, deleted spans included', () => {
  const state = replace(replace(start(), 6, 12, ''), 6, 6, 'b = 2\n');
  assert.equal(isEdited(state), false);
  assert.equal(marked(state, [2, 0, 2, 5]), 'b = 2');
});

test('a run makes the positions those of its text', () => {
  const edited = replace(start(), 0, 0, '# first\n');
  const state = edited.update({ effects: setRan.of(edited.doc.toString()) }).state;
  assert.equal(isEdited(state), false);
  assert.equal(marked(state, [4, 4, 4, 9]), 'a + b');
});

test('a text that ran elsewhere is found again in the one on show', () => {
  const state = start().update({ effects: setRan.of(`# gone\n${PROGRAM}`) }).state;
  assert.equal(isEdited(state), true);
  assert.equal(marked(state, [4, 4, 4, 9]), 'a + b');
  assert.equal(marked(state, [1, 0, 1, 6]), null);
});

test('a span over several lines spans them', () => {
  assert.equal(marked(start(), [1, 4, 2, 5]), '1\nb = 2');
});

test('an offset goes back to its position in the text that ran', () => {
  const state = replace(start(), 0, 0, '# first\n');
  assert.deepEqual(ranPosition(state, state.doc.line(4).from + 4), { line: 3, column: 4 });
  assert.equal(ranPosition(state, 3), null);
});

test('columns of positions count bytes', () => {
  const state = EditorState.create({ doc: 's = "🙂ö"; y = 1', extensions: ranField });
  assert.deepEqual(ranPosition(state, 's = "🙂ö"; '.length), { line: 1, column: 14 });
});

test('a line is known by its number in the text that ran, and back', () => {
  const state = replace(start(), 6, 6, 'new = 0\n');
  assert.equal(lineThatRan(state, state.doc.line(1).from), 1);
  assert.equal(lineThatRan(state, state.doc.line(2).from), null);
  assert.equal(lineThatRan(state, state.doc.line(3).from), 2);
  assert.equal(lineInDocument(state, 3), 4);
  assert.equal(lineInDocument(replace(start(), 0, 12, ''), 2), null);
});
