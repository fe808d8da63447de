/** One editor: CodeMirror, its way to Python and back, and the marks of the tape. */

import { Annotation, Compartment, EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';

import { newestMoment, onMoment, tellCursor } from './bus.js';
import { announcement, diagnostics, setDiagnostics } from './diagnostics.js';
import { look, toneOf } from './look.js';
import { moment, momentRange, setMoment } from './moment.js';
import { createOutbox } from './outbox.js';
import { isEdited, ranField, setRan } from './ran.js';
import { reveal } from './scroll.js';
import { setup } from './setup.js';
import { normalised, positionOf, smallestChange } from './text.js';

/** Marks changes that came from Python, which it need not be told of. */
const fromPython = Annotation.define();

export function createEditor({ parentElement, data: first }) {
  const root = document.createElement('div');
  root.className = 'gt-editor';
  root.style.containerType = 'inline-size'; // messages are as wide as what is seen of the text
  parentElement.append(root);

  let data = first;
  const outbox = createOutbox(() => view.state.doc.toString());
  const changeable = new Compartment();

  const view = new EditorView({
    parent: root,
    root: parentElement instanceof ShadowRoot ? parentElement : document,
    state: EditorState.create({
      doc: normalised(data.text),
      extensions: [
        setup({ run, completions: () => data.completions ?? [] }),
        changeable.of([]),
        ranField,
        diagnostics,
        moment,
        look,
        EditorView.updateListener.of(changed),
        EditorView.domEventHandlers({ blur: () => outbox.flush() }),
      ],
    }),
  });
  outbox.assume(normalised(data.text));
  const forget = onMoment((told) => showMoment(told, true));

  const handle = {
    view,
    getText: () => view.state.doc.toString(),
    setText: (text) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text }, userEvent: 'input' }),
    focus: () => view.focus(),
  };

  function run() {
    outbox.run();
    if (data.ran == null) ranNow(view.state.doc.toString());
    return true;
  }

  function changed(update) {
    const mine = update.transactions.some((each) => each.annotation(fromPython));
    if (update.docChanged && !mine) outbox.typed();
    if (update.selectionSet && update.transactions.some((each) => each.isUserEvent('select'))) {
      tellCursor(data.cell, positionOf(update.state.doc, update.state.selection.main.head));
    }
    root.classList.toggle('gt-edited', isEdited(update.state));
  }

  /** What the moment on show belongs to is no longer the last run, so it goes with the old text. */
  function ranNow(text) {
    if (text === view.state.field(ranField).text) return;
    view.dispatch({ effects: [setRan.of(text), setMoment.of(null)] });
  }

  function showMoment(told, scroll) {
    view.dispatch({ effects: setMoment.of(told?.cell === data.cell && Array.isArray(told.span) ? told.span : null) });
    const range = momentRange(view.state);
    if (scroll && range) reveal(view, range.from);
  }

  function takeOver(text) {
    const change = smallestChange(view.state.doc.toString(), text);
    outbox.assume(text);
    if (change) view.dispatch({ changes: change, annotations: fromPython.of(true), userEvent: 'input.python' });
  }

  function showDiagnostics(list) {
    view.dispatch({ effects: [setDiagnostics.of(list), EditorView.announce.of(announcement(list))] });
  }

  let shown = { rev: data.rev, diagnostics: '[]', attributes: '' };

  function update(component) {
    data = component.data;
    outbox.connect(component);
    if (!root.isConnected) parentElement.append(root);
    const isFirst = root.dataset.ready === undefined;
    const isNew = data.rev !== shown.rev;
    const list = JSON.stringify(data.diagnostics ?? []);
    const attributes = JSON.stringify([data.label, data.readOnly]);
    if (isNew) takeOver(normalised(data.text));
    if (data.ran != null) ranNow(normalised(data.ran));
    else if (isNew) ranNow(normalised(data.text));
    if (attributes !== shown.attributes) view.dispatch({ effects: changeable.reconfigure(described(data)) });
    if (list !== shown.diagnostics) showDiagnostics(data.diagnostics ?? []);
    if (isFirst) showMoment(newestMoment(), false);
    shown = { rev: data.rev, diagnostics: list, attributes };
    root.style.setProperty('--gt-height', heightOf(data.height));
    root.dataset.tone = toneOf(view.dom);
    root.dataset.ready = 'true';
    (window.__gradtapeEditor ??= {})[data.key] = handle;
  }

  function destroy() {
    forget();
    outbox.flush();
    if (window.__gradtapeEditor?.[data.key] === handle) delete window.__gradtapeEditor[data.key];
    view.destroy();
    root.remove();
  }

  return { update, destroy };
}

function heightOf(height) {
  if (typeof height === 'number') return `${height}px`;
  return height === 'stretch' ? '100%' : 'auto';
}

function described({ label, readOnly }) {
  return [
    EditorState.readOnly.of(Boolean(readOnly)),
    EditorView.contentAttributes.of({
      'aria-label': label ?? 'Program',
      'aria-description': 'Control Enter runs the program. Tab indents; press Escape, then Tab to leave the editor.',
    }),
  ];
}
