/** Steps of a rolled run: columns for all of it, captions and focus for windows, passes that run in them. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createModel } from '../src/model.js';
import { unpack } from '../src/steps.js';
import { createStore, take } from '../src/store.js';

/** Numbers as Python packs them. */
const packed = (numbers, bytes = 2) => {
  const made = bytes === 2 ? Int16Array.from(numbers) : Int32Array.from(numbers);
  return { bytes, data: btoa(String.fromCharCode(...new Uint8Array(made.buffer))) };
};

const payload = () => ({
  tape: 'r', rev: 'a', total: 6,
  run: {
    steps: { total: 6, sites: packed([0, 1, -1, 0, 1, -1]), table: [[0, [4, 0, 4, 9]], [2, [7, 4, 7, 8]]] },
    segments: { from: packed([0, 2, 3]), name: packed([0, 1, 0]), names: [['forward', 'forward'], ['backward 1', 'backward']] },
    lines: packed([0, 2, 5], 4), passes: 2, index: { groups: [], rows: [] },
  },
  drawn: {
    direction: 'LR', view: 'tensors', sites: {}, legend: [], fold: { any: false, opened: [] }, picture: 'p', network: null,
    nodes: [{ id: 'p1', x: 0, y: 0, w: 10, h: 10, history: [] }], edges: [],
    rolled: { main: 'l', on: true, worth: true, loops: [{ id: 'l', kind: 'time', total: 2, starts: [0, 3], ends: [2, 5], outer: [-1, -1] }], window: [3, 5], marks: [], origins: ['p1'] },
  },
  moments: {
    captions_from: 3, captions: [[['three', 'plain']], [], []], focuses: [['p1'], [], []],
    running: [{ number: 2, from: 4, to: 6, visits: [['p1', 'Mul', 4, 5, 5, [4]]] }],
  },
});

test('numbers are read as they were packed', () => {
  assert.deepEqual([...unpack(packed([1, -1, 32767]))], [1, -1, 32767]);
  assert.deepEqual([...unpack(packed([70000, -2], 4))], [70000, -2]);
});

test('a step is put together from columns', () => {
  const model = createModel(take(payload(), createStore()));
  assert.deepEqual([model.steps.length, model.last, model.cells, model.passes], [6, 5, 3, 2]);
  assert.deepEqual(model.steps.at(1), { phase: 0, cell: 2, span: [7, 4, 7, 8], caption: [], focus: [] });
  assert.deepEqual(model.steps.at(2), { phase: 1, cell: 0, span: null, caption: [], focus: [] });
  assert.deepEqual(model.steps.at(3), { phase: 2, cell: 0, span: [4, 0, 4, 9], caption: [['three', 'plain']], focus: ['p1'] });
  assert.deepEqual([model.steps.at(6), model.steps.at(-1)], [undefined, undefined]);
  assert.deepEqual(model.segments[1], { label: 'backward 1', kind: 'backward', from: 2, to: 2 });
  assert.deepEqual([...model.lines], [0, 2, 5]);
  assert.deepEqual(model.rolled.origins, ['p1']);
});

test('what a window tells is there when its steps are: captions, focus, and passes that run', () => {
  const memory = createStore();
  const model = createModel(take(payload(), memory));
  model.show(4);
  assert.deepEqual([model.queue.number, model.queue.ready[0].name], [2, 'Mul']);
  model.show(1);
  assert.equal(model.queue, null);
  const running = [{ number: 1, from: 0, to: 2, visits: [['p1', 'Add', 0, 1, 1, [0]]] }];
  const told = { window: [0, 2], nodes: [{ id: 'p1', history: [[0, { value: 'x' }]] }], edges: [] };
  const moments = { captions_from: 0, captions: [[['zero', 'plain']], [], []], focuses: [['p1'], [], []], running };
  const more = take({ tape: 'r', rev: 'a', total: 6, told, moments }, memory);
  model.learn(more.told.window, more.told);
  model.show(1);
  assert.deepEqual([model.queue.running[0].name, model.node.get('p1').face.value], ['Add', 'x']);
  assert.deepEqual([model.steps.at(0).caption, model.focusAt(0), model.focusAt(3)], [[['zero', 'plain']], ['p1'], ['p1']]);
});

test('marks of findings come later, and once', () => {
  const { rolled } = createModel(take(payload(), createStore()));
  const mark = { kind: 'finding', loop: 'l', iteration: 0, step: 1, title: 'odd' };
  rolled.tell([mark]);
  rolled.tell([mark]);
  assert.deepEqual(rolled.marks, [mark]);
});

test('a run that is sent twice keeps what has come of its steps since', () => {
  const memory = createStore();
  take(payload(), memory);
  const { moments, ...again } = payload();
  const model = createModel(take(again, memory));
  assert.deepEqual(model.steps.at(3).focus, moments.focuses[0]);
  assert.deepEqual(createModel(take({ ...again, tape: 's' }, memory)).steps.at(3).focus, [], 'another run has steps of its own');
});
