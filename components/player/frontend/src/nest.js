/**
 * The row over the graph of a run with loops: rolled or not, which iteration of which loop in which is on show, and the loops that
 * can be turned from time to depth.
 */

import { h } from '../../../browser/dom.mjs';
import { iconButton } from './icon-button.js';
import { numberOf, shortTitle } from './rolled.js';

/** @param {object} on   roll(boolean), seek(loop, row), beside(loop, direction), menu(loops, anchor element) */
export function createNest(on) {
  let rolled = null;
  let shown = ''; // the loops in the row
  let levels = [];
  const roll = h('button', { type: 'button', class: 'word', title: 'One picture for all iterations (u)', click: () => on.roll(true) }, 'Rolled');
  const unroll = h('button', { type: 'button', class: 'word', title: 'Every iteration for itself (u)', click: () => on.roll(false) }, 'Unrolled');
  const by = h('div', { class: 'group by', role: 'group', 'aria-label': 'Iterations' }, roll, unroll);
  const file = h('span', { class: 'file' });
  const crumbs = h('ol', {});
  const all = h('button', { type: 'button', class: 'word all', title: 'All loops of the program, and why they are rolled or not', click: () => on.menu([...rolled.loops.values()], all) }, 'Loops');
  const element = h('nav', { class: 'nest', 'aria-label': 'Loops', hidden: '' },
    by, file, crumbs, all);

  function crumb(loop, isMain) {
    const number = h('input', { type: 'text', inputmode: 'numeric', 'aria-label': `Iteration of ${loop.title || shortTitle(loop)}`, spellcheck: 'false' });
    const of = h('span', { class: 'of' });
    const go = () => {
      const wanted = Number.parseInt(number.value, 10);
      const { first, of: total } = rolled.called(loop, rolled.at(loop, level.step));
      if (Number.isInteger(wanted)) on.seek(loop, first + Math.min(total - 1, Math.max(0, wanted)));
      level.show(level.step, true);
    };
    number.addEventListener('change', go);
    number.addEventListener('focus', () => number.select());
    number.addEventListener('keydown', (event) => {
      const direction = { ArrowUp: 1, ArrowDown: -1 }[event.key];
      if (direction) {
        on.beside(loop, direction);
        event.preventDefault();
      }
      if (event.key === 'Enter') number.blur();
      event.stopPropagation();
    });
    const title = [loop.title, loop.reason].filter(Boolean).join('\n');
    const name = h('button', { type: 'button', class: isMain ? 'name main' : 'name', title, click: () => on.menu([loop], name) }, shortTitle(loop));
    const beside = (direction, icon, word) => iconButton(icon, `${word} iteration`, () => on.beside(loop, direction), {
      'aria-label': `${word} iteration of ${shortTitle(loop)}`,
    });
    const level = {
      loop,
      step: 0,
      element: h('li', {}, name, h('span', { class: 'stepper' }, beside(-1, 'before', 'Previous'), number, of, beside(1, 'after', 'Next'))),
      show(step, anew = false) {
        level.step = step;
        const row = rolled.at(loop, step);
        const { at, of: total } = rolled.called(loop, row);
        const text = at < 0 ? '–' : numberOf(at);
        if (anew || number.getRootNode().activeElement !== number || number.value !== text) number.value = text;
        number.style.width = `${Math.max(2, String(total).length) + 1.2}ch`;
        of.textContent = `of ${total}`;
        // Between its iterations a loop is not on.
        level.element.toggleAttribute('data-off', row < 0 || step > rolled.range(loop, row).to);
      },
    };
    return level;
  }

  return {
    element,

    /** Take over a run, or none. Of one that is not rolled only the way back is there. */
    setModel(model) {
      rolled = model.rolled;
      shown = '';
      const there = rolled !== null && (rolled.on || rolled.worth);
      element.hidden = !there;
      if (!there) return;
      by.hidden = rolled.alone;
      roll.setAttribute('aria-pressed', String(rolled.on));
      unroll.setAttribute('aria-pressed', String(!rolled.on));
      file.textContent = rolled.file;
      for (const each of [file, crumbs, all]) each.hidden = !rolled.on;
      all.hidden ||= ![...rolled.loops.values()].some(({ kind }) => kind === 'depth');
    },

    show(step) {
      if (!rolled?.on) return;
      const chain = rolled.chain(step);
      const now = chain.map(({ id }) => id).join('\n');
      if (now !== shown) {
        shown = now;
        levels = chain.map((loop) => crumb(loop, loop === rolled.main));
        crumbs.replaceChildren(...levels.map((level) => level.element));
      }
      for (const level of levels) level.show(step);
    },
  };
}
