/** The switch that says how far one step goes. */

import { h } from '../../../browser/dom.mjs';
import { GRANULARITIES } from './step-targets.js';

/** @param {(id: string) => void} chosen */
export function createGranularity(chosen) {
  const buttons = GRANULARITIES.map(({ id, label, title }) => {
    const button = h('button', { type: 'button', class: 'word', title, 'aria-pressed': String(id === 'event') }, label);
    button.addEventListener('click', () => {
      for (const each of buttons) each.setAttribute('aria-pressed', String(each === button));
      chosen(id);
    });
    return button;
  });
  return { element: h('div', { class: 'group by', role: 'group', 'aria-label': 'One step is' }, ...buttons) };
}
