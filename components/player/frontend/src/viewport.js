/** What is seen of the graph: it is painted as soon as there is room, and its position is kept when the room or the picture changes. */

import { focusNodes, selectedNode, soughtNodes } from './state.js';

const LEGEND_MS = 120;
/** What the tools take of the upper edge in pixels: as they float, in a rolled run, and in the row above it (player.css). */
const ABOVE = { usual: 50, rolled: 44, beside: 14 };
/** Where they fit beside the loops. */
const BESIDE = 1080;

/**
 * @param {import('./state.js').State} state
 * @param {object} parts   camera, graphCanvas, legend, minimap, more, toolbar
 * @param {{root: HTMLElement, area: HTMLElement, canvas: HTMLElement}} elements
 */
export function createViewport(state, parts, { root, area, canvas }) {
  let size = { width: 0, height: 0 };
  let waiting = []; // what to do as soon as there is room, in this order
  let openedIn = ''; // the size that the window had when the graph on show was opened
  let legendTimer = null;

  const viewport = {
    hasRoom: () => size.width > 0,

    /** What stands over the picture leaves it as much room as it needs. */
    arrange() {
      const rolled = Boolean(state.model.rolled?.on);
      // The strip below is also where open groups are named; over the picture their names would cover cards.
      const crowded = rolled || state.model.fold.opened.length > 0 || state.model.away.size > 0 || (size.width > 0 && !parts.camera.fits());
      if (crowded) root.dataset.crowded = '';
      else delete root.dataset.crowded;
      state.view.above = rolled && canvas.clientWidth >= BESIDE ? ABOVE.beside : rolled ? ABOVE.rolled : ABOVE.usual;
    },

    paint() {
      if (size.width > 0) parts.graphCanvas.paint();
    },

    /** A graph was put in place: this is how it is looked at first, and nothing that was wanted of the one before. */
    look(action) {
      waiting = [];
      openedIn = windowSize();
      viewport.whenSized(action);
    },

    whenSized(action) {
      if (size.width === 0) waiting.push(action);
      else action();
    },

    /** The canvas was painted: what stands around it follows. */
    painted() {
      if (!root.dataset.ready && size.width > 0) root.dataset.ready = 'true';
      parts.toolbar.showFollowing(parts.camera.following);
      const crowded = root.dataset.crowded !== undefined;
      const { area: seen, scale, palette, above } = state.view;
      parts.minimap.update(state.model, seen, palette, crowded ? { scale, above, untouched: parts.camera.following } : null);
      if (seen) {
        const taken = parts.more.update(state.model, seen, scale, { above, crowded, clear: parts.minimap.place });
        root.style.setProperty('--p-notes', `${taken}px`);
      }
      area.classList.toggle('mapped', !parts.minimap.element.hidden);
      if (root.offsetParent !== null && waiting.length === 0 && size.width > 0) state.memory.camera = parts.camera.state();
      clearTimeout(legendTimer);
      legendTimer = setTimeout(viewport.updateLegend, LEGEND_MS);
      parts.looks.note();
    },

    updateLegend() {
      if (state.view.area) parts.legend.update(state.model, state.view.area);
    },

    /** The step has changed: go with it, and paint. */
    follow(animate) {
      if (size.width === 0) return;
      parts.camera.leave();
      parts.camera.follow(focusNodes(state), animate);
      parts.graphCanvas.paint();
      viewport.updateLegend();
    },

    fitAll: () => parts.camera.fit(soughtNodes(state), { whole: true, animate: true }),

    toggleFollow() {
      const { camera, toolbar } = parts;
      camera.following = !camera.following;
      if (camera.following) camera.follow(focusNodes(state), true);
      toolbar.showFollowing(camera.following);
    },

    /** Bring a node into view. A graph that is still to be seen for the first time is seen there at once. */
    bringIntoView(id) {
      const animate = viewport.hasRoom();
      viewport.whenSized(() => parts.camera.bring(id, animate));
    },

    /** Make sure these nodes are in view. */
    reveal(ids) {
      const nodes = [...ids].map((id) => state.model.node.get(id));
      if (nodes.length > 0) viewport.whenSized(() => parts.camera.reveal(nodes));
    },

    /** Where on the screen is what a fold is about to change? */
    anchorOf(id) {
      const { model, view } = state;
      // What is about to be closed has no card yet: its first one stands for it.
      const own = model.node.get(model.stand(id ?? '') ?? '');
      const inside = own || !id ? null : firstOf(model, id);
      const node = own ?? inside ?? model.node.get(view.selected ?? '');
      if (!node) return null;
      const { x, y } = parts.graphCanvas.network.canvasToDOM({ x: node.box.left, y: node.y });
      return { id: inside ? id : node.id, x, y };
    },

    /** The picture was folded otherwise: what was opened or closed stays where it is, and with it the view. */
    hold(before) {
      const { camera } = parts;
      const { model, memory } = state;
      const { anchor } = memory;
      memory.anchor = null;
      if (!before) return camera.fit(soughtNodes(state));
      const there = anchor && (model.node.get(model.stand(anchor.id)) ?? firstOf(model, anchor.id) ?? selectedNode(state));
      if (!there) {
        if (before.mode !== 'free') return camera.fit(soughtNodes(state));
        // Nothing says what is to stay: what was in the middle, as far as there still is something.
        return camera.hold(before.position, { x: canvas.clientWidth / 2, y: canvas.clientHeight / 2 }, before);
      }
      camera.hold({ x: there.box.left, y: there.y }, anchor, before);
    },

    destroy() {
      sizes.disconnect();
      clearTimeout(legendTimer);
    },
  };

  const sizes = new ResizeObserver(() => resized());
  sizes.observe(canvas);
  document.fonts?.ready.then(() => {
    if (root.isConnected) parts.graphCanvas.paint();
  });

  /**
   * Keep the view, or fit again; vis-network would change the zoom along with the size. While the page is put together the size
   * changes once or not at all, as it happens: as long as the window is the same, the graph is opened anew in the size it gets.
   */
  function resized() {
    const { camera, graphCanvas } = parts;
    const width = canvas.clientWidth;
    const height = canvas.clientHeight;
    if (width === 0 || height === 0 || (width === size.width && height === size.height)) return;
    const opening = size.width === 0;
    const before = opening ? null : camera.state();
    size = { width, height };
    viewport.arrange();
    graphCanvas.paint();
    for (const action of waiting.splice(0)) action();
    if (!opening && !camera.refit(soughtNodes(state), { anew: windowSize() === openedIn })) camera.restore(before);
    graphCanvas.paint();
    viewport.updateLegend();
  }

  return viewport;
}

/** Of what was in a group's card, what is read first, from whichever side its row is read. */
function firstOf(model, key) {
  const inside = (id) => {
    let group = id.startsWith('g:') ? model.groups.get(id.slice(2))?.above : model.groupOf.get(id);
    while (group && `g:${group}` !== key) group = model.groups.get(group)?.above;
    return Boolean(group);
  };
  return model.nodes.find(({ id }) => inside(id) || id.startsWith(`${key}/`)) ?? null;
}

const windowSize = () => `${window.innerWidth} × ${window.innerHeight}`;
