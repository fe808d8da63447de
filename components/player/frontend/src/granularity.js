/** The switch that says how far one step goes. */

import { h } from '../../../browser/dom.mjs';
import { GRANULARITIES, ITERATION } from './step-targets.js';

/** @param {(id: string) => void} chosen */
export function createGranularity(chosen) {
  let byUser = false;
  let current = 'event';
  const buttons = [...GRANULARITIES, ITERATION].map(({ id, label, title }) => {
    const button = h('button', { type: 'button', class: 'word', title, 'aria-pressed': String(id === current), 'data-by': id }, label);
    button.addEventListener('click', () => {
      byUser = true;
      choose(id);
    });
    return button;
  });
  const iteration = buttons.at(-1);
  iteration.hidden = true;

  function choose(id) {
    current = id;
    for (const each of buttons) each.setAttribute('aria-pressed', String(each.dataset.by === id));
    chosen(id);
  }

  return {
    element: h('div', { class: 'group by', role: 'group', 'aria-label': 'One step is' }, ...buttons),

    /** Iterations are there in rolled runs alone, and what one goes by there, until the user has chosen. */
    offerIterations(there) {
      if (iteration.hidden !== there) return;
      iteration.hidden = !there;
      if (!there && current === 'iteration') choose('event');
      else if (there && !byUser) choose('iteration');
    },
  };
}
