import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { isTyping } from '../../../browser/typing.mjs';
import { deepActive } from '../src/keyboard.js';
import { createPlayback } from '../src/playback.js';
import { createReporter } from '../src/report.js';
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
  const reporter = createReporter();
  reporter.connect(send);
  for (let step = 0; step < 10; step += 1) {
    reporter.step(step);
    t.mock.timers.tick(50);
  }
  assert.equal(send.mock.callCount(), 0);
  t.mock.timers.tick(120);
  assert.deepEqual(send.mock.calls.map((call) => call.arguments), [['step', 9]]);
});

test('what Python knows is not repeated', () => {
  const send = mock.fn();
  const reporter = createReporter();
  reporter.connect(send);
  reporter.assume('selected', null);
  reporter.selected(null);
  reporter.selected('t1');
  reporter.selected('t1');
  assert.deepEqual(send.mock.calls.map((call) => call.arguments), [['selected', 't1']]);
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
