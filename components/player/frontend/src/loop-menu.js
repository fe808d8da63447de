/** What can be done with a loop: go to one of its iterations, or turn it from time to depth and back, with the reason for what it is. */

import { h } from '../../../browser/dom.mjs';
import { createPopup } from './popup.js';
import { numberOf, shortTitle } from './rolled.js';

/** @param {object} on   seek(loop, row), turn(loop) */
export function createLoopMenu(on) {
  const popup = createPopup('loops', 'Loop');

  function entry(loop, rolled, step) {
    const time = loop.kind === 'time';
    const { first, at, of } = rolled.called(loop, rolled.at(loop, step));
    const number = h('input', { type: 'number', min: '0', max: String(of - 1), value: at < 0 ? '0' : numberOf(at), 'aria-label': 'Iteration' });
    const go = h('form', { class: 'goto', submit: (event) => {
      event.preventDefault();
      const wanted = Number.parseInt(number.value, 10);
      popup.close();
      if (Number.isInteger(wanted)) on.seek(loop, first + Math.min(of - 1, Math.max(0, wanted)));
    } }, h('label', {}, 'Iteration ', number, ` of ${of} `), h('button', { type: 'submit', class: 'word' }, 'Go'));
    const turn = h('button', { type: 'button', class: 'word', click: () => {
      popup.close();
      on.turn(loop);
    } }, time ? 'Turn into depth' : 'Turn into time');
    const what = time ? 'rolled over time' : 'side by side, as depth';
    return h('section', {},
      h('h3', {}, loop.title || shortTitle(loop)),
      h('p', { class: 'quiet' }, [loop.where, `${loop.total} iterations`, what].filter(Boolean).join(' · ')),
      ...(loop.reason ? [h('p', {}, loop.reason)] : []),
      h('div', { class: 'row' }, ...(time && loop.starts.length > 0 ? [go] : [h('span', {})]), ...(rolled.fixed ? [] : [turn])));
  }

  return {
    element: popup.element,
    close: popup.close,

    /** @param {{x: number, y: number}} point   of the stage that it is in */
    open(loops, rolled, step, point, from = null) {
      popup.open(loops.map((loop) => entry(loop, rolled, step)), point, from);
    },
  };
}
