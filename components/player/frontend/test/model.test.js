import assert from 'node:assert/strict';
import { test } from 'node:test';
import { iterationsText, matches, readQuery } from '../src/query.js';
import { factAt, indexAt } from '../src/history.js';
import { createModel } from '../src/model.js';

const payload = () => ({
  rev: 'a',
  direction: 'LR',
  nodes: [
    { id: 'x', x: 0, y: 0, w: 100, h: 80, shape: 'card', tone: 'leaf', title: 'x', badge: 'leaf', sub: 'float32 [1] · line 3', born: 0,
      history: [[0, { value: '1', state: '' }], [4, { value: '1', grad: '42', state: 'written' }]] },
    { id: 'y', x: 300, y: 0, w: 100, h: 80, shape: 'card', tone: 'result', title: 'y', badge: 'MulBackward0', sub: 'float32 [1] · line 13', born: 2,
      history: [[2, { value: '9', state: '' }]] },
  ],
  edges: [
    { id: 'a', from: 'x', to: 'y', route: [[50, 0], [250, 0]], kind: 'data', born: 2, history: [[3, { active: true, norm: 4 }], [4, { active: false }]] },
    { id: 'b', from: 'x', to: 'y', route: [[50, 0], [250, 0]], kind: 'data', born: 2, history: [] },
    { id: 'stray', from: 'x', to: 'gone', route: [], born: 0 },
  ],
  steps: [{}, {}, {}, {}, {}],
});

test('the fact in force is the last one at or before the step', () => {
  const history = [[2, 'a'], [5, 'b'], [9, 'c']];
  assert.deepEqual([1, 2, 4, 5, 8, 9, 100].map((step) => indexAt(history, step)), [-1, 0, 0, 1, 1, 2, 2]);
  assert.equal(factAt(history, 0, 'none'), 'none');
  assert.equal(factAt([], 3, 'none'), 'none');
});

test('showing a step puts faces on and leaves the unborn as ghosts', () => {
  const model = createModel(payload());
  model.show(1);
  assert.equal(model.node.get('y').ghost, true);
  model.show(3);
  assert.equal(model.node.get('y').ghost, false);
  assert.equal(model.edges[0].face.active, true);
  model.show(4);
  assert.equal(model.node.get('x').face.grad, '42');
  assert.equal(model.edges[0].face.active, false);
});

test('going backwards shows the same as going there directly', () => {
  const [there, back] = [createModel(payload()), createModel(payload())];
  there.show(2);
  for (const step of [4, 3, 2]) back.show(step);
  assert.deepEqual(back.nodes, there.nodes);
  assert.deepEqual(back.edges, there.edges);
});

test('edges to nodes that do not exist are left out and twins lie apart', () => {
  const { edges } = createModel(payload());
  assert.deepEqual(edges.map((edge) => edge.id), ['a', 'b']);
  assert.notEqual(edges[0].route[0][1], edges[1].route[0][1]);
});

test('the node under a point is found, and nothing beside it', () => {
  const model = createModel(payload());
  assert.equal(model.nodeAt(49, 39).id, 'x');
  assert.equal(model.nodeAt(60, 0), null);
});

test('a payload without anything is an empty model', () => {
  const model = createModel({});
  assert.equal(model.bounds, null);
  assert.equal(model.last, 0);
});

test('finding goes by name, operation and line; a number is a whole line number', () => {
  const { nodes } = createModel(payload());
  const ids = (text) => matches(nodes, text).map((node) => node.id);
  assert.deepEqual(ids('mulback'), ['y']);
  assert.deepEqual(ids('line 3'), ['x']);
  assert.deepEqual(ids('3'), ['x']);
  assert.deepEqual(ids('float32'), ['x', 'y']);
  assert.deepEqual(ids('   '), []);
  assert.deepEqual(ids('(.*'), []);
});

test('an edge that comes to a group from the right or leaves it there begins and ends beside the cards that peep out behind it', () => {
  const nodes = [
    { id: 'g:a', x: 0, y: 0, w: 100, h: 80, members: 4 },
    { id: 'b', x: 300, y: 0, w: 100, h: 80 },
  ];
  const edges = [
    { id: 'out', from: 'g:a', to: 'b', route: [[50, 0], [250, 0]] },
    { id: 'back', from: 'b', to: 'g:a', route: [[250, 0], [50, 0]] },
  ];
  const [out, back] = createModel({ nodes, edges }).edges.map(({ curve }) => curve.pieces);
  assert.deepEqual([out[0][0], out.at(-1)[3]], [[58, 0], [250, 0]]);
  assert.deepEqual(back.at(-1)[3], [58, 0]);
});

test('a query names an iteration by the word, or by a number behind a word where the run has so many', () => {
  const read = (text, total = 200) => Object.values(readQuery(text, total));
  assert.deepEqual(read('loss iteration 137'), [137, 'loss  ']);
  assert.deepEqual(read('iteration 137'), [137, ' ']);
  assert.deepEqual(read('fc1.weight 137'), [137, 'fc1.weight']);
  assert.deepEqual(read('fc1.weight 300'), [null, 'fc1.weight 300'], 'there are only 200');
  assert.deepEqual(read('line 37'), [null, 'line 37']);
  assert.deepEqual(read('37'), [null, '37'], 'a number alone is a line or a name');
  assert.deepEqual(read('loss 137', 0), [null, 'loss 137'], 'a run without iterations has none');
});

test('iterations are said in words', () => {
  assert.equal(iterationsText(null, 200), 'all 200 iterations');
  assert.equal(iterationsText([[137, 137]], 200), 'iteration 137');
  assert.equal(iterationsText([[3, 9]], 200), 'iterations 3–9');
  assert.equal(iterationsText([[0, 0], [4, 5], [8, 8], [12, 12]], 200), '5 of 200 iterations: 0, 4–5, 8, …');
});
