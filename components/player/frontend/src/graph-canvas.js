/**
 * The canvas: a vis-network whose nodes and edges are drawn by our own hooks, for large graphs a canvas of our own with the same
 * hooks, and what the pointer does on it.
 */

import { Network } from 'vis-network';
import { createCanvas } from './canvas.js';
import { fontsOf } from './fonts.js';
import { restOf } from './glide.js';
import { isDimmed } from './overlay.js';
import { VERY_FAR, paintBlocks, paintHandles, paintNode } from './paint-card.js';
import { overlaps } from './paint-edge.js';
import { paintOverlayEdges, paintOverlayMarks, paintOverlayNode } from './paint-overlay.js';
import { paintBehind, paintInFront } from './paint-scene.js';
import { listenToFingers } from './touch.js';

/** Distance in pixels a press may wander and still be a click. */
const CLICK = 5;
/** How much nearer two taps bring what opens nothing. */
const NEARER = 1.8;

/** What the player depends on, whatever the options that came with the network say. */
const FORCED = {
  autoResize: false,
  width: '100%',
  height: '100%',
  physics: { enabled: false },
  layout: { hierarchical: { enabled: false }, improvedLayout: false },
  interaction: {
    dragNodes: false, dragView: true, zoomView: true, hover: false, selectable: false, multiselect: false,
    keyboard: { enabled: false }, navigationButtons: false,
  },
};

/**
 * @param {HTMLElement} element   where the canvas goes
 * @param {object} view           what to paint with: palette, fonts, selected, hovered, found, focus, focusKind, near
 * @param {object} on             painted(), picked(node id | null, edge | null, point), hovered(node | null, edge | null, point),
 *                                opened(node | null), moved(), zoomed(factor, point), framed(frame, point) on a click on its tab,
 *                                asked(node, point) what can be done with it, dragged(node, x) with Alt,
 *                                held(node, edge, point, frame) by a finger, let() by the next one
 */
