import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';

import { createCamera } from '../src/camera.js';
import { READABLE } from '../src/fonts.js';
import { createLoading } from '../src/loading.js';
import { createSeeking } from '../src/seeking.js';
import { createSelection } from '../src/selection.js';
import { createState } from '../src/state.js';
import { createStore } from '../src/store.js';
import { createViewport } from '../src/viewport.js';
import { rolledRun } from './rolled-run.mjs';

const LAST = 2;
/** A graph as a row of cards; the steps are about the first, the middle and the last of them, and Python has the first selected. */
const row = (cards) => ({
  rev: `row of ${cards}`,
  nodes: Array.from({ length: cards }, (_, at) => ({ id: `t${at}`, x: at * 150, y: 0, w: 120, h: 80, title: `t${at}`, born: 0, history: [] })),
  steps: Array.from({ length: LAST + 1 }, (_, at) => ({ cell: 0, phase: 0, focus: [`t${[0, Math.floor(cards / 2), cards - 1][at]}`] })),
  segments: [{ from: 0, to: LAST, kind: 'forward' }],
  cmd: { n: 1, step: null, select: 't0' },
});
const SMALL = row(5);
const LONG = row(20);

/** As much of vis-network as has a will of its own: it fits a new graph, and changes the zoom along with the size. */
function fakeNetwork(element) {
  const view = { x: 0, y: 0, scale: 1 };
  let width = 0;
  return {
    setGraph({ bounds }) {
      const scale = element.clientWidth / (1.1 * (bounds.right - bounds.left)) || 1;
      Object.assign(view, { x: (bounds.left + bounds.right) / 2, y: 0, scale });
    },
    redraw() {
      if (width > 0) view.scale *= element.clientWidth / width;
      width = element.clientWidth;
    },
    moveTo({ position, scale = view.scale }) {
      Object.assign(view, position, { scale });
    },
    getScale: () => view.scale,
    getViewPosition: () => ({ x: view.x, y: view.y }),
    DOMtoCanvas: ({ x, y }) => ({ x: view.x + (x - element.clientWidth / 2) / view.scale, y: view.y + (y - element.clientHeight / 2) / view.scale }),
  };
}

/** Whatever a part is asked for, it does nothing. */
const quiet = (more = {}) => new Proxy(more, { get: (part, name) => (name in part ? part[name] : () => {}) });
const element = () => ({ dataset: {}, classList: { toggle() {} }, isConnected: true, setAttribute() {}, toggleAttribute() {} });
const open = [];

/** A player in a page that has no room for it yet. */
function player() {
  let sized = null;
  Object.assign(globalThis, {
    window: new EventTarget(),
    document: {},
    matchMedia: () => ({ matches: true }),
    ResizeObserver: class {
      constructor(told) {
        sized = told;
      }

      observe() {}

      disconnect() {}
    },
  });
  const state = createState(createStore());
  const canvas = { ...element(), clientWidth: 0, clientHeight: 0 };
  const elements = { root: element(), area: element(), under: element(), notice: { textContent: '' }, canvas };
  const network = fakeNetwork(canvas);
  const shown = () => quiet({ element: element() });
  const parts = {
    more: quiet(), reporter: quiet(), playback: quiet({ speed: 1 }), timeline: shown(), queueBar: shown(), debugPanel: shown(), minimap: shown(),
    caption: quiet(), tooltip: quiet(), times: quiet(), links: quiet(), legend: quiet(), toolbar: quiet(), folds: quiet(), choices: quiet(), find: quiet(), breakpoints: quiet(),
    iterations: quiet(), glide: quiet(), looks: quiet(), film: quiet(), focus: { distance: '' }, navigation: quiet({ breakpoints: { lines: [], tensors: [] } }),
    graphCanvas: {
      network, setGraph: network.setGraph, edgesOf: () => [],
      paint() {
        network.redraw();
        parts.viewport.painted();
      },
    },
  };
  parts.camera = createCamera(network, canvas, () => state.model);
  parts.viewport = createViewport(state, parts, elements);
  parts.seeking = createSeeking(state, parts, elements);
  parts.selection = createSelection(state, parts, elements);
  parts.loading = createLoading(state, parts, elements);
  const made = {
    ...parts,
    size(width, height) {
      Object.assign(canvas, { clientWidth: width, clientHeight: height });
      sized();
      return made;
    },
    take(payload) {
      parts.loading.take(structuredClone(payload));
      return made;
    },
    /** The user changes the window, and the canvas with it. */
    resize(width, height) {
      Object.assign(window, { innerWidth: 2 * width, innerHeight: height });
      return made.size(width, height);
    },
    view: () => parts.camera.state(),
  };
  open.push(parts.viewport);
  return made;
}

afterEach(() => open.splice(0).forEach((each) => each.destroy()));

