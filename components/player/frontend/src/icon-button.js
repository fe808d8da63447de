/** Buttons with a drawn sign. */

import { h } from '../../../browser/dom.mjs';
import { ICONS } from './icons.js';

/** A button with a drawn sign; `label` is read out and shown on hover. */
export function iconButton(icon, label, onPress, attributes = {}) {
  const button = h('button', { type: 'button', 'aria-label': label, title: label, ...attributes }, drawing(icon));
  button.addEventListener('click', (event) => onPress(event));
  return button;
}

export function setIcon(button, icon, label) {
  button.replaceChildren(drawing(icon));
  button.setAttribute('aria-label', label);
  button.title = label;
}

function drawing(name) {
  const space = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(space, 'svg');
  svg.setAttribute('viewBox', '0 0 20 20');
  svg.setAttribute('aria-hidden', 'true');
  const { d, filled, dot } = ICONS[name];
  const paths = [[d, filled ? 'filled' : 'drawn'], ...(dot ? [[dot, 'filled dot']] : [])];
  for (const [line, look] of paths) {
    const path = document.createElementNS(space, 'path');
    path.setAttribute('d', line);
    path.setAttribute('class', look);
    svg.append(path);
  }
  return svg;
}
