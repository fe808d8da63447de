/** The tape's moments, told by the player on `window`, and the cursor's moves, told back. */

/** The newest moment, for editors that are mounted after it was told. */
let newest = null;
const listeners = new Set();

window.addEventListener('gradtape:moment', ({ detail }) => {
  newest = detail;
  for (const listener of listeners) listener(detail);
});

export const newestMoment = () => newest;

/** @returns {() => void} ends it */
export function onMoment(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function tellCursor(cell, { line, column }) {
  window.dispatchEvent(new CustomEvent('gradtape:cursor', { detail: { cell, line, column } }));
}
