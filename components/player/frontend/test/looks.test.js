import assert from 'node:assert/strict';
import { beforeEach, mock, test } from 'node:test';
import { createLooks, moved } from '../src/looks.js';

const camera = (more = {}) => ({ position: { x: 0, y: 0 }, scale: 1, mode: 'free', following: false, ...more });

/** A picture with two nodes and a group, and a user who looks at it. */
function looking() {
  const said = [];
  const asked = [];
  const state = {
    model: { picture: 'run|tensors', sketch: false, fold: { opened: [] }, stand: (id) => id },
    view: { selected: null },
  };
  let seen = camera({ mode: 'fit', following: true });
  const parts = {
    camera: { state: () => seen, restore: (next) => { seen = next; } },
    viewport: { hasRoom: () => true, paint: () => {} },
    selection: { select: (id) => { state.view.selected = id; } },
    folds: { set: (ids) => asked.push(ids) },
    seeking: { say: (text) => said.push(text) },
  };
  const looks = createLooks(state, parts);
  const rest = () => {
    looks.note();
    mock.timers.tick(1000);
  };
  const look = (at) => {
    seen = at;
    rest();
  };
  const select = (id) => {
    state.view.selected = id;
    rest();
  };
  rest();
  return { state, looks, said, asked, select, look, rest, camera: () => seen };
}

beforeEach(() => {
  mock.timers.reset();
  mock.timers.enable({ apis: ['setTimeout'] });
});

test('what was selected is gone back to, and on again', () => {
  const { state, looks, said, select } = looking();
  select('x');
  select('y');
  looks.back();
  assert.equal(state.view.selected, 'x');
  looks.back();
  assert.equal(state.view.selected, null);
  looks.back();
  assert.deepEqual(said, ['There is nothing to go back to.']);
  looks.on();
  looks.on();
  assert.equal(state.view.selected, 'y');
  looks.on();
  assert.equal(said.at(-1), 'There is nothing to go on to.');
});

test('what is done after going back is where one goes on', () => {
  const { state, looks, said, select } = looking();
  select('x');
  looks.back();
  select('y');
  looks.on();
  assert.equal(said.length, 1);
  looks.back();
  assert.equal(state.view.selected, null);
});

test('the view comes back where it was in hand; one drag is one, however many steps it has', () => {
  const { looks, look, camera: seen } = looking();
  const before = seen();
  for (const x of [20, 40, 60]) {
    looks.note();
    mock.timers.tick(x);
  }
  look(camera({ position: { x: 300, y: 0 } }));
  look(camera({ position: { x: 300, y: 0 }, scale: 2 }));
  looks.back();
  assert.equal(seen().scale, 1);
  assert.equal(seen().position.x, 300);
  looks.back();
  assert.deepEqual(seen(), before);
});

test('a view that follows the step is not gone back to by itself', () => {
  const { looks, look, said } = looking();
  look(camera({ following: true, position: { x: 900, y: 0 } }));
  looks.back();
  assert.equal(said.length, 1);
  assert.equal(moved({ camera: camera() }, { camera: camera({ scale: 1.01 }) }), false);
});

test('a view that went along with the step comes back as it was last', () => {
  const { state, looks, look, select, camera: seen } = looking();
  look(camera({ following: true, position: { x: 900, y: 0 } }));
  select('x');
  look(camera({ following: true, position: { x: 2000, y: 0 } }));
  looks.back();
  assert.equal(state.view.selected, null);
  assert.equal(seen().position.x, 900);
});

test('groups are asked for, and the rest follows when they are there', () => {
  const { state, looks, asked, select, rest, camera: seen } = looking();
  const before = seen();
  state.model = { ...state.model, fold: { opened: [{ id: 'a' }] } };
  rest();
  select('x');
  looks.back();
  assert.equal(state.view.selected, null);
  assert.deepEqual(asked, []);
  looks.back();
  assert.deepEqual(asked, [[]]);
  looks.note();
  mock.timers.tick(1000);
  state.model = { ...state.model, fold: { opened: [] } };
  looks.loaded();
  assert.deepEqual(seen(), before);
  looks.on();
  assert.deepEqual(asked, [[], ['a']]);
});

test('two nodes that are selected at once are two, and the way of the view to one is none', () => {
  const { state, looks, look, camera: seen } = looking();
  look(camera());
  state.view.selected = 'x';
  looks.note();
  look(camera({ position: { x: 500, y: 0 } }));
  state.view.selected = 'y';
  looks.note();
  looks.back();
  assert.equal(state.view.selected, 'x');
  assert.equal(seen().position.x, 500);
  looks.back();
  assert.equal(state.view.selected, null);
});

test('another picture has its own', () => {
  const { state, looks, said, select, rest } = looking();
  select('x');
  state.model = { ...state.model, picture: 'other|tensors' };
  rest();
  looks.back();
  assert.equal(said.length, 1);
  state.model = { ...state.model, picture: 'run|tensors' };
  rest();
  looks.back();
  assert.equal(state.view.selected, null);
});
