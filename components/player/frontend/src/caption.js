/** The line that says in words what happens at a step. Parts are `[text, style]`; text never becomes markup. */

import { h } from '../../../browser/dom.mjs';
import { listenToSwipes } from './touch.js';

const QUIET_MS = 600;
const STYLES = new Set(['plain', 'strong', 'code', 'grad']);

/** @param {object} on   begins(), step(direction), ends(): a finger that is drawn along it */
export function createCaption(on) {
  const line = h('p');
  const said = h('p', { class: 'unseen', role: 'status' });
  const element = h('div', { class: 'words' }, h('div', { class: 'caption' }, line), said);
  let timer = null;
  listenToSwipes(element, on);
  return {
    element,
    show(parts) {
      line.replaceChildren(...parts.map(([text, style]) => h('span', { class: STYLES.has(style) ? style : 'plain' }, String(text))));
      line.title = plainText(parts);
      // While it plays, only where it rests is read out.
      clearTimeout(timer);
      timer = setTimeout(() => {
        said.textContent = plainText(parts);
      }, QUIET_MS);
    },
  };
}

export function plainText(parts) {
  return (parts ?? []).map(([text]) => text).join('');
}
