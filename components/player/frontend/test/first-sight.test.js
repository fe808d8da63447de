import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createCamera } from '../src/camera.js';
import { READABLE, fontsOf } from '../src/fonts.js';
import { createModel } from '../src/model.js';
import { beyond } from '../src/more.js';
import { createViewport } from '../src/viewport.js';
import { rolledRun } from './rolled-run.mjs';

globalThis.matchMedia ??= () => ({ matches: true });

/** A view without animations. */
function network(element) {
  const view = { x: 0, y: 0, scale: 1 };
  return {
    moveTo: ({ position, scale = view.scale }) => Object.assign(view, position, { scale }),
    getScale: () => view.scale,
    getViewPosition: () => ({ x: view.x, y: view.y }),
    DOMtoCanvas: ({ x, y }) => ({ x: view.x + (x - element.clientWidth / 2) / view.scale, y: view.y + (y - element.clientHeight / 2) / view.scale }),
    canvasToDOM: ({ x, y }) => ({ x: (x - view.x) * view.scale + element.clientWidth / 2, y: (y - view.y) * view.scale + element.clientHeight / 2 }),
  };
}

function sight(model, clientWidth, clientHeight) {
  const element = { clientWidth, clientHeight };
  const at = network(element);
  const camera = createCamera(at, element, () => model);
  const [from, to] = [() => at.DOMtoCanvas({ x: 0, y: 0 }), () => at.DOMtoCanvas({ x: clientWidth, y: clientHeight })];
  return { camera, network: at, area: () => ({ left: from().x, top: from().y, right: to().x, bottom: to().y }) };
}

const inView = (model, area) => model.nodes.filter(({ box }) => box.left >= area.left && box.right <= area.right && box.top >= area.top && box.bottom <= area.bottom);
const SIZES = [[666, 535], [470, 420], [1000, 700], [320, 300], [1600, 900]];

test('at first sight every card is readable and in view, or counted at an edge, or cut by one', () => {
  const model = createModel(rolledRun());
  for (const [width, height] of SIZES) {
    const { camera, area } = sight(model, width, height);
    camera.fit([]);
    const seen = area();
    const scale = camera.scale();
    assert.ok(scale >= READABLE, `${scale} in ${width} × ${height}`);
    for (const name of ['title', 'small', 'row', 'strong', 'pill', 'name']) assert.ok(fontsOf('serif', scale)[name].size * scale >= 11);
    const cut = model.nodes.filter(({ box }) => !inView(model, seen).some((node) => node.box === box)).length;
    const { left, right, top, bottom } = beyond(model.nodes, seen);
    assert.ok(left + right + top + bottom <= cut);
    assert.ok(inView(model, seen).length > 0);
  }
});

test('the main loop is in view as a whole where all of the picture is not', () => {
  const model = createModel(rolledRun());
  const main = model.frames.find(({ loop }) => loop === model.rolled.main);
  model.nodes.push({ ...model.nodes[0], id: 'far', box: { left: main.box.left - 9000, right: main.box.left - 8900, top: 0, bottom: 80 } });
  model.bounds = { ...model.bounds, left: main.box.left - 9000 };
  const { camera, area } = sight(model, 1600, 900);
  camera.fit([]);
  const seen = area();
  const inside = model.nodes.filter(({ x, y, id }) => id !== 'far' && x > main.box.left && x < main.box.right && y > main.box.top && y < main.box.bottom);
  assert.ok(inside.length > 3);
  for (const { box } of inside) assert.ok(box.left > seen.left && box.right < seen.right && box.top > seen.top && box.bottom < seen.bottom);
  assert.equal(beyond(model.nodes, seen).left, 1);
});

test('a run that is longer than the view, but no wider, is opened at its width and from its top', () => {
  const model = createModel(rolledRun());
  const { left, top, right } = model.bounds;
  const main = model.frames.find(({ loop }) => loop === model.rolled.main);
  for (const box of [main.box, main.around, model.bounds]) box.bottom = top + 9000;
  model.nodes.push({ ...model.nodes[0], id: 'below', box: { ...model.nodes[0].box, left: main.box.left, right: main.box.left + 100, top: top + 8800, bottom: top + 8900 } });
  const width = Math.round((right - left) * 0.7) + 28;
  const { camera, area } = sight(model, width, 500);
  camera.fit([]);
  const seen = area();
  assert.ok(Math.abs(camera.scale() - 0.7) < 0.01, `${camera.scale()}`);
  assert.ok(seen.left <= left && seen.right >= right && seen.top <= top);
});

test('the first sight of a run depends on nothing but the run and the size', () => {
  const views = [createModel(rolledRun()), createModel(rolledRun())].map((model, again) => {
    const { camera, network: at } = sight(model, 666, 535);
    if (again) {
      camera.zoomBy(3);
      camera.fit([model.nodes.at(-1)]);
      camera.follow([model.nodes.at(-1)], false);
    }
    camera.fit([]);
    return { ...at.getViewPosition(), scale: at.getScale() };
  });
  assert.deepEqual(views[0], views[1]);
});

const card = (id, x) => ({ id, x, y: 0, w: 100, h: 60, title: id, born: 0, history: [] });
const index = { groups: [['a', 'a', -1]], rows: [['t1', 0, 't1', '', '', '', -1], ['t2', 0, 't2', '', '', '', -1], ['t3', -1, 't3', '', '', '', -1]] };
const picture = (nodes, opened) => createModel({ rev: 'r', nodes, edges: [], steps: [], segments: [], index, fold: { any: true, opened } });

test('a group that is opened or closed leaves its card where it was, also where all was in view', () => {
  globalThis.ResizeObserver ??= class {
    observe() {}

    disconnect() {}
  };
  globalThis.document ??= {};
  const closed = picture([{ ...card('g:a', 50), members: 2 }, card('t3', 300)], []);
  const open = picture([card('t1', 400), card('t2', 550), card('t3', 900)], [{ id: 'a', title: 'a' }]);
  const state = { model: closed, memory: {}, view: { selected: null } };
  const { network: at } = sight(null, 600, 400);
  const own = createCamera(at, { clientWidth: 600, clientHeight: 400 }, () => state.model);
  const parts = { camera: own, graphCanvas: { network: at } };
  const viewport = createViewport(state, parts, { root: { dataset: {} }, area: {}, canvas: { clientWidth: 600, clientHeight: 400 } });
  own.fit([]);
  for (const [before, after] of [[['g:a', closed], ['t1', open]], [['t1', open], ['g:a', closed]]]) {
    state.model = before[1];
    const place = at.canvasToDOM({ x: before[1].node.get(before[0]).box.left, y: 0 });
    state.memory.anchor = viewport.anchorOf('g:a');
    const view = own.state();
    state.model = after[1];
    viewport.hold(view);
    const now = at.canvasToDOM({ x: after[1].node.get(after[0]).box.left, y: 0 });
    assert.ok(Math.hypot(now.x - place.x, now.y - place.y) < 1e-9);
    assert.equal(own.scale(), view.scale);
  }
  viewport.destroy();
});
