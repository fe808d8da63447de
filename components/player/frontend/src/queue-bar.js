/** The bar under the timeline that lists the nodes of the running pass in the engine's order. */

import { h } from '../../../browser/dom.mjs';
import { stateText } from './queue.js';

const SHOWN = 16;

/** @param {(key: string) => void} picked */
export function createQueueBar(picked) {
  const chips = Array.from({ length: SHOWN }, () => {
    const sign = h('i', { 'aria-hidden': 'true' });
    const label = h('span');
    const buffer = h('small');
    const button = h('button', { type: 'button', tabindex: '-1' }, sign, label, buffer);
    const chip = { item: h('li', { hidden: '' }, button), sign, label, buffer, button, key: null };
    button.addEventListener('click', () => chip.key !== null && picked(chip.key));
    return chip;
  });
  const list = h('ol', {}, ...chips.map((chip) => chip.item));
  const rest = h('span', { class: 'idle' });
  const counts = h('span', { class: 'counts' });
  const element = h('div', { class: 'queue', role: 'group', 'aria-label': 'Ready queue of the backward pass' }, h('b', {}, 'ready queue'), list, rest, counts);

  return {
    element,

    /** @param {object | null} queue  @param {(key: string) => string} titleOf */
    show(queue, titleOf) {
      list.hidden = !queue;
      element.toggleAttribute('data-running', queue !== null);
      rest.textContent = queue ? '' : 'no backward pass is running';
      const entries = queue ? [...queue.running, ...queue.ready, ...queue.waiting] : [];
      chips.forEach((chip, index) => {
        const entry = entries[index];
        chip.item.hidden = !entry;
        if (!entry) return;
        const { key, name, state, position, have, total } = entry;
        const title = key === null ? name : titleOf(key);
        chip.key = key;
        chip.button.dataset.state = state;
        chip.sign.textContent = state === 'ready' ? String(position) : '';
        chip.label.textContent = title;
        chip.buffer.textContent = total > 1 ? `${have}/${total}` : '';
        chip.button.title = `${name}${title === name ? '' : ` · ${title}`} · ${stateText(entry)}`;
        chip.button.setAttribute('aria-label', chip.button.title);
      });
      counts.textContent = queue ? `${queue.ready.length} ready · ${queue.waiting.length} waiting · ${queue.done.length} done` : '';
    },
  };
}
