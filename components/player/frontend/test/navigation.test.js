import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describe, hitsOf, readBreakpoints, toggled } from '../src/breakpoints.js';
import { nodeAtPosition } from '../src/bus.js';
import { createModel } from '../src/model.js';
import { overlayOfPath, readOverlay } from '../src/overlay.js';
import { queueAt, readQueues, stateText } from '../src/queue.js';
import { stopFrom } from '../src/step-targets.js';
import { createNavigation } from '../src/navigation.js';

const node = (id, more = {}) => ({ id, x: 0, y: 0, w: 100, h: 80, title: id, born: 0, history: [], ...more });

/** Three lines, the second visited twice (a loop); x gets a gradient at 4, loses it at 6, has NaN from 8 on. */
const payload = () => ({
  rev: 'a',
  nodes: [
    node('x', { changes: [0, 4, 6, 8], grads: [[4, 3], [6, -1], [8, -2]], sites: [0] }),
    node('y', { born: 2, sites: [1] }),
    node('z', { born: 5, sites: [1, 2] }),
  ],
  edges: [{ id: 'x>y>0', from: 'x', to: 'y', kind: 'data' }, { id: 'y>z>1', from: 'y', to: 'z', kind: 'data' }],
  sites: [[0, 1, 4, 1, 20], [0, 2, 8, 2, 13], [0, 2, 4, 2, 13]],
  steps: [1, 1, 2, 2, 2, 2, 2, 3, 3, 3].map((line) => ({ cell: 0, span: [line, 0, line, 9] })),
  lines: [1, 3, 6, 9],
  segments: [{ from: 0, to: 3, kind: 'forward' }, { from: 4, to: 6, kind: 'backward' }, { from: 7, to: 9, kind: 'forward' }],
});

function travelling(step = 0) {
  const model = createModel(payload());
  const said = [];
  const state = { step };
  const navigation = createNavigation({
    model: () => model,
    step: () => state.step,
    selected: () => model.node.get('x'),
    seek: (target) => {
      state.step = target;
    },
    say: (text) => said.push(text),
    changed: () => {},
  });
  return { navigation, state, said, model };
}

test('stepping by line ends each visit, forwards and backwards', () => {
  const model = createModel(payload());
  const walk = (start, direction) => {
    const seen = [start];
    while (seen.length < 9) {
      const next = stopFrom(model, seen.at(-1), direction, 'line');
      if (next === seen.at(-1)) break;
      seen.push(next);
    }
    return seen;
  };
  assert.deepEqual(walk(0, 1), [0, 1, 3, 6, 9]);
  assert.deepEqual(walk(9, -1), [9, 6, 3, 1, 0]);
  assert.equal(stopFrom(model, 4, 1, 'line'), 6);
});

test('the selected tensor\'s changes are visited one by one, and the end is said', () => {
  const { navigation, state, said } = travelling();
  const seen = [];
  for (let i = 0; i < 4; i += 1) {
    navigation.change(1);
    seen.push(state.step);
  }
  assert.deepEqual(seen, [4, 6, 8, 8]);
  assert.match(said.at(-1), /x does not change after this step/);
  navigation.change(-1);
  assert.equal(state.step, 6);
});

test('a line breakpoint stops once per visit, at its beginning', () => {
  const model = createModel(payload());
  const { steps, counts } = hitsOf(readBreakpoints({ lines: [{ cell: 0, line: 2 }, { cell: 1, line: 2 }] }), model);
  assert.deepEqual(steps, [2, 4]);
  assert.equal([...counts.values()][0], 2);
});

test('a tensor\'s breakpoints stop where the condition becomes true', () => {
  const model = createModel(payload());
  const stops = (when, value) => hitsOf(readBreakpoints({ tensors: [{ node: 'x', name: 'x', when, value }] }), model).steps;
  assert.deepEqual(stops('set'), [4, 8]);
  assert.deepEqual(stops('nonfinite'), [8]);
  assert.deepEqual(stops('norm', 2), [4, 8]);
  assert.deepEqual(stops('norm', 5), [8]);
});

test('play stops at a breakpoint even in the middle of a larger step', () => {
  const { navigation, state, said } = travelling();
  navigation.toggle('tensors', { node: 'x', name: 'x', when: 'set', value: null });
  navigation.granularity = 'pass';
  assert.equal(navigation.advance(), false);
  assert.equal(state.step, 4);
  assert.deepEqual(said, ['Breakpoint: x gets a grad']);
  navigation.go(1);
  assert.equal(state.step, 8);
  navigation.go(1);
  assert.equal(state.step, 9);
  navigation.go(-1);
  assert.equal(state.step, 8);
});