const near = (a, b) => assert.ok(Math.abs(a - b) < 1e-9, `${a} is ${b}`);

function same(a, b) {
  near(a.scale, b.scale);
  near(a.position.x, b.position.x);
  near(a.position.y, b.position.y);
}

test('a graph that comes with a node to select is fitted all the same, as soon as there is room', () => {
  const { view } = player().take(SMALL).size(666, 666);
  near(view().scale, (666 - 28) / (4 * 150 + 120));
  near(view().position.x, 300);
});

test('what cannot be read as a whole opens readable, at its beginning, with as many cards as there is room for', () => {
  const { view, camera } = player().take(LONG).size(666, 666);
  const { scale, position } = view();
  assert.ok(scale >= READABLE && scale < 0.8);
  assert.equal(camera.mode, 'focus');
  const left = position.x - 333 / scale;
  assert.ok(left < -50 && left > -150, 'from the left of the first card on');
});

test('nor does one that would have text below 11 pixels', () => {
  assert.equal(player().take(row(9)).size(666, 666).view().mode, 'focus');
});

function opensAlike(graph) {
  for (const [width, height] of [[666, 666], [470, 520], [440, 600], [1200, 300]]) {
    const straight = player().take(graph).size(width, height).view();
    for (const before of [[width, height - 5], [width - 40, height], [width + 40, height + 5]]) {
      same(player().take(graph).size(...before).size(width, height).view(), straight);
    }
    same(player().size(width, height).take(graph).view(), straight);
  }
}

test('the first view is that of the size that the graph gets, whatever sizes it had before', () => {
  opensAlike(SMALL);
});

test('and so it is of a graph that cannot be read as a whole', () => {
  opensAlike(LONG);
});

test('a run that was rolled and is not any more is looked at anew, not where something else was', () => {
  const { view, direction } = rolledRun();
  const made = player().take(rolledRun()).size(666, 666);
  made.camera.zoomBy(3, { x: 600, y: 600 });
  made.viewport.paint();
  made.take({ ...LONG, view, direction, keep: { run: 'before', step: 0, selected: 't0' } });
  const { scale, position } = made.view();
  assert.ok(scale >= READABLE && scale < 0.8);
  assert.ok(Math.abs(position.x - 333 / scale) < 150, `the first card is in view, not ${position.x}`);
});

test('of two graphs that come before there is room, only the last is looked at', () => {
  same(player().take(LONG).take({ ...SMALL, cmd: { ...SMALL.cmd, n: 2 } }).size(666, 666).view(), player().take(SMALL).size(666, 666).view());
});

test('in a window of another size everything stays in view, readable or not, and what was not all in view stays as it was', () => {
  const small = player().take(SMALL).size(666, 666).resize(400, 500);
  near(small.view().scale, (400 - 28) / (4 * 150 + 120));
  const long = player().take(LONG).size(666, 666);
  const before = long.view();
  same(long.resize(400, 500).view(), before);
  same(long.resize(666, 666).view(), before);
});

test('after a step the view of a long graph stays when the size changes, the zoom as well', () => {
  const { seeking, size, view } = player().take(LONG).size(666, 666);
  seeking.goTo(1);
  const before = view();
  size(666, 500);
  same(view(), before);
});

test('a view that the user has moved stays', () => {
  const { camera, size, view } = player().take(SMALL).size(666, 666);
  camera.zoomBy(2);
  const before = view();
  size(700, 700);
  same(view(), before);
});

test('everything is in view as long as the user wants that, readable or not', () => {
  const { viewport, camera, size, view } = player().take(LONG).size(666, 666);
  viewport.fitAll();
  size(500, 666);
  near(view().scale, (500 - 28) / (19 * 150 + 120));
  assert.equal(camera.mode, 'fit');
});

test('whether the view follows the step is not changed by its size', () => {
  const { viewport, camera, size } = player().take(SMALL).size(666, 666);
  viewport.toggleFollow();
  size(700, 700);
  assert.equal(camera.following, false);
});

test('a rolled run whose structure came first is looked at like one that came whole, whatever is selected in it', () => {
  const rolled = { main: 'l', on: true, loops: [{ id: 'l', kind: 'time', starts: [0], ends: [LAST] }] };
  const whole = { ...LONG, rolled };
  const { steps, cmd, ...structure } = whole;
  const first = player().size(666, 666).take(whole).view();
  const sketched = player().size(666, 666).take({ ...structure, total: steps.length, focus: steps.at(-1).focus });
  same(sketched.take(whole).view(), first);
});

test('captions that come later are put into the steps on show, whatever steps come with them', () => {
  const shown = [];
  const made = player();
  made.caption.show = (parts) => shown.push(parts);
  made.take(SMALL).take({ ...SMALL, captions_from: LAST, captions: [[['late', 'plain']]] });
  assert.deepEqual(shown.at(-1), [['late', 'plain']]);
});
