/** What is seen of the graph: it is painted as soon as there is room, and its place is kept when the room or the picture changes. */

import { focusNodes, selectedNode } from './state.js';
import { forgetText } from './text.js';

const LEGEND_MS = 120;
/** Nodes up to which a picture that is folded otherwise is fitted whole. */
const WHOLE = 60;

/**
 * @param {import('./state.js').State} state
 * @param {object} parts   camera, graphCanvas, legend, minimap, toolbar
 * @param {{root: HTMLElement, area: HTMLElement, canvas: HTMLElement}} elements
 */
export function createViewport(state, parts, { root, area, canvas }) {
  let size = { width: 0, height: 0 };
  let waiting = null; // what to do as soon as there is room
  let legendTimer = null;

  const viewport = {
    hasRoom: () => size.width > 0,

    paint() {
      if (size.width > 0) parts.graphCanvas.paint();
    },

    whenSized(action) {
      if (size.width === 0) waiting = action;
      else action();
    },

    /** The canvas was painted: what stands around it follows. */
    painted() {
      if (!root.dataset.ready && size.width > 0) root.dataset.ready = 'true';
      parts.toolbar.showFollowing(parts.camera.following);
      parts.minimap.update(state.model, state.view.area, state.view.palette);
      area.classList.toggle('mapped', !parts.minimap.element.hidden);
      if (root.offsetParent !== null && waiting === null && size.width > 0) state.memory.camera = parts.camera.state();
      clearTimeout(legendTimer);
      legendTimer = setTimeout(viewport.updateLegend, LEGEND_MS);
    },

    updateLegend() {
      if (state.view.area) parts.legend.update(state.model, state.view.area);
    },

    /** The step has changed: go with it, and paint. */
    follow(animate) {
      if (size.width === 0) return;
      parts.camera.follow(focusNodes(state), animate);
      parts.graphCanvas.paint();
      viewport.updateLegend();
    },

    fitAll: () => parts.camera.fit(focusNodes(state), { whole: true, animate: true }),

    toggleFollow() {
      const { camera, toolbar } = parts;
      camera.following = !camera.following;
      if (camera.following) camera.follow(focusNodes(state), true);
      toolbar.showFollowing(camera.following);
    },

    /** Bring a node into view, whether the view follows the step or not. */
    bringIntoView(node) {
      const { camera } = parts;
      const { following } = camera;
      camera.following = true;
      camera.follow([node], true);
      camera.following = following;
    },

    /** Make sure these nodes are in view. */
    reveal(ids) {
      const nodes = [...ids].map((id) => state.model.node.get(id));
      if (nodes.length > 0) viewport.whenSized(() => parts.camera.reveal(nodes));
    },

    /** Where on the screen is what a fold is about to change? */
    anchorOf(id) {
      const { model, view } = state;
      const node = model.node.get(model.stand(id ?? '') ?? view.selected ?? '');
      if (!node) return null;
      const { x, y } = parts.graphCanvas.network.canvasToDOM({ x: node.box.left, y: node.y });
      return { id: node.id, x, y };
    },

    /** The picture was folded otherwise: what was opened or closed stays where it is, and with it the view. */
    hold(before) {
      const { camera } = parts;
      const { model, memory } = state;
      const { anchor } = memory;
      memory.anchor = null;
      if (!before || before.mode === 'fit') return camera.fit(focusNodes(state), { whole: model.nodes.length < WHOLE });
      const there = anchor
        && (model.node.get(anchor.id) ?? model.nodes.find((node) => node.id.startsWith(`${anchor.id}/`)) ?? selectedNode(state));
      if (!there) return camera.restore(before);
      camera.hold({ x: there.box.left, y: there.y }, anchor, before.scale);
    },

    destroy() {
      sizes.disconnect();
      clearTimeout(legendTimer);
    },
  };

  const sizes = new ResizeObserver(() => resized());
  sizes.observe(canvas);
  document.fonts?.ready.then(() => {
    forgetText();
    if (root.isConnected) parts.graphCanvas.paint();
  });

  /** Keep what is in the middle there, or fit again; vis-network would change the zoom along with the size. */
  function resized() {
    const { camera, graphCanvas } = parts;
    const width = canvas.clientWidth;
    const height = canvas.clientHeight;
    if (width === 0 || height === 0 || (width === size.width && height === size.height)) return;
    const opening = size.width === 0;
    const before = opening ? null : camera.state();
    size = { width, height };
    graphCanvas.paint();
    if (waiting) waiting();
    else if (before?.mode === 'fit') camera.fit(focusNodes(state), { whole: true });
    else if (before) camera.restore(before);
    waiting = null;
    graphCanvas.paint();
    viewport.updateLegend();
  }

  return viewport;
}
