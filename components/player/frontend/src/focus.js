/** Focus: the selected node with what it was made from and what was made of it, to a chosen distance; the rest steps back. */

import { h } from '../../../browser/dom.mjs';

export const DISTANCES = ['', '1', '2', '3', '4', '5', 'all'];

/** @param {(distance: string) => void} changed */
export function createFocus(changed) {
  const select = h('select', { class: 'focus', 'aria-label': 'Focus on the selected node', title: 'Focus: show the selected node and its surroundings (f)' },
    ...DISTANCES.map((distance) => h('option', { value: distance }, distance === '' ? 'Focus' : distance === 'all' ? 'All related' : `±${distance}`)));
  select.addEventListener('change', () => changed(select.value));
  return {
    element: select,
    get distance() {
      return select.value;
    },
    /** The next distance, for the key. */
    next() {
      select.value = DISTANCES[(DISTANCES.indexOf(select.value) + 1) % DISTANCES.length];
      changed(select.value);
    },
  };
}

/**
 * Ids of the nodes that lead to `id`, or that it leads to, over at most `distance` edges; null when nothing is out of focus.
 * What both have in common (a sibling) is not related.
 */
export function related(model, id, distance) {
  if (distance === '' || !model.node.has(id)) return null;
  const most = distance === 'all' ? Infinity : Number(distance);
  const found = new Set([id]);
  for (const [here, there] of [['from', 'to'], ['to', 'from']]) {
    const next = new Map();
    for (const edge of model.edges) {
      if (!next.has(edge[here])) next.set(edge[here], []);
      next.get(edge[here]).push(edge[there]);
    }
    const seen = new Set([id]);
    let rim = [id];
    for (let step = 0; step < most && rim.length > 0; step += 1) {
      rim = rim.flatMap((one) => next.get(one) ?? []).filter((one) => !seen.has(one) && seen.add(one));
      for (const one of rim) found.add(one);
    }
  }
  return found;
}
