import assert from 'node:assert/strict';
import { beforeEach, mock, test } from 'node:test';

import { createBreakpointSync } from '../src/breakpoint-sync.js';
import { greet, listenToEditor, tellHello } from '../src/bus.js';
import { createModel } from '../src/model.js';
import { createNavigation } from '../src/navigation.js';
import { createSeeking } from '../src/seeking.js';
import { createState, selectedNode } from '../src/state.js';
import { createStore } from '../src/store.js';

const node = (id, more = {}) => ({ id, x: 0, y: 0, w: 100, h: 80, title: id, born: 0, history: [], ...more });
const payload = () => ({
  nodes: [node('x', { changes: [0, 2] }), node('y')],
  steps: [1, 2, 3].map((line) => ({ cell: 0, span: [line, 0, line, 9], phase: 0, focus: ['x'], caption: [[`step ${line}`, 'plain']] })),
  lines: [0, 1, 2],
  segments: [{ from: 0, to: 2, kind: 'forward' }],
});

const part = (...names) => Object.fromEntries(names.map((name) => [name, mock.fn()]));

/** A player of parts that note what they are asked, on a page that notes what it is told. */
function player() {
  const told = [];
  globalThis.window = new EventTarget();
  for (const name of ['moment', 'breakpoints']) window.addEventListener(`gradtape:${name}`, ({ detail }) => told.push([name, detail]));
  const state = createState(createStore());
  state.model = createModel(payload());
  const elements = { root: { dataset: {} }, notice: { textContent: '' } };
  const parts = {
    viewport: part('follow'), timeline: part('show', 'setPins'), curves: part('setStops'), iterations: part('show'), caption: part('show'), queueBar: part('show'), times: part('show'), tooltip: part('hide'),
    reporter: part('step', 'tell', 'known'), debugPanel: part('show'), playback: { ...part('pause', 'toggle'), playing: () => false, speed: 1 },
  };
  parts.seeking = createSeeking(state, parts, elements);
  parts.breakpoints = createBreakpointSync(state, parts, elements);
  parts.navigation = createNavigation({
    model: () => state.model, step: () => state.step, selected: () => selectedNode(state), seek: parts.seeking.goTo, say: parts.seeking.say,
    changed: parts.breakpoints.changed,
  });
  return { state, parts, told, ...elements };
}

let made;
beforeEach(() => {
  made = player();
});

test('a step is shown everywhere, remembered, and told to the page and to Python', () => {
  const { state, parts, told, root } = made;
  parts.seeking.goTo(1);
  assert.deepEqual([state.step, state.view.step, state.memory.step, root.dataset.step], [1, 1, 1, '1']);
  assert.deepEqual(parts.caption.show.mock.calls[0].arguments, [[['step 2', 'plain']]]);
  assert.deepEqual(told, [['moment', { step: 1, cell: 0, span: [2, 0, 2, 9], total: 3 }]]);
  assert.deepEqual(parts.seeking.moment, told[0][1]);
  assert.equal(parts.reporter.step.mock.callCount(), 1);
  parts.seeking.goTo(9);
  assert.equal(state.step, 2, 'there is no step beyond the last');
});

test('a graph that is put in place tells Python nothing of its step', () => {
  made.parts.seeking.goTo(1, { quiet: true });
  assert.equal(made.parts.reporter.step.mock.callCount(), 0);
  assert.equal(made.told.length, 1);
});

test('an editor whose script comes after the player is told the moment that is on show', () => {
  const { parts, told } = made;
  const stop = listenToEditor({ hello: () => greet({ ...parts, selection: part('tellSelected') }) });
  const mounted = () => window.dispatchEvent(new CustomEvent('gradtape:hello', { detail: { from: 'editor' } }));
  mounted();
  assert.deepEqual(told, [], 'there is none yet');
  parts.seeking.goTo(1);
  mounted();
  assert.deepEqual(told, [told[0], told[0]]);
  tellHello();
  assert.equal(told.length, 2, 'a player is not told');
  stop();
});

test('what was said holds until the next step, and playing from the end begins anew', () => {
  const { state, parts, notice } = made;
  parts.seeking.goTo(2);
  parts.seeking.say('No breakpoint before this step.');
  parts.seeking.togglePlay();
  assert.deepEqual([state.step, notice.textContent], [0, '']);
  assert.equal(parts.playback.toggle.mock.callCount(), 1);
});

test('a breakpoint that is set in the player is told to editor and Python, and shown', () => {
  const { state, parts, told, root } = made;
  parts.navigation.toggle('lines', { cell: 0, line: 2 });
  assert.deepEqual(told, [['breakpoints', { type: 'breakpoints', from: 'player', lines: [{ cell: 0, line: 2 }] }]]);
  assert.equal(parts.reporter.tell.mock.calls[0].arguments[0], 'breakpoints');
  assert.deepEqual(state.memory.breakpoints.lines, [{ cell: 0, line: 2 }]);
  assert.equal(root.dataset.breakpoints, '1');
  assert.deepEqual(parts.timeline.setPins.mock.calls[0].arguments[0], [1]);
});

test('breakpoints of the editor are not told to it again, those of Python not to Python', () => {
  const { parts, told } = made;
  parts.breakpoints.fromEditor([{ cell: 0, line: 1 }]);
  assert.equal(told.length, 0);
  assert.equal(parts.reporter.tell.mock.callCount(), 1);
  parts.breakpoints.fromPython({ lines: [{ cell: 0, line: 3 }], tensors: [] });
  assert.equal(told.length, 1);
  assert.equal(parts.reporter.tell.mock.callCount(), 1);
  parts.breakpoints.fromPython({ lines: [{ cell: 0, line: 3 }], tensors: [] });
  assert.equal(told.length, 1, 'what has not changed is taken over once');
});
