/** What can be done with a card: give it a colour, hide it, have its value watched; opened with the other mouse button. */

import { h } from '../../../browser/dom.mjs';
import { createPopup } from './popup.js';

/** @param {object} choices   what is chosen of cards (`choices.js`) */
export function createCardMenu(choices) {
  const popup = createPopup('card-menu', 'Card');

  const button = (label, key, action) => h('button', { type: 'button', class: 'word', click: () => {
    popup.close();
    action();
  } }, label, ...(key ? [' ', h('kbd', {}, key)] : []));

  function swatch(id, number, now, colours) {
    const label = number === null ? 'No colour' : `Colour ${number + 1}`;
    const style = number === null ? null : `--swatch: ${colours[number]}`;
    return h('button', { type: 'button', class: 'swatch', style, title: label, 'aria-label': label, 'aria-pressed': String(number === now), click: () => {
      popup.close();
      choices.colour(id, number);
    } });
  }

  return {
    element: popup.element,
    close: popup.close,

    /** @param {{id: string, title: string, colour: number | null, named: boolean}} card   `named` if it may have a name  @param {string[]} colours   the palette's */
    open(card, colours, point, from) {
      const { id } = card;
      const hidden = choices.hidden();
      popup.open([
        h('h3', {}, card.title),
        h('div', { class: 'swatches', role: 'group', 'aria-label': 'Colour' }, ...[null, ...colours.keys()].map((number) => swatch(id, number, card.colour, colours))),
        h('div', { class: 'row' },
          button('Hide', 'h', () => choices.hide(id)),
          ...(card.named ? [button('Watch', '', () => choices.watch(id))] : []),
          ...(hidden > 0 ? [button(`Show ${hidden} hidden`, 'H', choices.showAll)] : [])),
      ], point, from);
    },
  };
}
