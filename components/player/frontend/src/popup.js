/** A small dialog over the stage, at a point: it closes with Escape and with a press outside, and gives the focus back. */

import { h } from '../../../browser/dom.mjs';

/** @param {string} name   its class  @param {string} label   what it is called */
export function createPopup(name, label) {
  const element = h('div', { class: `popover ${name}`, role: 'dialog', 'aria-label': label, hidden: '' });
  let opener = null;

  function close(back = true) {
    if (element.hidden) return;
    element.hidden = true;
    document.removeEventListener('pointerdown', outside, true);
    if (back) opener?.focus?.({ preventScroll: true });
    opener = null;
  }

  function outside(event) {
    if (!event.composedPath().includes(element)) close(false);
  }

  element.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') close();
    event.stopPropagation();
  });

  return {
    element,
    close,

    /** @param {Node[]} children  @param {{x: number, y: number}} point   of the stage that it is in  @param {HTMLElement | null} from */
    open(children, point, from = null) {
      close(false);
      opener = from;
      element.replaceChildren(...children);
      element.hidden = false;
      const stage = element.parentElement;
      element.style.left = `${Math.max(8, Math.min(point.x, stage.clientWidth - element.offsetWidth - 8))}px`;
      element.style.top = `${Math.max(8, Math.min(point.y, stage.clientHeight - element.offsetHeight - 8))}px`;
      element.querySelector('input, button')?.focus({ preventScroll: true });
      document.addEventListener('pointerdown', outside, true);
    },
  };
}
