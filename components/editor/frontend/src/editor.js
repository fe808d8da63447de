/** One code editor: CodeMirror, the text's way to Python, and the marks of the tape's current moment and of errors. */

import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { pythonLanguage } from '@codemirror/lang-python';
import { bracketMatching, indentOnInput, indentUnit, LanguageSupport } from '@codemirror/language';
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search';
import { Annotation, EditorState, Prec } from '@codemirror/state';
import {
  drawSelection, EditorView, highlightSpecialChars, keymap, lineNumbers,
} from '@codemirror/view';

import { completer } from './complete.js';
import { marks, setDiagnostics, setMoment } from './marks.js';
import { look } from './look.js';

/** Marks changes that came from Python, which it need not be told of. */
const fromPython = Annotation.define();
const SEND_AFTER = 300;
/** The newest moment of the tape, for editors that are mounted after it was told. */
let latest = null;
window.addEventListener('gradtape:moment', (event) => { latest = event.detail; });

export function createEditor(parent, component) {
  const root = document.createElement('div');
  root.className = 'gt-editor';
  root.style.containerType = 'inline-size'; // messages are as wide as what is seen of the text
  parent.appendChild(root);

  let { data, setStateValue, setTriggerValue } = component;
  let rev = data.rev;
  let ranText = data.text;
  let timer = 0;
  let runs = 0;
  const names = { list: data.completions ?? [] };

  const text = () => view.state.doc.toString();
  const send = () => {
    window.clearTimeout(timer);
    timer = 0;
    setStateValue('text', { text: text(), rev });
  };
  const run = () => {
    window.clearTimeout(timer);
    timer = 0;
    runs += 1;
    setTriggerValue('run', { text: text(), n: runs });
    return true;
  };

  const view = new EditorView({
    parent: root,
    root: parent.getRootNode(),
    state: EditorState.create({
      doc: data.text,
      extensions: [
        Prec.highest(keymap.of([{ key: 'Mod-Enter', run }])),
        lineNumbers(),
        highlightSpecialChars(),
        history(),
        drawSelection(),
        indentOnInput(),
        indentUnit.of('    '),
        bracketMatching(),
        closeBrackets(),
        highlightSelectionMatches(),
        autocompletion({ override: [completer(names)], icons: false }),
        new LanguageSupport(pythonLanguage),
        keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, ...completionKeymap, indentWithTab]),
        EditorState.readOnly.of(Boolean(data.readOnly)),
        EditorView.contentAttributes.of({
          'aria-label': data.label ?? 'Program',
          'aria-description': 'Control Enter runs. Escape, then Tab leaves the editor.',
          spellcheck: 'false',
          autocapitalize: 'off',
        }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged && !update.transactions.some((each) => each.annotation(fromPython))) {
            window.clearTimeout(timer);
            timer = window.setTimeout(send, SEND_AFTER);
            root.dataset.dirty = String(text() !== ranText);
            // The tape belongs to the text that ran: its marks go as soon as the text differs.
            if (text() !== ranText) view.dispatch({ effects: setMoment.of(null) });
          }
          if (update.selectionSet && update.transactions.some((each) => each.isUserEvent('select'))) tellCursor(update.state);
        }),
        look,
        marks,
      ],
    }),
  });

  const tellCursor = (state) => {
    const head = state.selection.main.head;
    const line = state.doc.lineAt(head);
    window.dispatchEvent(new CustomEvent('gradtape:cursor', { detail: { cell: data.cell, line: line.number, column: head - line.from } }));
  };

  const showMoment = (moment) => {
    const mine = moment && moment.cell === data.cell && moment.span && text() === ranText;
    view.dispatch({ effects: setMoment.of(mine ? moment.span : null) });
    if (!mine) return;
    const number = Math.min(Math.max(moment.span[0], 1), view.state.doc.lines);
    const block = view.lineBlockAt(view.state.doc.line(number).from);
    const { scrollTop, clientHeight } = view.scrollDOM;
    if (block.top < scrollTop || block.bottom > scrollTop + clientHeight) {
      view.scrollDOM.scrollTop = block.top - clientHeight / 3;
    }
  };
  const onMoment = (event) => showMoment(event.detail);
  window.addEventListener('gradtape:moment', onMoment);

  const handle = {
    getText: text,
    setText: (value) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: value } }),
    focus: () => view.focus(),
    view,
  };
  window.__gradtapeEditor ??= {};

  return {
    update(next) {
      ({ data, setStateValue, setTriggerValue } = next);
      names.list = data.completions ?? [];
      window.__gradtapeEditor[data.key] = handle;
      root.style.setProperty('--gt-height', typeof data.height === 'number' ? `${data.height}px` : 'auto');
      if (data.rev !== rev) {
        rev = data.rev;
        if (text() !== data.text) {
          view.dispatch({
            changes: { from: 0, to: view.state.doc.length, insert: data.text },
            selection: { anchor: 0 },
            annotations: fromPython.of(true),
            scrollIntoView: true,
          });
        }
      }
      ranText = data.ran ?? data.text;
      root.dataset.dirty = String(text() !== ranText);
      view.dispatch({ effects: setDiagnostics.of(text() === ranText ? data.diagnostics ?? [] : []) });
      showMoment(latest);
      root.dataset.ready = 'true';
    },
    destroy() {
      window.removeEventListener('gradtape:moment', onMoment);
      if (timer) send();
      view.destroy();
      root.remove();
    },
  };
}