export function createGraphCanvas(element, view, on) {
  let model = null;
  const small = new Network(element, { nodes: [], edges: [] }, FORCED);
  const frame = element.firstElementChild;
  frame.tabIndex = -1;
  frame.style.outline = 'none';
  const large = createCanvas(element);
  let inUse = small;
  const ask = (method) => (...given) => inUse[method](...given);
  const network = Object.fromEntries(['getScale', 'getViewPosition', 'moveTo', 'DOMtoCanvas', 'canvasToDOM', 'redraw'].map((method) => [method, ask(method)]));

  function paintUnder(ctx) {
    if (!model) return;
    view.scale = network.getScale();
    view.fonts = fontsOf(view.palette.font, view.scale);
    view.area = visibleArea();
    view.lively = paintBehind(ctx, model, view);
    if (view.overlay && !view.glide) paintOverlayEdges(ctx, model, view.overlay, view);
  }

  function paintOver(ctx) {
    if (!model) return;
    paintInFront(ctx, model, view.lively, view);
    if (view.overlay && !view.glide) paintOverlayMarks(ctx, model, view.overlay, view);
    on.painted();
  }

  function paintOne(ctx, node) {
    const move = view.glide?.moves.get(node.id);
    if (!move) return paintInPlace(ctx, node);
    const rest = restOf(view.glide, performance.now());
    ctx.save();
    ctx.translate(move[0] * rest, move[1] * rest);
    paintInPlace(ctx, node);
    ctx.restore();
  }

  function paintInPlace(ctx, node) {
    paintNode(ctx, node, view, isDimmed(view.overlay, 'nodes', node.id));
    paintHandles(ctx, node, view);
    const mark = view.overlay?.nodes.get(node.id);
    if (mark) paintOverlayNode(ctx, node, mark, view);
    if (!view.overlay) return;
    for (const row of node.rows) if (view.overlay.nodes.has(row.id)) paintOverlayNode(ctx, row, view.overlay.nodes.get(row.id), view);
  }

  small.on('beforeDrawing', paintUnder);
  small.on('afterDrawing', paintOver);
  large.on('draw', (ctx) => {
    if (!model) return;
    paintUnder(ctx);
    const seen = model.nodes.filter((node) => overlaps(node.box, view.area));
    for (const node of view.scale < VERY_FAR ? paintBlocks(ctx, seen, view) : seen) paintOne(ctx, node);
    paintOver(ctx);
  });
  for (const each of [small, large]) {
    each.on('dragStart', () => on.moved());
    each.on('zoom', () => on.moved());
  }

  const ctxRenderer = ({ ctx, id }) => {
    const node = model.node.get(id);
    return { drawNode: () => paintOne(ctx, node), nodeDimensions: { width: node.w, height: node.h } };
  };

  let pressed = null;
  const listen = new AbortController();
  const { signal } = listen;
  const fingers = listenToFingers(element, {
    begins() {
      hover(null, null, null);
      on.let();
    },
    rests: (event) => over(event, on.held),
    twice(event) {
      if (!on.opened(nodeUnder(event))) on.zoomed(NEARER, pointIn(event));
    },
  }, signal);
  element.addEventListener('pointerdown', (event) => {
    pressed = { x: event.clientX, y: event.clientY };
    const node = event.altKey && event.button === 0 ? nodeUnder(event) : null;
    if (!node) return;
    // The picture stays where it is, and the press is no click.
    pressed = null;
    event.preventDefault();
    event.stopPropagation();
    on.dragged(node, event.clientX);
  }, { signal, capture: true });
  element.addEventListener('click', (event) => {
    if (!pressed || fingers.rested() || Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y) > CLICK) return;
    const frame = frameUnder(event);
    if (frame) return on.framed(frame, pointIn(event));
    const node = nodeUnder(event);
    on.picked(node?.id ?? null, node ? null : edgeUnder(event), pointIn(event));
  }, { signal });
  element.addEventListener('contextmenu', (event) => {
    // A finger that rests shows what a pointer shows.
    if (fingers.touched()) return event.preventDefault();
    const node = nodeUnder(event);
    if (!node) return;
    event.preventDefault();
    on.asked(node, pointIn(event));
  }, { signal });
  element.addEventListener('dblclick', (event) => fingers.touched() || on.opened(nodeUnder(event)), { signal });
  element.addEventListener('pointermove', (event) => {
    if (event.buttons === 0 && event.pointerType !== 'touch') over(event);
  }, { signal });
  element.addEventListener('pointerleave', (event) => event.pointerType === 'touch' || hover(null, null, null), { signal });
  // vis-network zooms by a fixed step per wheel event, far too fast on a touchpad.
  element.addEventListener('wheel', (event) => {
    event.preventDefault();
    event.stopImmediatePropagation();
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
    const pull = Math.max(-240, Math.min(240, event.deltaY * lines)) * (event.ctrlKey ? 0.01 : 0.0018);
    on.zoomed(Math.exp(-pull), pointIn(event));
  }, { signal, capture: true, passive: false });

  /** Something points at what is here. */
  function over(event, told = () => {}) {
    const [frame, point] = [frameUnder(event), pointIn(event)];
    const node = frame ? null : nodeUnder(event);
    const edge = node || frame ? null : edgeUnder(event);
    hover(node, edge, point, frame);
    told(node, edge, point, frame);
  }

  function pointIn(event) {
    const box = element.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  function nodeUnder(event) {
    const { x, y } = network.DOMtoCanvas(pointIn(event));
    return model?.nodeAt(x, y) ?? null;
  }

  function frameUnder(event) {
    const { x, y } = network.DOMtoCanvas(pointIn(event));
    return model?.frameAt(x, y) ?? null;
  }

  function edgeUnder(event) {
    const { x, y } = network.DOMtoCanvas(pointIn(event));
    return model?.edgeAt(x, y, Math.max(5, 6 / network.getScale())) ?? null;
  }

  function hover(node, edge, point, frame = null) {
    on.hovered(node, edge, point, frame);
    const id = node?.id ?? null;
    if (view.hovered === id && view.hoveredFrame === frame) return;
    view.hovered = id;
    view.hoveredFrame = frame;
    element.style.cursor = id === null && frame === null ? '' : 'pointer';
    network.redraw();
  }

  function onScreen(atX, atY) {
    const box = element.getBoundingClientRect();
    const { x, y } = network.canvasToDOM({ x: atX, y: atY });
    return { x: box.left + x, y: box.top + y };
  }

  function visibleArea() {
    const from = network.DOMtoCanvas({ x: 0, y: 0 });
    const to = network.DOMtoCanvas({ x: element.clientWidth, y: element.clientHeight });
    return { left: from.x, top: from.y, right: to.x, bottom: to.y };
  }

  return {
    network,

    /**
     * Replace the graph. Only ids and positions reach vis-network: labels and titles are ours to draw, as plain text.
     *
     * @param {object} nextModel
     * @param {import('./protocol').VisNetwork | null} given   null for so large a graph that it goes on a canvas of our own
     */
    setGraph(nextModel, given) {
      // Options redraw at once, so nothing of the graph before may still be there.
      small.setData({ nodes: [], edges: [] });
      model = nextModel;
      inUse = given ? small : large;
      large.show(!given);
      frame.hidden = !given;
      if (!given) return;
      small.setOptions(merged(given.options, FORCED));
      const nodes = given.nodes.filter(({ id }) => model.node.has(id)).map(({ id, x, y, shape, physics }) => {
        const { w, h } = model.node.get(id);
        return { id, x, y, shape, physics, ctxRenderer, size: Math.max(w, h) / 2 + 12 };
      });
      const links = given.edges.filter(({ from, to }) => model.node.has(from) && model.node.has(to));
      small.setData({ nodes, edges: links.map(({ id, from, to }) => ({ id, from, to, hidden: true, smooth: false })) });
    },

    /** Paint now, not in the next frame: a step is measured and seen at once. */
    paint: () => network.redraw(),

    /** Edges that touch a node. */
    edgesOf: (id) => (id === null || !model ? [] : model.edges.filter(({ from, to }) => from === id || to === id).map((edge) => edge.id)),

    /** Middle of a node in page coordinates. */
    screen(id) {
      const node = model?.node.get(id);
      return node ? onScreen(node.x, node.y) : null;
    },

    /** A point of the picture in page coordinates. */
    onScreen,

    destroy() {
      listen.abort();
      small.destroy();
      large.destroy();
      // What still comes (an answer that was on its way, letters that are loaded) finds one that draws nothing; vis-network would fail.
      inUse = large;
    },
  };
}

/** Options as given with `forced` laid over them; parts that would build their own HTML are left out. */
function merged(options, forced) {
  const { configure, manipulation, groups, ...rest } = options;
  const result = { ...rest, ...forced };
  for (const part of ['interaction', 'layout', 'physics']) {
    const given = typeof rest[part] === 'object' ? rest[part] : {};
    result[part] = { ...given, ...forced[part] };
  }
  result.edges = { ...(rest.edges ?? {}), smooth: false, physics: false };
  return result;
}
