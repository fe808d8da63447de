import assert from 'node:assert/strict';
import { test } from 'node:test';

import { pythonLanguage } from '@codemirror/lang-python';
import { ensureSyntaxTree } from '@codemirror/language';
import { EditorState } from '@codemirror/state';

import { nudged, numberAt, numberWithin } from '../src/drag-number.js';

/** A program, read to its end however slow the machine is. */
function parsed(doc) {
  const state = EditorState.create({ doc, extensions: [pythonLanguage] });
  ensureSyntaxTree(state, doc.length, 60_000);
  return state.update({}).state;
}

test('whole numbers go by one, and not below zero where they were not', () => {
  assert.equal(nudged('5', 3), '8');
  assert.equal(nudged('5', -7), '0');
  assert.equal(nudged('-5', 7), '2');
  assert.equal(nudged('-5', -1), '-6');
  assert.equal(nudged('5', 2, true), '7');
});

test('others go by their last digit, finer by the one after it', () => {
  assert.equal(nudged('0.1', 2), '0.3');
  assert.equal(nudged('0.1', -3), '-0.2');
  assert.equal(nudged('0.10', 1), '0.11');
  assert.equal(nudged('0.1', 1, true), '0.11');
  assert.equal(nudged('2.', 1), '2.1');
  assert.equal(nudged('.5', 1), '0.6');
  assert.equal(nudged('-.5', 5), '0.0');
  assert.equal(nudged('1e-3', 2), '3e-3');
  assert.equal(nudged('1.5E2', -1), '1.4E2');
  assert.equal(nudged('2.', 0), '2.');
});

test('a number that is written otherwise is left alone', () => {
  for (const text of ['1j', '0xff', '1_000', '0.1j', '1e', 'x', '']) assert.equal(nudged(text, 1), null);
});

test('a point at its end belongs to a number', () => {
  const doc = 'x = torch.tensor(2., requires_grad=True)\ny = 3.\nz = -4.5\n';
  const state = parsed(doc);
  const at = (text) => {
    const range = numberAt(state, doc.indexOf(text) + 1);
    return range && state.sliceDoc(range.from, range.to);
  };
  assert.deepEqual(['2.,', '3.\n', '4.5'].map(at), ['2.', '3.', '-4.5']);
});

test('within a range the one number is meant, and none where there are more', () => {
  const doc = 'w = torch.tensor([-1.5])\ny = 5 * w + 3\nz = w.sum()\n';
  const state = parsed(doc);
  const within = (text) => {
    const from = doc.indexOf(text);
    const range = numberWithin(state, { from, to: from + text.length });
    return range && state.sliceDoc(range.from, range.to);
  };
  assert.equal(within('torch.tensor([-1.5])'), '-1.5');
  assert.equal(within('5 * w'), '5');
  assert.equal(within('5 * w + 3'), null);
  assert.equal(within('w.sum()'), null);
});

test('the number under the pointer has its sign with it', () => {
  const doc = 'w = torch.tensor([1.5, -2.0])\ny = x-3 + 0x10 - 4 ** -1\nx1 = "7"\n';
  const state = parsed(doc);
  const at = (text, behind = 0) => {
    const range = numberAt(state, doc.indexOf(text) + behind);
    return range && state.sliceDoc(range.from, range.to);
  };
  assert.equal(at('1.5'), '1.5');
  assert.equal(at('1.5', 3), '1.5', 'behind its last digit');
  assert.equal(at('2.0'), '-2.0');
  assert.equal(at('3 +'), '3', 'a difference is no sign');
  assert.equal(at('1\nx1'), '-1');
  assert.equal(at('0x10'), null);
  assert.equal(at('x1', 1), null, 'a name');
  assert.equal(at('7"'), null, 'a text');
});
