import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mock, test } from 'node:test';
import { isTyping } from '../../../browser/typing.mjs';
import { deepActive } from '../src/keyboard.js';
import { createPlayback } from '../src/playback.js';
import { createReporter, stands } from '../src/report.js';
import { stopFrom } from '../src/step-targets.js';

test('the segment keys go to the start of the next, of this one, and of the one before', () => {
  const model = { starts: [0, 9, 14], lines: [], last: 22 };
  assert.equal(stopFrom(model, 3, 1, 'pass'), 9);
  assert.equal(stopFrom(model, 20, 1, 'pass'), 22);
  assert.equal(stopFrom(model, 11, -1, 'pass'), 9);
  assert.equal(stopFrom(model, 9, -1, 'pass'), 0);
  assert.equal(stopFrom(model, 0, -1, 'pass'), 0);
});

test('only the step at which things come to rest is reported', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const send = mock.fn();
  const here = { run: 'a', step: 20, selected: null, n: 0 };
  const reporter = createReporter(() => ({ ...here }));
  reporter.connect(send);
  reporter.begin();
  reporter.during({ tape: 'a|tensors', total: 21 }, () => reporter.flush());
  for (here.step = 0; here.step < 9; here.step += 1) {
    reporter.step();
    t.mock.timers.tick(50);
  }
  assert.equal(send.mock.callCount(), 0);
  t.mock.timers.tick(120);
  assert.deepEqual(send.mock.calls.map((call) => call.arguments), [['moment', { ...here, step: 9 }]]);
});

test('Python takes the player to stand where it is told that it does', () => {
  const cases = JSON.parse(readFileSync(new URL('stands.json', import.meta.url), 'utf8'));
  assert.ok(cases.length > 9);
  for (const { what, told, message, step, selected } of cases) assert.deepEqual(stands(told, message), { step, selected }, what);
});

test('what Python knows is not repeated', () => {
  const send = mock.fn();
  const here = { run: 'a', step: 4, selected: null, n: 0 };
  const reporter = createReporter(() => ({ ...here }));
  const told = () => send.mock.calls.map((call) => call.arguments[1]);
  reporter.connect(send);
  reporter.begin();
  reporter.during({ tape: 'a|tensors', total: 5 }, () => reporter.flush());
  here.selected = 't1';
  reporter.flush();
  reporter.flush();
  assert.deepEqual(told(), [{ run: 'a', step: 4, selected: 't1', n: 0 }]);
  // Another run: Python takes the player to be at its end, and to have selected what it asked for.
  reporter.during({ tape: 'b|tensors', total: 9, cmd: { n: 1, run: 'b', select: 't0' } }, () => {
    Object.assign(here, { run: 'b', step: 8 });
    reporter.flush();
    Object.assign(here, { selected: 't0', n: 1 });
    reporter.flush();
  });
  assert.equal(told().length, 1);
  here.selected = 't1';
  reporter.flush();
  assert.deepEqual(told()[1], { run: 'b', step: 8, selected: 't1', n: 1 });
});

test('a player in the place of another one says everything again', () => {
  const send = mock.fn();
  const reporter = createReporter(() => ({ run: 'a', step: 4, selected: null, n: 0 }));
  reporter.connect(send);
  reporter.during({ tape: 'a|tensors', total: 5 }, () => reporter.flush());
  assert.equal(send.mock.callCount(), 1);
});

test('playback goes on until the last step and says so', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let step = 0;
  const states = [];
  const playback = createPlayback(() => (step += 1) < 3, (playing) => states.push(playing));
  playback.play();
  for (let i = 0; i < 10; i += 1) t.mock.timers.tick(700);
  assert.equal(step, 3);
  assert.equal(playback.playing(), false);
  assert.deepEqual(states, [true, false]);
});

test('the focused element is found through nested shadow roots', () => {
  const inner = {};
  const document = { activeElement: { shadowRoot: { activeElement: { shadowRoot: { activeElement: inner } } } } };
  assert.equal(deepActive(document), inner);
});

test('an editable element counts as typing', () => {
  assert.equal(isTyping({ isContentEditable: true }), true);
  assert.equal(isTyping({ isContentEditable: false, closest: () => null }), false);
});
