/** Where the stage looks: fit, focus on a step, follow the action, zoom; all in terms of vis-network's own view. */

import { READABLE } from './fonts.js';
import { union } from './route.js';

const COMFORTABLE = 1;
/** The zoom at which the beginning is shown of what cannot be read as a whole; of what fits in its width, one between two others. */
const BEGINNING = 0.66;
const CLOSE = 0.85;
/** What is kept free around cards whose frames are not in view as a whole, and above them for the tabs of those. */
const [AROUND, TABS] = [12, 58];
const CLOSEST = 1.25;
const ZOOM = { least: 0.004, most: 4 };
/** The share of the view that may be empty beyond the picture for a card to stay where it was. */
const EMPTY = 0.3;
/** What is kept free above the picture unless the tools say otherwise, and below and beside it. */
const ABOVE = 50;
const INSETS = { bottom: 42, left: 14, right: 14 };

/**
 * @param {import('vis-network').Network} network
 * @param {HTMLElement} element   the stage, for its size
 * @param {() => import('./model.js').Model} current
 * @param {() => number} top   what the tools take of the upper edge, in pixels
 */
export function createCamera(network, element, current, top = () => ABOVE) {
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

    /** Can all of the picture be read at once? */
    fits: () => !current().bounds || scaleFor(cardsOf(current())) >= READABLE,

    /**
     * Everything in view, or all cards; unless `whole`, no smaller than readable: then the main loop, its beginning or that of the
     * picture, or the nodes of the step where none of these are in view.
     */
    fit(focus, { whole = false, animate = false } = {}) {
      const model = current();
      const { bounds } = model;
      if (!bounds) return;
      camera.following = true;
      camera.whole = whole;
      camera.brought = null;
      const cards = cardsOf(model);
      const all = whole || scaleFor(bounds) >= READABLE ? bounds : scaleFor(cards) >= READABLE ? cards : null;
      camera.mode = all ? 'fit' : 'focus';
      if (all) return lookAt(all, scaleFor(all), animate);
      const main = mainOf(model);
      if (main && scaleFor(main) >= READABLE) return lookAt(main, scaleFor(main), animate);
      const wide = roomAt(1).width / (bounds.right - bounds.left);
      const scale = wide >= READABLE ? Math.min(wide, CLOSE) : BEGINNING;
      const corner = beginningOf(model, roomAt(scale));
      if (main || focus.length === 0 || focus.some((node) => contains(corner, node.box))) return lookAt(corner, scale, animate);
      const target = union(focus.map((node) => node.box));
      lookAt(target, Math.min(COMFORTABLE, Math.max(BEGINNING, scaleFor(target))), animate, bounds);
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

    /** Bring nodes into view, readable: all of them if they fit, else the first ones. */
    gather(nodes) {
      const many = nodes.findLastIndex((_, at) => scaleFor(union(nodes.slice(0, at + 1).map((node) => node.box))) >= READABLE);
      const box = union(nodes.slice(0, many + 1).map((node) => node.box));
      if (!box) return;
      const now = network.getScale();
      if (now >= READABLE && contains(safeArea(), box)) return;
      camera.leave();
      lookAt(box, Math.max(READABLE, Math.min(now, scaleFor(box))), true, current().bounds);
    },

    /** Make sure these nodes are in view, going no closer; the view stays where it is if they are. */
    reveal(nodes) {
      const all = union(nodes.map((node) => node.box));
      if (contains(safeArea(), all)) return;
      camera.detach();
      lookAt(all, Math.min(network.getScale(), scaleFor(all)), true);
    },

    /**
     * After the picture was laid out anew: put a point of it where another was on the screen before, at the same zoom; where that
     * would leave much of the view empty, or what is to be `filled`, as near to there as leaves no more empty space than there must be.
     */
    hold(point, onScreen, { scale, following }) {
      camera.mode = 'free';
      camera.following = following;
      const x = point.x - (onScreen.x - element.clientWidth / 2) / scale;
      const y = point.y - (onScreen.y - element.clientHeight / 2) / scale;
      const { bounds } = current();
      const { width, height } = roomAt(scale);
      const there = { x: x - (INSETS.right - INSETS.left) / 2 / scale, y: y - (INSETS.bottom - top()) / 2 / scale };
      const empty = (middle, size, low, high) => Math.abs(clampMiddle(middle, size, low, high) - middle) > EMPTY * size;
      const much = bounds && (empty(there.x, width, bounds.left, bounds.right) || empty(there.y, height, bounds.top, bounds.bottom));
      if (!bounds || !(onScreen.filled || much)) return network.moveTo({ scale, position: { x, y } });
      lookAt({ left: there.x, right: there.x, top: there.y, bottom: there.y }, scale, false, bounds);
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

  /** How much of the picture fits at a scale. */
  function roomAt(scale) {
    return { width: (element.clientWidth - INSETS.left - INSETS.right) / scale, height: (element.clientHeight - top() - INSETS.bottom) / scale };
  }

  function scaleFor(box) {
    const { width, height } = roomAt(1);
    const scale = Math.min(width / Math.max(1, box.right - box.left), height / Math.max(1, box.bottom - box.top), CLOSEST);
    return Math.max(scale, ZOOM.least);
  }

  /** Put the middle of `box` in the middle of the free area; `within` keeps empty space beyond the graph out of view. */
  function lookAt(box, scale, animate, within = null) {
    const { width, height } = roomAt(scale);
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

/** All cards, with room for the tabs of the frames around them. */
function cardsOf({ nodes, frames, bounds }) {
  return nodes.length > 0 && frames.length > 0 ? grown(union(nodes.map(({ box }) => box))) : bounds;
}

/** The cards of the main loop; null without one. */
function mainOf({ rolled, frames, nodes }) {
  const main = rolled?.on ? frames.find(({ loop }) => loop === rolled.main) : undefined;
  const inside = main ? nodes.filter(({ box }) => holds(main.box, box)) : [];
  return inside.length > 0 ? grown(union(inside.map(({ box }) => box))) : null;
}

const grown = ({ left, top, right, bottom }) => ({ left: left - AROUND, top: top - TABS, right: right + AROUND, bottom: bottom + AROUND });

/** What stands before a frame, or above it, is left out where it would take more than this share of the view. */
const BEFORE = 0.2;
/** What a card at first sight is worth: what has parameters or ends a forward pass, other cards, steps on the way; less for one that begins out of view. */
const WORTH = { model: 4, card: 2, pill: 0.5, cut: 3 };
/** How much more must be in view further right for it not to be the left end, where it begins. */
const MORE = 1.5;
const MARGIN = 14;
/** Cards at the upper edge of a picture beyond which it is seen from its left end. */
const CROWD = 500;

/**
 * Where a picture is looked at first that cannot be read as a whole: its upper left, or, of a rolled run, under the tab of the main
 * loop's frame; at the left end, or where much more of the model is in view.
 */
export function beginningOf({ rolled, frames, nodes, bounds }, { width, height }) {
  const main = (rolled?.on && frames.find(({ loop }) => loop === rolled.main)) || { box: bounds, around: bounds };
  const wide = bounds.right - bounds.left;
  const high = bounds.bottom - bounds.top;
  const above = main.around.top - bounds.top <= BEFORE * height ? bounds.top : main.around.top;
  const top = high <= height ? (bounds.top + bounds.bottom - height) / 2 : above;
  const inside = nodes.filter(({ box }) => holds(main.box, box) && box.top < top + height);
  const lefts = [main.box.left - MARGIN, ...inside.map(({ box }) => box.left - MARGIN)];
  if (main.box.left - bounds.left <= BEFORE * width) lefts.push(bounds.left);
  // Beyond the frame there is nothing to be seen of it.
  const furthest = Math.max(main.box.left - MARGIN, main.box.right + MARGIN - width);
  const worth = (left) => {
    const seen = inside.filter(({ box }) => contains({ left, top, right: left + width, bottom: top + height }, box));
    const cut = inside.filter(({ box, pill }) => !pill && box.left < left && box.right > left && box.bottom <= top + height);
    return seen.reduce((sum, each) => sum + (each.pill ? WORTH.pill : each.group || each.rows.length > 0 || each.tone === 'root' ? WORTH.model : WORTH.card), 0) - cut.length * WORTH.cut;
  };
  if (inside.length > CROWD) return { left: lefts[0], top, right: lefts[0] + width, bottom: top + height };
  const left = wide <= width ? (bounds.left + bounds.right - width) / 2
    : lefts.map((each) => Math.min(each, furthest)).sort((one, other) => one - other).reduce((best, each) => (worth(each) > MORE * worth(best) ? each : best));
  return { left, top, right: left + width, bottom: top + height };
}

/** Is the middle of a box in another? */
function holds({ left, right, top, bottom }, box) {
  const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
  return x >= left && x <= right && y >= top && y <= bottom;
}

function clampMiddle(middle, size, low, high) {
  if (low === undefined) return middle;
  if (high - low <= size) return (low + high) / 2;
  return Math.min(high - size / 2, Math.max(low + size / 2, middle));
}

function contains(outer, inner) {
  return inner.left >= outer.left && inner.right <= outer.right && inner.top >= outer.top && inner.bottom <= outer.bottom;
}
