/** Entry: Streamlit calls the default export on every update; an editor lives as long as its place in the page. Names to offer have
 * a place of their own, which shows nothing. */

import { createEditor } from './editor.js';
import { setNames } from './names.js';

const editors = new WeakMap();

export default function render(given) {
  const component = { ...given, data: JSON.parse(new TextDecoder().decode(given.data)) };
  if (component.data.names) return setNames(component.data.names);
  const { parentElement } = component;
  let editor = editors.get(parentElement);
  if (!editor) {
    editor = createEditor(component);
    editors.set(parentElement, editor);
  }
  editor.update(component);
  return () => {
    editors.delete(parentElement);
    editor.destroy();
  };
}

// What the unit tests use of CodeMirror: they run with the one in the bundle, see ../shipped.mjs.
export { ChangeSet, EditorState, MapMode, StateEffect, StateField, Text } from '@codemirror/state';
export { Decoration, EditorView } from '@codemirror/view';