test('a breakpoint set twice is gone, and nonsense is no breakpoint', () => {
  const one = { cell: 0, line: 7 };
  const set = toggled(readBreakpoints(null), 'lines', one);
  assert.equal(describe('lines', set.lines[0]), 'line 7');
  assert.equal(describe('lines', set.lines[0], 3), 'In [1], line 7');
  assert.deepEqual(toggled(set, 'lines', { cell: 0, line: 7 }).lines, []);
  assert.deepEqual(readBreakpoints({ lines: [{ line: 'x' }], tensors: [{ when: 'later' }] }), { lines: [], tensors: [] });
});

test('nodes of a pass wait, are ready, run and are done, in the order in which they ran', () => {
  const queues = readQueues([{ number: 1, from: 10, to: 20, visits: [
    ['z', 'MulBackward0', 10, 11, 11, [10]],
    ['y', 'AddBackward0', 11, 13, 13, [11]],
    ['x', 'AccumulateGrad', 13, 14, 14, [11, 13]],
    [null, 'ToCopyBackward0', 13, -1, -1, [13]],
  ] }]);
  const at = (step) => {
    const queue = queueAt(queues, step);
    return ['running', 'ready', 'waiting', 'done'].map((state) => queue[state].map((entry) => entry.name.slice(0, 3)).join(' '));
  };
  assert.equal(queueAt(queues, 9), null);
  assert.equal(queueAt(queues, 20), null);
  assert.deepEqual(at(10), ['', 'Mul', 'Add Acc ToC', '']);
  assert.deepEqual(at(11), ['Mul', 'Add', 'Acc ToC', '']);
  assert.deepEqual(at(13), ['Add', 'Acc', '', 'Mul ToC']);
  assert.deepEqual(at(14), ['Acc', '', '', 'Mul Add ToC']);
  const waiting = queueAt(queues, 12).cards.get('x');
  assert.equal(stateText(waiting), 'waiting: 1 of 2 gradients have come');
});

test('a rule that is recorded itself runs over several steps', () => {
  const queues = readQueues([{ number: 1, from: 0, to: 9, visits: [['z', 'PowBackward0', 0, 1, 5, [0]]] }]);
  assert.deepEqual([0, 1, 3, 5, 6].map((step) => queueAt(queues, step).cards.get('z').state), ['ready', 'running', 'running', 'running', 'done']);
});

test('a cursor finds the innermost site, in the iteration of the moment', () => {
  const { model } = travelling();
  const at = (column, step) => nodeAtPosition(model, { cell: 0, line: 2, column }, step)?.id;
  assert.equal(at(10, 3), 'y');
  assert.equal(at(10, 7), 'z');
  assert.equal(at(10, 0), 'y');
  assert.equal(at(5, 9), 'z');
  assert.equal(at(0, 9), undefined);
  assert.equal(nodeAtPosition(model, { cell: 1, line: 2, column: 10 }, 9), null);
});

test('an overlay keeps what the graph has, by name or by both ends', () => {
  const { model } = travelling();
  const overlay = readOverlay({
    nodes: { x: { tone: 'path', label: 7 }, gone: { tone: 'bad' }, y: { tone: 'nonsense', value: 3 } },
    edges: { 'x>y': { tone: 'error', value: 0.5 } },
    links: [{ from: 'x', to: 'z', tone: 'cut' }, { from: 'z', to: 'y', tone: 'cut' }, { from: 'x', to: 'gone', tone: 'cut' }],
    legend: [{ tone: 'cut', label: 'cut here' }, { tone: 'evil', label: 'x' }],
  }, model);
  assert.deepEqual([...overlay.nodes.keys()], ['x', 'y']);
  assert.deepEqual(overlay.nodes.get('x'), { tone: 'path', label: '7', value: null });
  assert.equal(overlay.nodes.get('y').value, 1);
  assert.equal(overlay.edges.get('x>y>0').value, 0.5);
  assert.equal(overlay.edges.get('y>z>1').tone, 'cut');
  assert.equal(overlay.links.length, 1);
  assert.equal(overlay.dim, true);
  assert.equal(overlay.legend.length, 1);
  assert.equal(readOverlay({ nodes: {} }, model), null);
});

test('a path marks its nodes, the edges between them, and cuts where there may be no edge', () => {
  const { model } = travelling();
  const overlay = readOverlay(overlayOfPath({ nodes: ['x', 'y'], cut: [['y', 'z'], ['x', 'z']] }, model), model);
  assert.equal(overlay.edges.get('x>y>0').tone, 'path');
  assert.equal(overlay.edges.get('y>z>1').tone, 'cut');
  assert.equal(overlay.links.length, 1);
});
