/** The line that says in words what happens at a step. Parts are `[text, style]`; text never becomes markup. */

import { h } from '../../../browser/dom.mjs';

const QUIET_MS = 600;
const STYLES = new Set(['plain', 'strong', 'code', 'grad']);

export function createCaption() {
  const line = h('p');
  const said = h('p', { class: 'unseen', role: 'status' });
  const element = h('div', { class: 'words' }, h('div', { class: 'caption' }, line), said);
  let timer = null;
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
