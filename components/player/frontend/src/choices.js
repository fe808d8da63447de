/** What the user does to cards, which Python remembers: hide them and show them again, give them a colour, watch them. */

import { h } from '../../../browser/dom.mjs';
import { runOf } from './model.js';

/** What is told at a time: Python may hear of several only together. */
const TOLD = 64;

/** @param {import('./state.js').State} state  @param {object} parts   reporter, seeking, viewport */
export function createChoices(state, parts) {
  let last = [];
  const chip = h('button', { type: 'button', class: 'chip hidden-cards', title: 'Show them again (Shift H)', hidden: '', click: () => choices.showAll() });

  function tell(choice) {
    const { fixed, picture } = state.model;
    if (fixed) return parts.seeking.say(fixed);
    const n = Math.max(Date.now(), (last.at(-1)?.n ?? 0) + 1);
    last = [...last, { n, run: runOf(picture), ...choice }].slice(-TOLD);
    parts.reporter.tell('chosen', String(n), { last });
  }

  /** The card of a node, or of the one that it is a row of. */
  const cardOf = (id) => state.model.node.get(id)?.host ?? state.model.node.get(id) ?? null;

  /** Of what is selected, or a word on there being nothing. */
  function selected(action) {
    const card = cardOf(state.view.selected);
    if (card) action(card);
    else parts.seeking.say('Select a card first.');
  }

  const choices = {
    /** Says how many are hidden, and shows them. */
    chip,

    hide: (id) => tell({ do: 'hide', key: cardOf(id)?.id ?? id }),
    /** One that is hidden. */
    show: (id) => tell({ do: 'show', key: id }),
    showAll: () => (choices.hidden() > 0 || state.model.fixed ? tell({ do: 'show' }) : parts.seeking.say('Nothing is hidden.')),
    colour(id, colour) {
      const card = cardOf(id);
      tell({ do: 'colour', key: card?.id ?? id, colour });
      if (!card || state.model.fixed) return;
      card.colour = colour; // Python says the same in a moment
      parts.viewport.paint();
    },
    watch: (id) => tell({ do: 'watch', key: id }),
    hidden: () => state.model.away.size,

    hideSelected: () => selected(({ id }) => choices.hide(id)),
    /** The next colour, after the last one none. */
    colourSelected: () => selected(({ id, colour }) => {
      const next = colour === null ? 0 : colour + 1;
      choices.colour(id, next < state.view.palette.chosen.length ? next : null);
    }),

    /** A picture was put in place. */
    loaded() {
      const { memory, model } = state;
      const count = choices.hidden();
      if (memory.wanted && model.away.has(memory.wanted)) choices.show(memory.wanted);
      chip.hidden = count === 0;
      chip.textContent = `${count} hidden`;
    },
  };
  return choices;
}
