/** Entry: an editor for each element of the page. Names to offer have an element of their own, which shows nothing. */

import { mounted, received } from '../../../browser/mount.mjs';
import { createEditor } from './editor.js';
import { setNames } from './names.js';

const editor = mounted(createEditor);

export default function render(given) {
  const data = received(given.data);
  return data.names ? setNames(data.names) : editor({ ...given, data });
}

// What the unit tests use of CodeMirror: they run with the one in the bundle, see ../shipped.mjs.
export { isolateHistory } from '@codemirror/commands';
export { pythonLanguage } from '@codemirror/lang-python';
export { ensureSyntaxTree, syntaxTree } from '@codemirror/language';
export { ChangeSet, EditorState, MapMode, Prec, StateEffect, StateField, Text, Transaction } from '@codemirror/state';
export { Decoration, EditorView, ViewPlugin } from '@codemirror/view';
