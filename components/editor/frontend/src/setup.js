/** What makes CodeMirror a comfortable editor for Python. */

import {
  autocompletion, closeBrackets, closeBracketsKeymap, closeCompletion, completionKeymap, selectedCompletion,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { pythonLanguage } from '@codemirror/lang-python';
import { bracketMatching, indentOnInput, indentUnit, LanguageSupport } from '@codemirror/language';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { EditorState, Prec } from '@codemirror/state';
import {
  crosshairCursor, drawSelection, dropCursor, EditorView, highlightActiveLineGutter, highlightSpecialChars, keymap, rectangularSelection,
} from '@codemirror/view';

import { breakpoints } from './breakpoints.js';
import { completeFrom } from './complete.js';
import { leavingByTab } from './tab.js';

/** @param {{run: () => boolean, runTo: (view: EditorView, offset: number) => boolean, completions: () => object[]}} page */
export function setup({ run, runTo, completions }) {
  return [
    // Before the default keymap, where Mod-Enter opens a line.
    Prec.highest(keymap.of([{ key: 'Mod-Enter', run, preventDefault: true }, { key: 'Enter', run: leaveWholeName }])),
    breakpoints(runTo),
    leavingByTab,
    highlightActiveLineGutter(),
    highlightSpecialChars(),
    history(),
    drawSelection(),
    dropCursor(),
    EditorState.allowMultipleSelections.of(true),
    rectangularSelection(),
    crosshairCursor(),
    indentOnInput(),
    indentUnit.of('    '),
    EditorState.tabSize.of(4),
    bracketMatching(),
    closeBrackets(),
    search({ top: true }),
    highlightSelectionMatches({ minSelectionLength: 2 }),
    autocompletion({ override: [completeFrom(completions)], icons: false }),
    new LanguageSupport(pythonLanguage),
    keymap.of([
      ...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, ...completionKeymap, indentWithTab,
    ]),
    EditorView.contentAttributes.of({ spellcheck: 'false', autocorrect: 'off', autocapitalize: 'off', tabindex: '0' }),
  ];
}

/** Takes away the offer of what is written already, so that Enter opens a line as it always does. */
function leaveWholeName(view) {
  const { from, head } = view.state.selection.main;
  const written = view.state.sliceDoc(view.state.doc.lineAt(from).from, head).match(/\w*$/)[0];
  if (selectedCompletion(view.state)?.label === written) closeCompletion(view);
  return false;
}
