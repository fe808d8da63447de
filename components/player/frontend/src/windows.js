/**
 * What the cards of a long run show is there for windows of steps, of which Python sends those that are asked for. Those that came
 * are kept, so that nothing is asked for twice, until there are too many.
 */

import { readQueues } from './queue.js';

/** Steps of all windows that are kept of one picture: about a hundred iterations of a small network. */
const MOST = 12_000;

export function createWindows() {
  const kept = []; // the one used last is the last
  let steps = 0;

  return {
    /**
     * Take in the histories of nodes (and of the rows in them) and edges for the steps `from` to `to`, and the passes that run there.
     * Returns the ranges of those that had to go.
     */
    add([from, to], nodes, edges, running = []) {
      const same = kept.findIndex((each) => each.from === from && each.to === to);
      if (same >= 0) steps -= sizeOf(kept.splice(same, 1)[0]);
      const all = [...nodes, ...nodes.flatMap((node) => node.rows ?? [])];
      kept.push({
        from,
        to,
        queues: readQueues(running),
        nodes: new Map(all.map(({ id, key, history = [], made = null }) => [id ?? key, { history, made }])),
        edges: new Map(edges.map(({ id, history = [], details = {} }) => [id, { history, details }])),
      });
      steps += to - from + 1;
      const gone = [];
      while (steps > MOST && kept.length > 1) {
        gone.push(kept.shift());
        steps -= sizeOf(gone.at(-1));
      }
      return gone.map((each) => [each.from, each.to]);
    },

    /** The window with a step in it, or null. */
    at(step) {
      const found = kept.findLastIndex(({ from, to }) => from <= step && step <= to);
      if (found < 0) return null;
      const [window] = kept.splice(found, 1);
      kept.push(window);
      return window;
    },

    /** Is every step from one to another in some window? */
    cover(from, to) {
      let next = from;
      for (const each of kept.toSorted((a, b) => a.from - b.from)) if (each.from <= next) next = Math.max(next, each.to + 1);
      return next > to;
    },

    get size() {
      return kept.length;
    },
  };
}

const sizeOf = ({ from, to }) => to - from + 1;
