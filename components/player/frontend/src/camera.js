/** Where the stage looks: fit, focus on a step, follow the action, zoom; all in terms of vis-network's own view. */

import { union } from './route.js';

/** Below this zoom the small print of a card cannot be read, so opening a graph never goes further out by itself. */
const READABLE = 0.6;
const COMFORTABLE = 0.9;
const CLOSEST = 1.25;
const ZOOM = { least: 0.004, most: 4 };
const INSETS = { top: 50, bottom: 42, left: 22, right: 22 };
/** Where the tools have two rows (player.css). */
const [NARROW, ROW] = [440, 38];

/**
 * @param {import('vis-network').Network} network
 * @param {HTMLElement} element   the stage, for its size
 * @param {() => import('./model.js').Model} current
 */
export function createCamera(network, element, current) {
  const top = () => (element.clientWidth < NARROW ? INSETS.top + ROW : INSETS.top);
  const camera = {
    /** Does the view go where the step goes? Off as soon as the user moves the view. */
    following: true,
    /** How the view came to be: "fit" and "focus" may be redone when the size changes, "free" is what became of it since. */
    mode: 'fit',
    /** Whether everything was to be in view, readable or not. */
    whole: false,
    /** The node that was brought into view since, by its id; until the step changes. */
    brought: null,

    scale: () => network.getScale(),

    /** Everything in view; unless `whole`, no smaller than readable: then the nodes of the step instead. */
    fit(focus, { whole = false, animate = false } = {}) {
      const { bounds } = current();
      if (!bounds) return;
      const scale = scaleFor(bounds);
      camera.following = true;
      camera.whole = whole;
      camera.brought = null;
      if (whole || scale >= READABLE) {
        camera.mode = 'fit';
        lookAt(bounds, scale, animate);
      } else {
        camera.mode = 'focus';
        const target = union(focus.map((node) => node.box)) ?? startOf(current());
        lookAt(target, Math.min(COMFORTABLE, Math.max(READABLE, scaleFor(target))), animate, bounds);
      }
    },

    /**
     * The size has changed: everything is in view again if it was. With `anew` the view is what it would be if it had been opened
     * in this size.
     * @returns {boolean} whether there was something to do
     */
    refit(focus, { anew }) {
      const { mode, whole, brought, following } = camera;
      if (mode === 'free' || (mode === 'focus' && !anew)) return false;
      camera.fit(focus, { whole: whole || !anew });
      if (brought !== null) camera.bring(brought, false);
      camera.following = following;
      return true;
    },

    /** The step has changed: the view is no longer the one of the step that it was opened at. */
    leave() {
      camera.brought = null;
      if (camera.mode === 'focus') camera.mode = 'free';
    },

    /** Bring a node into view, whether the view follows the step or not. */
    bring(id, animate) {
      const node = current().node.get(id);
      if (!node) return;
      const { following } = camera;
      camera.brought = id;
      camera.following = true;
      camera.follow([node], animate);
      camera.following = following;
    },

    /** Bring the step's nodes into view if they are not, without changing the zoom. */
    follow(focus, animate) {
      if (!camera.following || focus.length === 0) return;
      const seen = safeArea();
      const all = union(focus.map((node) => node.box));
      if (contains(seen, all)) return;
      const fits = all.right - all.left <= seen.right - seen.left && all.bottom - all.top <= seen.bottom - seen.top;
      const target = fits ? all : focus[0].box;
      if (!contains(seen, target)) lookAt(target, network.getScale(), animate, current().bounds);
    },

    /** Go to these nodes, close enough to read, and stay there. */
    show(nodes) {
      if (nodes.length === 0) return;
      camera.detach();
      const now = network.getScale();
      lookAt(union(nodes.map((node) => node.box)), now < READABLE ? COMFORTABLE : now, true, current().bounds);
    },

    /** Make sure these nodes are in view, going no closer; the view stays where it is if they are. */
    reveal(nodes) {
      const all = union(nodes.map((node) => node.box));
      if (contains(safeArea(), all)) return;
      camera.detach();
      lookAt(all, Math.min(network.getScale(), scaleFor(all)), true);
    },

    /** After the picture was laid out anew: put a point of it where another was on the screen before, at the same zoom. */
    hold(point, place, scale) {
      camera.detach();
      network.moveTo({
        scale,
        position: {
          x: point.x - (place.x - element.clientWidth / 2) / scale,
          y: point.y - (place.y - element.clientHeight / 2) / scale,
        },
      });
    },

    /** Zoom by a factor around a point of the stage, or around its middle. */
    zoomBy(factor, at = { x: element.clientWidth / 2, y: element.clientHeight / 2 }) {
      const before = network.getScale();
      const scale = Math.min(ZOOM.most, Math.max(ZOOM.least, before * factor));
      const fixed = network.DOMtoCanvas(at);
      const centre = network.getViewPosition();
      const keep = before / scale;
      camera.detach();
      network.moveTo({
        scale,
        position: { x: fixed.x + (centre.x - fixed.x) * keep, y: fixed.y + (centre.y - fixed.y) * keep },
      });
    },

    /** The user took the view in hand. */
    detach() {
      camera.mode = 'free';
      camera.following = false;
    },

    state() {
      const { mode, whole, brought, following } = camera;
      return { position: network.getViewPosition(), scale: network.getScale(), mode, whole, brought, following };
    },

    restore({ position, scale, ...how }) {
      Object.assign(camera, how);
      network.moveTo({ position, scale });
    },
  };

  function scaleFor(box) {
    const width = element.clientWidth - INSETS.left - INSETS.right;
    const height = element.clientHeight - top() - INSETS.bottom;
    const scale = Math.min(width / Math.max(1, box.right - box.left), height / Math.max(1, box.bottom - box.top), CLOSEST);
    return Math.max(scale, ZOOM.least);
  }

  /** Put the middle of `box` in the middle of the free area; `within` keeps empty space beyond the graph out of view. */
  function lookAt(box, scale, animate, within = null) {
    const width = (element.clientWidth - INSETS.left - INSETS.right) / scale;
    const height = (element.clientHeight - top() - INSETS.bottom) / scale;
    const x = clampMiddle((box.left + box.right) / 2, width, within?.left, within?.right);
    const y = clampMiddle((box.top + box.bottom) / 2, height, within?.top, within?.bottom);
    const position = {
      x: x + (INSETS.right - INSETS.left) / 2 / scale,
      y: y + (INSETS.bottom - top()) / 2 / scale,
    };
    const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
    const animation = animate && !calm ? { duration: 260, easingFunction: 'easeInOutCubic' } : false;
    network.moveTo({ position, scale, animation });
  }

  function safeArea() {
    const from = network.DOMtoCanvas({ x: INSETS.left, y: top() });
    const to = network.DOMtoCanvas({ x: element.clientWidth - INSETS.right, y: element.clientHeight - INSETS.bottom });
    return { left: from.x - 1, top: from.y - 1, right: to.x + 1, bottom: to.y + 1 };
  }

  return camera;
}

function startOf({ bounds, vertical }) {
  return vertical ? { ...bounds, bottom: bounds.top } : { ...bounds, right: bounds.left };
}

function clampMiddle(middle, size, low, high) {
  if (low === undefined) return middle;
  if (high - low <= size) return (low + high) / 2;
  return Math.min(high - size / 2, Math.max(low + size / 2, middle));
}

function contains(outer, inner) {
  return inner.left >= outer.left && inner.right <= outer.right && inner.top >= outer.top && inner.bottom <= outer.bottom;
}
