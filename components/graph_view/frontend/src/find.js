/** The find box: by name, operation or line; Enter goes from one match to the next. */

import { h, iconButton } from './dom.js';

/** @param {{changed: (found: object[]) => void, visited: (node: object) => void}} on */
export function createFind(current, on) {
  let found = [];
  let at = -1;
  const count = h('output', { class: 'count', 'aria-live': 'polite' });
  const input = h('input', { type: 'search', placeholder: 'Find', 'aria-label': 'Find a node by name, operation or line', spellcheck: 'false' });
  const opener = iconButton('find', 'Find a node', () => input.focus(), { class: 'opener' });
  const element = h('div', { class: 'find', role: 'search' }, opener, input, count);

  function search() {
    found = matches(current().nodes, input.value);
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

/** Nodes whose name, operation or description holds the text; a bare number is a line, or a name equal to it. */
export function matches(nodes, text) {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return [];
  const line = /^(?:line\s*)?(\d+)$/.exec(wanted);
  if (line) {
    const onLine = new RegExp(`\\bline ${line[1]}\\b`);
    return nodes.filter((node) => onLine.test(node.sub) || node.names.some((name) => name.toLowerCase() === wanted));
  }
  return nodes.filter((node) => [...node.names, node.badge, node.sub].some((part) => part.toLowerCase().includes(wanted)));
}
