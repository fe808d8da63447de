/**
 * What Tab does: it leaves the editor, as it leaves every control, until something is typed; from then on it indents, until Escape is
 * pressed or the focus goes elsewhere. Who cannot see it is told each time that changes.
 */

import { Prec } from '@codemirror/state';
import { EditorView, keymap } from '@codemirror/view';

export const LEAVES = 'Tab leaves the editor.';
export const INDENTS = 'Tab indents now. Press Escape, then Tab to leave the editor.';

/** Whether these changes are the user's typing; what Python changes is not. */
function isTyped(update) {
  const typed = (each) => ['input', 'delete', 'move', 'undo', 'redo'].some((event) => each.isUserEvent(event)) && !each.isUserEvent('input.python');
  return update.docChanged && update.transactions.some((each) => each.docChanged && typed(each));
}

/** Editors in which Tab indents. */
const indenting = new WeakSet();

function turn(view, indents) {
  view.setTabFocusMode(!indents);
  if (indents === indenting.has(view)) return;
  if (indents) indenting.add(view);
  else indenting.delete(view);
  // Not while the view is being updated, where nothing may be dispatched.
  queueMicrotask(() => view.hasFocus && view.dispatch({ effects: EditorView.announce.of(indents ? INDENTS : LEAVES) }));
}

export const leavingByTab = [
  // As the focus comes, not when the view has told of it, a moment later: the next Tab may be pressed by then.
  EditorView.domEventObservers({
    focus(_, view) {
      turn(view, false);
    },
    blur(_, view) {
      turn(view, false);
    },
  }),
  EditorView.updateListener.of((update) => {
    if (isTyped(update) && update.view.hasFocus) turn(update.view, true);
  }),
  // Last of all: what is open in the editor is closed by Escape first.
  Prec.lowest(keymap.of([{
    key: 'Escape',
    run(view) {
      turn(view, false);
      return false;
    },
  }])),
];
