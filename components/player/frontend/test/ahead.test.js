import assert from 'node:assert/strict';
import { beforeEach, mock, test } from 'node:test';

import { createAhead } from '../src/ahead.js';
import { createIterations } from '../src/iterations.js';
import { createModel } from '../src/model.js';
import { createState } from '../src/state.js';
import { createStore } from '../src/store.js';
import { rolledRun } from './rolled-run.mjs';

/** Let everything happen that only waits for a promise. */
const rest = async () => {
  for (let turn = 0; turn < 20; turn += 1) await null;
};

/** What is fetched, in order, and how the fetching of the next one ends. */
function fetching() {
  const asked = [];
  const here = new Set();
  const ends = [];
  const load = (range) => {
    asked.push(range);
    return new Promise((done) => ends.push((came) => {
      if (came) here.add(range);
      done(came);
    }));
  };
  return { asked, here, ahead: createAhead(load, (range) => here.has(range)), async end(came = true) { ends.shift()(came); await rest(); } };
}

beforeEach(() => {
  mock.timers.reset();
  mock.timers.enable({ apis: ['setTimeout'] });
});

test('what is wanted now is fetched one after the other, what is here not at all', async () => {
  const { asked, here, ahead, end } = fetching();
  here.add('b');
  ahead.want(['a', 'b', 'c'], []);
  assert.deepEqual(asked, ['a']);
  await end();
  assert.deepEqual(asked, ['a', 'c']);
});

test('a new wish waits for what is under way, and takes the place of what is not', async () => {
  const { asked, ahead, end } = fetching();
  ahead.want(['a', 'b'], ['c']);
  ahead.want(['d'], []);
  ahead.want(['e'], []);
  await end();
  assert.deepEqual(asked, ['a', 'e']);
  await end();
  mock.timers.tick(1000);
  assert.deepEqual(asked, ['a', 'e']);
});

test('what is only likely is fetched when things are quiet', async () => {
  const { asked, ahead, end } = fetching();
  ahead.want(['a'], ['x']);
  await end();
  mock.timers.tick(200);
  ahead.want(['b'], ['y', 'z']);
  await end();
  mock.timers.tick(200);
  assert.deepEqual(asked, ['a', 'b']);
  mock.timers.tick(100);
  await end();
  assert.deepEqual(asked, ['a', 'b', 'y', 'z']);
});

test('after something that did not come nothing is fetched until it is wanted', async () => {
  const { asked, ahead, end } = fetching();
  ahead.want(['a', 'b'], ['c']);
  await end(false);
  mock.timers.tick(1000);
  assert.deepEqual(asked, ['a']);
  ahead.want(['d'], []);
  assert.deepEqual(asked, ['a', 'd']);
});

// --- iterations ---------------------------------------------------------------------------------------------------------------

const quiet = (more = {}) => new Proxy(more, { get: (own, name) => own[name] ?? (() => {}) });

/** A rolled run of which one window is here, and a server that has the others, or none. */
function player({ served = true } = {}) {
  const asked = [];
  const told = [];
  const answers = [];
  const selected = [];
  globalThis.document = { baseURI: 'http://page/' };
  globalThis.fetch = async (address) => {
    asked.push(new URL(address).pathname);
    if (!served) return { ok: false };
    const [first, last] = asked.at(-1).split('/').slice(-2).map(Number);
    return { ok: true, json: async () => ({ told: { ...rolledRun({ window: [first, last] }), window: [first, last] } }) };
  };
  const state = createState(createStore());
  const payload = { ...rolledRun({ window: [1000, 1100] }), address: 'window/secret' };
  state.model = createModel(payload);
  const parts = quiet({
    curves: quiet(), nest: quiet(), loopMenu: quiet(), granularity: quiet(),
    seeking: quiet({ userSeeks: (step) => { state.step = step; } }), selection: { select: (id) => selected.push(id) }, viewport: quiet(),
    reporter: { tell: (name, _, value) => told.push([name, value.window]) },
    loading: { fetched: ({ told: more }) => {
      answers.push(more.window);
      state.model.learn(more.window, more);
      iterations.learned();
    } },
  });
  const root = { dataset: {}, marks: new Set(), toggleAttribute: (name, on) => root.marks[on ? 'add' : 'delete'](name), removeAttribute: () => {} };
  const iterations = createIterations(state, parts, { root, area: {} });
  iterations.setModel(state.model);
  const go = (row) => {
    state.step = state.model.rolled.range(state.model.rolled.main, row).to;
    state.model.show(state.step);
    iterations.show(state.step);
  };
  return { state, asked, told, answers, selected, root, iterations, go };
}

