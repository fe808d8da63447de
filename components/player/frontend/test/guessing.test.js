import assert from 'node:assert/strict';
import { test } from 'node:test';

import { verdict } from '../../../browser/guessing.mjs';

const right = (answer, guess) => assert.equal(verdict(answer, guess), null, guess);
const wrong = (answer, guess, says) => assert.match(verdict(answer, guess), says, guess);

test('numbers are right as they are shown, in whatever form', () => {
  const answer = { kind: 'numbers', values: ['2', '-0.33333333'] };
  for (const guess of ['2 -0.3333', '[2, -.3333]', 'tensor([2., -0.3333], requires_grad=True)']) right(answer, guess);
  wrong(answer, '2', /2 numbers|Not these/);
  wrong(answer, '2 0.3333', /Not these/);
  wrong(answer, '2 3 4', /2 numbers/);
  wrong(answer, 'None', /not None/);
  wrong(answer, ' ', /Write down/);
});

test('one number stands for many that are all the same', () => {
  right({ kind: 'numbers', values: ['1', '1', '1', '1'] }, '1');
  right({ kind: 'numbers', values: ['nan'] }, 'NaN');
  right({ kind: 'numbers', values: ['inf', 'inf'] }, 'inf');
  wrong({ kind: 'numbers', values: ['inf'] }, '-inf', /Not these/);
  right({ kind: 'numbers', values: ['1234567'] }, '1.2346e6');
});

test('shapes are sizes in order', () => {
  for (const guess of ['(2, 3)', '[2×3]', 'torch.Size([2, 3])', '2 3']) right({ kind: 'shape', values: ['2', '3'] }, guess);
  wrong({ kind: 'shape', values: ['2', '3'] }, '3 2', /others/);
  wrong({ kind: 'shape', values: ['2', '3'] }, '6', /2 dimensions/);
  right({ kind: 'shape', values: [] }, '[]');
});

test('a grad_fn is known by its name, None and flags by their words', () => {
  for (const guess of ['MulBackward0', '<MulBackward0 object at 0x7f>', 'mulbackward']) right({ kind: 'name', values: ['MulBackward0'] }, guess);
  wrong({ kind: 'name', values: ['MulBackward0'] }, 'AddBackward0', /Another/);
  right({ kind: 'none', values: ['None'] }, ' none ');
  wrong({ kind: 'none', values: ['None'] }, '0', /something else/);
  right({ kind: 'flag', values: ['False'] }, 'false');
  wrong({ kind: 'flag', values: ['False'] }, 'True', /other way/);
});
