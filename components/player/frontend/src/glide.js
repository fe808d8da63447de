/** When a group is opened or closed, the cards glide from where they were on the screen to where they are; edges come when they rest. */

const LASTS_MS = 220;
/** Beyond so many cards they are put in place at once. */
const MANY = 500;

/**
 * @param {import('./state.js').State} state
 * @param {object} parts   graphCanvas
 */
export function createGlide(state, parts) {
  const { view } = state;
  let waiting = null; // the frame in which the cards move on

  function frame() {
    waiting = null;
    if (view.glide === null) return;
    if (performance.now() >= view.glide.until) view.glide = null;
    parts.graphCanvas.paint();
    if (view.glide !== null) waiting = requestAnimationFrame(frame);
  }

  return {
    /** Where the cards are on the screen, and which card stands for one that is not there. */
    places() {
      const { model } = state;
      const { network } = parts.graphCanvas;
      return { stand: model.stand, at: new Map(model.nodes.map(({ id, x, y }) => [id, network.canvasToDOM({ x, y })])) };
    },

    /** Begin where they were: what was in a closed group comes out of it. */
    start({ stand, at }) {
      const { nodes } = state.model;
      const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
      if (calm || nodes.length > MANY || at.size > MANY) return;
      const { network } = parts.graphCanvas;
      const scale = network.getScale();
      const moves = movesOf(nodes, (id) => at.get(id) ?? at.get(stand(id)), network.canvasToDOM, scale);
      if (moves.size === 0) return;
      const now = performance.now();
      view.glide = { moves, from: now, until: now + LASTS_MS };
      waiting ??= requestAnimationFrame(frame);
    },

    /** The cards are where they are. */
    stop() {
      cancelAnimationFrame(waiting);
      waiting = null;
      view.glide = null;
    },
  };
}

/** How far each card is from where it was, in the picture's own measure; those that stay where they are are left out. */
export function movesOf(nodes, before, toScreen, scale) {
  const moves = new Map();
  for (const { id, x, y } of nodes) {
    const [was, is] = [before(id), toScreen({ x, y })];
    if (!was) continue;
    const move = [(was.x - is.x) / scale, (was.y - is.y) / scale];
    if (Math.hypot(...move) * scale > 1) moves.set(id, move);
  }
  return moves;
}

/** What is left of the way at a time: all of it at first, nothing from the end on, and calm at both ends. */
export function restOf({ from, until }, now) {
  const t = Math.min(1, Math.max(0, (now - from) / (until - from)));
  return 1 - t * t * (3 - 2 * t);
}
