/** Entry: Streamlit calls the default export on every update; an editor lives as long as its place in the page. */

import { createEditor } from './editor.js';

const editors = new WeakMap();

export default function render(given) {
  const component = { ...given, data: JSON.parse(new TextDecoder().decode(given.data)) };
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
