/** Breakpoints are set in the player and in the editor, and Python may give some: what one learns, the others are told. */

import { tellBreakpoints } from './bus.js';
import { selectedNode } from './state.js';

/**
 * @param {import('./state.js').State} state
 * @param {object} parts   navigation, debugPanel, timeline, curves, reporter
 * @param {{root: HTMLElement}} elements
 */
export function createBreakpointSync(state, parts, { root }) {
  const report = () => {
    const { breakpoints } = parts.navigation;
    parts.reporter.tell('breakpoints', JSON.stringify(breakpoints), breakpoints);
  };

  const sync = {
    /** Show where they stop, and where the selected tensor changes. */
    show() {
      const { breakpoints, stops } = parts.navigation;
      state.memory.breakpoints = breakpoints;
      root.dataset.breakpoints = String(breakpoints.lines.length + breakpoints.tensors.length);
      parts.debugPanel.show();
      parts.curves.setStops(stops);
      parts.timeline.setPins(stops, selectedNode(state)?.changes ?? []);
    },

    /** The user has changed them here. */
    changed(breakpoints) {
      tellBreakpoints(breakpoints.lines);
      sync.show();
      report();
    },

    /** The user has changed those on lines in the editor. */
    fromEditor(lines) {
      parts.navigation.assume({ ...parts.navigation.breakpoints, lines });
      sync.show();
      report();
    },

    /** Python gives others than the last time. */
    fromPython(data) {
      const given = JSON.stringify(data ?? null);
      if (data && given !== state.memory.breakpointsGiven) {
        parts.navigation.assume(data);
        parts.reporter.known('breakpoints', JSON.stringify(parts.navigation.breakpoints));
        tellBreakpoints(parts.navigation.breakpoints.lines);
        sync.show();
      }
      state.memory.breakpointsGiven = given;
    },

    /** An editor was mounted. */
    greet() {
      const { lines } = parts.navigation.breakpoints;
      if (lines.length > 0) tellBreakpoints(lines);
    },
  };
  return sync;
}
