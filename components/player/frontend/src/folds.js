/** Which groups are open: the path to the selected node as chips that close them again, and what Python is told. */

import { h } from '../../../browser/dom.mjs';
import { openedCard } from './rolled.js';

/** Open groups that are named where no node is selected. */
const NAMED = 3;

/** @param {{change: (opened: string[], anchor: string | null, wanted?: string) => void, turn: (card: string) => void}} on */
export function createFolds(on) {
  let model = null;
  let opened = [];
  const chips = h('div', { class: 'chips' });
  const all = h('button', { type: 'button', class: 'chip all', click: () => on.change([], null) }, 'Close all');
  const element = h('nav', { class: 'folds', 'aria-label': 'Open groups', hidden: '' }, chips, all);

  const isOpen = (id) => opened.includes(id);

  /** The groups around one, itself first. */
  function* around(id) {
    for (let group = model.groups.get(id); group; group = model.groups.get(group.above)) yield group;
  }

  /** The open groups around a node, the outermost first. */
  function pathTo(key) {
    const group = key?.startsWith('g:') ? model.groups.get(key.slice(2))?.above : model.groupOf.get(key);
    return [...around(group)].filter(({ id }) => isOpen(id)).reverse();
  }

  function close(id) {
    const card = openedCard(id);
    if (card) return on.turn(card);
    const inside = (each) => [...around(each)].some((group) => group.id === id);
    on.change(opened.filter((each) => !inside(each)), `g:${id}`);
  }

  function chip({ id, title }) {
    return h('button', { type: 'button', class: 'chip', title: `Close ${title}`, 'aria-label': `Close ${title}`, click: () => close(id) },
      h('span', {}, title), h('i', { 'aria-hidden': 'true' }, '×'));
  }

  const folds = {
    element,

    /** Take over a model's groups. */
    show(next) {
      model = next;
      opened = model.fold.opened.map(({ id }) => id);
      element.hidden = opened.length === 0;
      folds.select(null);
    },

    /** Name the groups around a node, or a few of the outermost that are open. */
    select(key) {
      const path = pathTo(key);
      const outer = model.fold.opened.filter(({ id }) => ![...around(model.groups.get(id)?.above)].some((group) => isOpen(group.id)));
      const named = path.length > 0 ? path : outer.slice(0, NAMED);
      chips.replaceChildren(...named.map(chip));
      chips.toggleAttribute('data-path', path.length > 1);
      const more = opened.length - named.length;
      all.textContent = more > 0 ? `Close all ${opened.length}` : 'Close all';
      all.hidden = opened.length < 2;
    },

    open(group) {
      const id = group.slice(2);
      if (!isOpen(id)) on.change([...opened, id], group);
    },

    /** Close the innermost open group around a node. */
    closeAround(key) {
      const innermost = pathTo(key).at(-1);
      if (innermost) close(innermost.id);
      return innermost !== undefined;
    },

    /** Open these groups, and no others. */
    set(ids) {
      on.change(ids, null);
    },

    /** Open whatever hides a node; Python knows what that is. */
    reveal(key) {
      on.change(opened, key, key);
    },
  };
  return folds;
}
