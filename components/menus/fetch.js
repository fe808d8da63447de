/** Presses buttons that hand out files, each once, as soon as they are there. */

import { received } from '../browser/mount.mjs';

const pressed = new Set();
const EVERY_MS = 50;
const PATIENCE = 200;

export default function render({ data }) {
  for (const key of received(data).press) {
    if (!pressed.has(key)) {
      pressed.add(key);
      press(key, PATIENCE);
    }
  }
}

const halt = (event) => event.stopPropagation();

function press(key, patience) {
  const button = document.querySelector(`.st-key-${key} button`);
  if (button) {
    // A click outside of an open menu would close it, when the document hears of it.
    document.body.addEventListener('click', halt);
    button.click();
    document.body.removeEventListener('click', halt);
  } else if (patience) setTimeout(() => press(key, patience - 1), EVERY_MS);
}
