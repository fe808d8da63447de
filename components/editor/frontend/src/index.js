/** Entry: Streamlit calls the default export on every update; editors live as long as their place in the page. */

import { createEditor } from './editor.js';

const editors = new WeakMap();

export default function render(component) {
  const { parentElement } = component;
  let editor = editors.get(parentElement);
  if (!editor) {
    editor = createEditor(parentElement, component);
    editors.set(parentElement, editor);
  }
  editor.update(component);
  return () => {
    editors.delete(parentElement);
    editor.destroy();
  };
}
