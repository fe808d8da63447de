/** Going through time in other ways than step by step: by line and pass, to a tensor's changes, to breakpoints. */

import { describe, hitsOf, readBreakpoints, toggled } from './breakpoints.js';
import { neighbour, stopFrom } from './step-targets.js';

/**
 * @param {object} player   model(), step(), selected() -> node | null, seek(step), say(text), changed(breakpoints)
 */
export function createNavigation(player) {
  let granularity = 'event';
  let breakpoints = readBreakpoints(null);
  let hits = { at: new Map(), counts: new Map(), steps: [] };

  const navigation = {
    get granularity() {
      return granularity;
    },
    set granularity(id) {
      granularity = id;
    },
    get breakpoints() {
      return breakpoints;
    },
    /** Steps at which breakpoints stop. */
    get stops() {
      return hits.steps;
    },
    get counts() {
      return hits.counts;
    },

    /** The model changed: the same breakpoints stop elsewhere. */
    refresh() {
      hits = hitsOf(breakpoints, player.model());
    },

    /** Take over breakpoints without telling anybody. */
    assume(data) {
      breakpoints = readBreakpoints(data);
      navigation.refresh();
    },

    toggle(kind, one) {
      navigation.assume(toggled(breakpoints, kind, one));
      player.changed(breakpoints);
    },

    step(direction, by = granularity) {
      player.seek(stopFrom(player.model(), player.step(), direction, by));
    },

    /** One beat of playing; false at the end or where a breakpoint stops. */
    advance() {
      const model = player.model();
      if (player.step() >= model.last) return false;
      const target = stopFrom(model, player.step(), 1, granularity);
      const stop = neighbour(hits.steps, player.step(), 1);
      if (stop === undefined || stop > target) {
        player.seek(target);
        return target < model.last;
      }
      stopAt(stop);
      return false;
    },

    /** To the next (1) or previous (-1) step at which a breakpoint stops. */
    go(direction) {
      const stop = neighbour(hits.steps, player.step(), direction);
      if (stop !== undefined) stopAt(stop);
      else if (hits.steps.length === 0) player.say('No breakpoint is ever reached. Set one on this line with “b”.');
      else if (direction < 0) player.say('No breakpoint before this step.');
      else {
        player.seek(player.model().last);
        player.say('No further breakpoint: this is the end.');
      }
    },

    /** To the next or previous time the selected tensor changes. */
    change(direction) {
      const node = player.selected();
      if (!node) return player.say('Select a tensor first.');
      const target = neighbour(node.changes, player.step(), direction);
      if (target === undefined) player.say(`${node.face.title ?? node.title} does not change ${direction > 0 ? 'after' : 'before'} this step.`);
      else player.seek(target);
    },

    /** Where the program stands, for a breakpoint on this line. */
    here() {
      const { cell = 0, span } = player.model().steps.at(player.step()) ?? {};
      return span ? { cell, line: span[0] } : null;
    },

    toggleHere() {
      const here = navigation.here();
      if (here) navigation.toggle('lines', here);
      else player.say('This step has no line in the program.');
    },
  };

  function stopAt(step) {
    const { kind, one } = hits.at.get(step);
    player.seek(step);
    player.say(`Breakpoint: ${describe(kind, one, player.model().cells)}`);
  }

  return navigation;
}
