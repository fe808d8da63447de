/** Keys of the player, heard on the whole page unless the user is typing or another control has the focus. */

import { isTyping } from '../../../browser/typing.mjs';

/**
 * @param {HTMLElement} root
 * @param {Record<string, (event: KeyboardEvent) => void>} keys   by `event.key`, or `Shift+` and it
 * @returns {() => void} stop listening
 */
export function listenToKeys(root, keys) {
  const onKey = (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const action = (event.shiftKey && keys[`Shift+${event.key}`]) || keys[event.key];
    if (!action || root.offsetParent === null) return;
    const focused = deepActive(root.ownerDocument);
    if (!listensTo(focused, root)) return;
    // A focused button keeps its own Space and Enter.
    if ((event.key === ' ' || event.key === 'Enter') && focused?.closest?.('button, select, a, summary')) return;
    // Escape may mean something to others too.
    if (event.key === 'Escape') return action(event);
    event.preventDefault();
    // Streamlit has keys of its own on the window ("c" clears its cache).
    event.stopPropagation();
    action(event);
  };
  document.addEventListener('keydown', onKey);
  return () => document.removeEventListener('keydown', onKey);
}

/** The element that has the focus, looked for inside shadow roots too. */
export function deepActive(document) {
  let active = document.activeElement;
  while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
  return active;
}

/** Controls that have a use of their own for arrows and the like. */
const OTHERS = '[role="radiogroup"], [role="grid"], [role="slider"], [role="listbox"], [role="tablist"], [role="dialog"], [role="menu"], [data-testid="stDataFrame"]';

function listensTo(focused, root) {
  if (focused === null || focused === root.ownerDocument.body) return true;
  if (isTyping(focused)) return false;
  return root.contains(focused) || !focused.closest?.(OTHERS);
}
