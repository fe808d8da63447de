/** The player as other parts of the page and the tests get hold of it: `window.__gradtapePlayer`, while it is in the page. */

import { runOf } from './model.js';
import { pointAt } from './route.js';

/** @param {import('./state.js').State} state  @param {object} parts   graphCanvas, camera, looks, seeking, selection */
export function handleOf(state, parts) {
  const { graphCanvas, seeking } = parts;
  return {
    screen: graphCanvas.screen,
    stepTimes: seeking.times,
    /** The last `gradtape:moment`, for listeners that come late. */
    get moment() {
      return seeking.moment;
    },
    get step() {
      return state.step;
    },
    scale: () => parts.camera.scale(),
    atRest: () => parts.looks.atRest(),
    /** Ids of the nodes that carry this title at this step, in the order of the payload. */
    find: (title) => [...state.model.nodes, ...state.model.rows].filter((node) => (node.face?.title ?? node.title) === title).map((node) => node.id),
    /** Ids of the closed groups on show. */
    groups: () => state.model.nodes.filter((node) => node.group).map((node) => node.id),
    open: (id) => parts.selection.openGroup(state.model.node.get(id)),
    /** Ids of the open groups. */
    opened: () => state.model.fold.opened.map(({ id }) => id),
    say: seeking.say,
    /** Which run of a program it is, whatever of it is drawn, … */
    run: () => runOf(state.model.picture) ?? '',
    /** … and which picture. */
    rev: () => state.model.rev,
    /** To an iteration of the main loop of a rolled run. */
    iteration: (row) => parts.iterations.seek(state.model.rolled.main, row),
    /** What backward passes recorded of themselves: pass and node ids. */
    regions: () => state.model.regions.map(({ pass, nodes }) => ({ pass, nodes: nodes.map((node) => node.id) })),
    /** Middle of the first edge between two nodes, in page coordinates. */
    edge(from, to) {
      const found = state.model.edges.find((edge) => edge.from === from && edge.to === to);
      return found ? graphCanvas.onScreen(...pointAt(found.curve, 0.5)) : null;
    },
  };
}
