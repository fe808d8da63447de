import assert from 'node:assert/strict';
import { test } from 'node:test';
import { related } from '../src/focus.js';
import { createModel } from '../src/model.js';
import { createStore, held, take } from '../src/store.js';
import { received } from '../../../browser/mount.mjs';

const node = (id, x) => ({ id, x, y: 0, w: 80, h: 30, shape: 'card', title: id, born: 0, history: [] });
const edge = (from, to) => ({ id: `${from}>${to}`, from, to, route: [[0, 0], [1, 0]], kind: 'data', born: 0, history: [] });
const chain = () => createModel({
  nodes: ['a', 'b', 'c', 'd', 'side'].map((id, at) => node(id, at * 100)),
  edges: [edge('a', 'b'), edge('b', 'c'), edge('c', 'd'), edge('a', 'side')],
});

test('focus keeps ancestors and descendants up to a distance, and no siblings', () => {
  assert.deepEqual([...related(chain(), 'b', '1')].sort(), ['a', 'b', 'c']);
  assert.deepEqual([...related(chain(), 'b', 'all')].sort(), ['a', 'b', 'c', 'd']);
  assert.equal(related(chain(), 'b', ''), null);
  assert.equal(related(chain(), 'gone', '2'), null);
});

test('what is sent once is kept and put back into later payloads', () => {
  const memory = createStore();
  const run = { steps: [1, 2], segments: [], lines: [3], queues: [], index: { groups: [], rows: [] } };
  const drawn = { nodes: [], edges: [], network: null };
  assert.deepEqual(take({ tape: 'r', rev: 'a', run, drawn }, memory), { tape: 'r', rev: 'a', ...run, ...drawn, running: undefined });
  assert.deepEqual(held({}, memory), { tape: 'r', captions: false, rev: 'a', details: false, window: null });
  const folded = take({ tape: 'r', rev: 'b', drawn: { ...drawn, nodes: ['n'] } }, memory);
  assert.deepEqual([folded.steps, folded.nodes], [[1, 2], ['n']]);
  assert.deepEqual(take({ tape: 'r', rev: 'b', cmd: { n: 1 } }, memory), { ...folded, cmd: { n: 1 } });
  assert.equal(take({ tape: 'r', rev: 'a' }, memory), null, 'another picture than the one that is here');
  assert.equal(take({ tape: 'other', rev: 'b', drawn }, memory), null);
  assert.deepEqual(take({}, memory), {});
});

test('a sketch is a picture that nothing is kept of, and Python is told that it is here', () => {
  const memory = createStore();
  const drawn = { nodes: [node('w', 0), node('v', 100)], edges: [edge('w', 'v')], network: null };
  const sketch = take({ tape: 'r', rev: 'a', total: 9, sketch: { focus: ['w'], segments: [] }, drawn }, memory);
  assert.deepEqual(memory, createStore());
  assert.deepEqual(held(sketch, memory), { sketch: 'a' });
  const model = createModel(sketch);
  assert.deepEqual([model.sketch, model.last, model.focusAt(model.last)], [true, 8, ['w']]);
  model.show(model.last);
  assert.deepEqual(model.nodes.map(({ face, ghost }) => [face.value, ghost]), [[null, false], [null, false]]);
});

test('captions and details that come later are put into what is there', () => {
  const memory = createStore();
  const steps = [{ caption: [] }, { caption: [['last', 'plain']] }];
  const edges = [{ id: 'a>b>1' }, { id: 'b>c>2' }];
  take({ tape: 'r', rev: 'a', run: { steps }, drawn: { nodes: [], edges, network: null } }, memory);
  take({ tape: 'r', rev: 'a', moments: { captions_from: 0, captions: [[['first', 'plain']], [['last', 'plain']]] } }, memory);
  assert.deepEqual(steps[0].caption, [['first', 'plain']]);
  assert.deepEqual(held({}, memory), { tape: 'r', captions: true, rev: 'a', details: false, window: null });
  take({ tape: 'r', rev: 'a', details: { 'a>b>1': { 4: ['2 · 3 = 6'] } } }, memory);
  assert.deepEqual(edges, [{ id: 'a>b>1', details: { 4: ['2 · 3 = 6'] } }, { id: 'b>c>2', details: {} }]);
  assert.deepEqual(held({}, memory), { tape: 'r', captions: true, rev: 'a', details: true, window: null });
});

test('large payloads come as bytes', () => {
  const data = { nodes: [{ id: 'θ' }] };
  assert.deepEqual(received(new TextEncoder().encode(JSON.stringify(data))), data);
  assert.equal(received(data), data);
});

test('a step is about the closed groups of the nodes it names, and hidden nodes know theirs', () => {
  const model = createModel({
    nodes: [node('w', 0), { ...node('g:L1', 100), members: 3 }],
    edges: [edge('w', 'g:L1')],
    steps: [{ focus: ['t1', 'w', 't2'] }],
    queues: [{ number: 1, from: 0, to: 2, visits: [['t1', 'Mul', 0, 0, 0, []], ['t2', 'Add', -1, -1, -1, []]] }],
    index: { groups: [['L1', 'loop', -1], ['L1/0', 'iteration 1', 0]], rows: [['w', -1, 'w', '', '', '', -1], ['t1', 1, 'y', '', '', 'mul', 4], ['t2', 0, 'z', '', '', 'add', -1]] },
  });
  assert.deepEqual(model.focusAt(0), ['g:L1', 'w']);
  assert.equal(model.hidden.get('t1').within, 'g:L1');
  assert.equal(model.groupOf.get('t1'), 'L1/0');
  model.show(0);
  assert.equal(model.node.get('g:L1').queue.state, 'running');
});
