/** The step on show: going to another one, by the user or by a command, and what stands around the graph at it. */

import { tell } from './bus.js';
import { titleOf } from './state.js';

const TIMES_KEPT = 200;
/** The speed up to which the view glides after the step. */
const SLOW = 2;

/**
 * @param {import('./state.js').State} state
 * @param {object} parts   viewport, playback, timeline, iterations, caption, queueBar, tooltip, reporter
 * @param {{root: HTMLElement, notice: HTMLElement}} elements
 */
export function createSeeking(state, parts, { root, notice }) {
  const seeking = {
    /** How long the last steps took, in milliseconds. */
    times: [],
    /** The last `gradtape:moment`, for listeners that come late. */
    moment: null,

    /** `quiet` when a graph is put in place, which shows and tells the step itself. */
    goTo(target, { quiet = false } = {}) {
      const { model, view, memory } = state;
      if (model.sketch) return;
      const started = performance.now();
      const step = within(target);
      state.step = step;
      view.step = step;
      view.ringed = null;
      memory.step = step;
      model.show(step);
      parts.queueBar.show(model.queue, (id) => titleOf(state, id));
      const { phase, caption = [], cell = 0, span = null } = model.steps.at(step) ?? {};
      view.focus = new Set(model.focusAt(step));
      view.focusKind = model.segments[phase]?.kind ?? 'other';
      parts.timeline.show(step);
      parts.iterations.show(step);
      parts.caption.show(caption);
      root.dataset.step = String(step);
      seeking.moment = { step, cell, span, total: model.steps.length };
      seeking.tellMoment();
      parts.times.show();
      parts.tooltip.hide();
      if (notice.textContent) seeking.say('');
      if (quiet) return;
      parts.reporter.step();
      parts.viewport.follow(parts.playback.speed <= SLOW);
      seeking.times.push(performance.now() - started);
      if (seeking.times.length > TIMES_KEPT) seeking.times.shift();
    },

    /** Tell the page which moment is on show, if one is. */
    tellMoment() {
      if (seeking.moment) tell('gradtape:moment', seeking.moment);
    },

    /** The user goes to a step; nothing happens at the one on show. */
    userSeeks(target) {
      parts.playback.pause();
      if (within(target) !== state.step) seeking.goTo(target);
    },

    /** Something that the user does, which ends play. */
    byUser(action) {
      parts.playback.pause();
      seeking.say('');
      action();
    },

    togglePlay() {
      if (state.model.sketch) return;
      if (!parts.playback.playing() && state.step >= state.model.last) seeking.goTo(0);
      parts.playback.toggle();
    },

    /** A word about what could not be done, or why play stopped; until the next step. */
    say(text) {
      notice.textContent = text;
    },
  };

  const within = (target) => Math.min(state.model.last, Math.max(0, target));

  return seeking;
}
