import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readGoal, stepOnLine } from '../src/goal.js';
import { isBehind } from '../src/times.js';

test('a number is a step, and a word before it says what else it is', () => {
  assert.deepEqual(readGoal(' 1,200 '), { kind: 'step', number: 1200 });
  assert.deepEqual(readGoal('step 7'), { kind: 'step', number: 7 });
  assert.deepEqual(readGoal('line 12'), { kind: 'line', number: 12, cell: null });
  assert.deepEqual(readGoal('cell 3, line 4'), { kind: 'line', number: 4, cell: 2 });
  assert.deepEqual(readGoal('i7'), { kind: 'iteration', number: 7 });
  for (const nonsense of ['', 'w', '-3', '1.5', 'line']) assert.equal(readGoal(nonsense), null, nonsense);
});

test('the next step on a line is looked for after the one on show, and around the end', () => {
  const steps = [1, 2, 2, 3, 2].map((line) => ({ cell: 0, span: [line, 0, line, 9] }));
  assert.equal(stepOnLine(steps, 0, 2, 0), 1);
  assert.equal(stepOnLine(steps, 0, 2, 2), 4);
  assert.equal(stepOnLine(steps, 0, 2, 4), 1);
  assert.equal(stepOnLine(steps, 0, 9, 0), undefined);
  assert.equal(stepOnLine(steps, 1, 2, 0), undefined);
  assert.equal(stepOnLine([{ cell: 0, span: [4, 0, 6, 1] }, { cell: 0, span: null }], 0, 5, 1), 0);
});

test('what a panel says is behind when it is of another run than the page, or of another step than the player', () => {
  assert.equal(isBehind({ gtTold: 'a', gtAt: '3' }, 'a', 'a', 3), false);
  assert.equal(isBehind({ gtTold: 'a', gtAt: '3' }, 'a', 'a', 4), true);
  assert.equal(isBehind({ gtTold: 'a' }, 'a', 'a', 4), false);
  assert.equal(isBehind({ gtTold: 'a', gtAt: '3' }, 'b', 'a', 3), true);
  assert.equal(isBehind({ gtTold: 'b', gtAt: '9' }, 'b', 'a', 3), false);
});
