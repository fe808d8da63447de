/** The find box: by name, operation, shape, line, gradient; Enter goes from one match to the next, into closed groups too. */

import { h } from '../../../browser/dom.mjs';
import { iconButton } from './icon-button.js';
import { QUERY_HELP, matches } from './query.js';

/** @param {{changed: (found: object[]) => void, visited: (node: object) => void}} on */
export function createFind(current, step, on) {
  let found = [];
  let at = -1;
  const count = h('output', { class: 'count', 'aria-live': 'polite' });
  const input = h('input', { type: 'search', placeholder: 'Find', 'aria-label': 'Find a node by name, operation or line', spellcheck: 'false' });
  const opener = iconButton('find', 'Find a node', () => input.focus(), { class: 'opener' });
  const help = h('dl', { class: 'query-help', role: 'note' }, ...QUERY_HELP.flatMap(([query, meaning]) => [h('dt', {}, query), h('dd', {}, meaning)]));
  const element = h('div', { class: 'find', role: 'search' }, opener, input, count, help);

  function search() {
    found = matches([...current().nodes, ...(current().rows ?? []), ...current().hidden.values()], input.value, step());
    at = -1;
    tell();
    on.changed(found);
  }

  function tell() {
    element.toggleAttribute('data-filled', input.value !== '');
    if (input.value.trim() === '') count.textContent = '';
    else if (found.length === 0) count.textContent = 'none';
    else count.textContent = at < 0 ? String(found.length) : `${at + 1}/${found.length}`;
  }

  input.addEventListener('input', search);
  input.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && found.length > 0) {
      at = (at + (event.shiftKey ? -1 : 1) + found.length + (at < 0 && event.shiftKey ? 1 : 0)) % found.length;
      tell();
      on.visited(found[at]);
    } else if (event.key === 'Escape') {
      input.value = '';
      search();
      input.blur();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });
  return { element, refresh: search, focus: () => input.focus() };
}