const rangeOf = ({ rolled }, row) => `/window/secret/${rolled.main.starts[row]}/${rolled.main.starts[row + 1] - 1}`;

test('an iteration that is not here is fetched at once, then the next one on the way', async () => {
  const { state, asked, root, go } = player();
  go(20);
  assert.deepEqual([asked.length, root.marks.has('data-unknown')], [1, true]);
  await rest();
  assert.deepEqual(asked, [20, 21].map((row) => rangeOf(state.model, row)));
  assert.equal(root.marks.has('data-unknown'), false);
  go(19);
  await rest();
  assert.deepEqual(asked.slice(2), [19, 18].map((row) => rangeOf(state.model, row)), 'the way back');
});

test('when things are quiet its other neighbours are fetched, and what is one click away', async () => {
  const { state, asked, told, go } = player();
  go(20);
  await rest();
  mock.timers.tick(300);
  for (let turn = 0; turn < 20; turn += 1) await rest();
  const { rolled } = state.model;
  const marked = rolled.jumps().map(({ kind }) => rolled.at(rolled.main, rolled.jump(kind, state.step).step));
  assert.ok(marked.length >= 3);
  assert.deepEqual(asked, [...new Set([20, 21, 19, 22, 23, ...marked])].map((row) => rangeOf(state.model, row)));
  assert.deepEqual(told, [], 'Python hears nothing of it');
});

test('where nothing is served Python is asked, with the neighbours, and not too often', async () => {
  const { state, asked, told, go } = player({ served: false });
  mock.method(performance, 'now', () => 10_000);
  go(20);
  await rest();
  mock.timers.tick(0);
  const { starts } = state.model.rolled.main;
  assert.deepEqual([asked.length, told], [1, [['rolled', [starts[19], starts[22] - 1]]]]);
  go(30);
  go(40);
  mock.timers.tick(100);
  assert.equal(told.length, 1);
  mock.timers.tick(30);
  assert.deepEqual(told.slice(1), [['rolled', [starts[39], starts[42] - 1]]]);
  assert.equal(asked.length, 1);
  mock.restoreAll();
});

test('of an iteration without an end the steps around the one on show are asked for', async () => {
  const { state, asked, go } = player();
  const { rolled } = state.model;
  rolled.main.starts.splice(1);
  state.model.rolled.main.ends = null;
  const last = 20_000;
  state.model.last = last;
  rolled.range = () => ({ from: 0, to: 9_000 });
  state.model.show = () => {};
  go(0);
  await rest();
  assert.deepEqual(asked[0], '/window/secret/8000/9999');
});

test('what comes for a picture that is left is not shown', async () => {
  const { state, answers, go } = player();
  go(20);
  state.model = createModel({ ...rolledRun({ window: [0, 100] }), address: 'window/other' });
  await rest();
  assert.deepEqual(answers, []);
});

test('a mark is selected as soon as it is known what its step is about', () => {
  const { state, iterations, selected } = player();
  const { step } = state.model.rolled.jump('nan', state.step);
  let about = [];
  state.model.focusAt = () => about;
  iterations.jump('nan');
  iterations.told();
  assert.deepEqual(selected, []);
  about = [state.model.nodes[0].id];
  iterations.told();
  iterations.told();
  assert.deepEqual([selected, state.step], [about, step]);
});

test('who has gone on since keeps what is selected', () => {
  const { state, iterations, selected, go } = player();
  let about = [];
  state.model.focusAt = () => about;
  iterations.jump('nan');
  go(3);
  about = [state.model.nodes[0].id];
  iterations.told();
  assert.deepEqual(selected, []);
});
