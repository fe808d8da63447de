/**
 * The find box: by name, operation, shape, line, gradient, iteration. What it finds is listed, each place once with the iterations
 * in which it is there; Enter goes from one match to the next, into closed groups too.
 */

import { h } from '../../../browser/dom.mjs';
import { iconButton } from './icon-button.js';
import { QUERY_HELP, iterationsText, matches, readQuery } from './query.js';

/** Matches that are listed. */
const LISTED = 8;

/** @param {{changed: (found: object[]) => void, visited: (node: object, iteration: number | null) => void}} on */
export function createFind(current, step, on) {
  let found = [];
  let iteration = null;
  let at = -1;
  const count = h('output', { class: 'count', 'aria-live': 'polite' });
  const input = h('input', { type: 'search', placeholder: 'Find', 'aria-label': 'Find a node by name, operation, line or iteration', spellcheck: 'false' });
  const opener = iconButton('find', 'Find a node', () => input.focus(), { class: 'opener' });
  const help = h('dl', { class: 'query-help', role: 'note' }, ...QUERY_HELP.flatMap(([query, meaning]) => [h('dt', {}, query), h('dd', {}, meaning)]));
  const list = h('ul', { class: 'results', 'aria-label': 'What was found' });
  const element = h('div', { class: 'find', role: 'search' }, opener, input, count, help, list);

  const run = () => (current().rolled?.on ? current().rolled : null);
  const total = () => run()?.main.starts.length ?? 0;

  function search() {
    const query = readQuery(input.value, total());
    ({ iteration } = query);
    const every = [...current().nodes, ...(current().rows ?? []), ...current().hidden.values()];
    // An iteration alone has all that is in it: it is gone to, and nothing is marked.
    const named = matches(every, query.words, step());
    found = iteration === null ? named : named.filter(({ id }) => iteration < total() && (run()?.has(id, iteration) ?? true));
    at = -1;
    tell();
    on.changed(found);
  }

  /** A card's own name; of a parameter in a card with that of the card. */
  const titleOf = (node) => (node.host ? `${node.host.title}.` : '') + (node.face?.title ?? node.title ?? node.names?.[0] ?? '');

  function entry(node, number) {
    const where = iteration !== null ? `iteration ${iteration}` : run() ? iterationsText(run().there(node.id), total()) : '';
    const about = [node.badge, where].filter(Boolean).join(' · ');
    return h('li', {}, h('button', { type: 'button', tabindex: '-1', 'aria-current': String(number === at), click: () => visit(number) },
      h('b', {}, titleOf(node)), h('span', {}, about)));
  }

  function tell() {
    element.toggleAttribute('data-filled', input.value !== '');
    if (input.value.trim() === '') count.textContent = '';
    else if (iteration !== null && iteration >= total()) count.textContent = run() ? `no iteration ${iteration}` : 'none';
    else if (found.length === 0) count.textContent = lone() ? '↵' : 'none';
    else count.textContent = at < 0 ? String(found.length) : `${at + 1}/${found.length}`;
    const first = Math.max(0, Math.min(at - LISTED + 1, found.length - LISTED));
    const more = found.length - LISTED;
    list.replaceChildren(
      ...found.slice(first, first + LISTED).map((node, place) => entry(node, first + place)),
      ...(more > 0 ? [h('li', { class: 'more' }, `${more} more: Enter goes to the next one`)] : []),
    );
  }

  /** Does the query name an iteration and nothing else? */
  const lone = () => iteration !== null && iteration < total() && readQuery(input.value, total()).words.trim() === '';

  function visit(number) {
    at = number;
    tell();
    on.visited(found[at], iteration);
  }

  function clear() {
    input.value = '';
    search();
  }

  // The focus stays where it is, so that the list stays open.
  list.addEventListener('mousedown', (event) => event.preventDefault());
  input.addEventListener('input', search);
  input.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && lone()) on.visited(null, iteration);
    else if (event.key === 'Enter' && found.length > 0) {
      visit((at + (event.shiftKey ? -1 : 1) + found.length + (at < 0 && event.shiftKey ? 1 : 0)) % found.length);
    } else if (event.key === 'Escape') {
      clear();
      input.blur();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });
  return { element, refresh: search, clear, focus: () => input.focus() };
}
