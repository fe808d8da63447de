/** The line that says in words what happens at a step. Parts are `[text, style]`; text never becomes markup. */

import { h } from './dom.js';

const STYLES = new Set(['plain', 'strong', 'code', 'grad']);

export function createCaption() {
  const element = h('div', { class: 'caption' });
  const line = h('p');
  element.append(line);
  return {
    element,
    show(parts) {
      line.replaceChildren(...parts.map(([text, style]) => h('span', { class: STYLES.has(style) ? style : 'plain' }, String(text))));
      line.title = plainText(parts);
    },
  };
}

export function plainText(parts) {
  return (parts ?? []).map(([text]) => text).join('');
}
