/** One editor: CodeMirror, its way to Python and back, and the marks of the tape. */

import { Annotation, Compartment, EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';

import { onTheme } from '../../../browser/theme.mjs';
import { breakpointLines, breakpointOffsets, offsetsOf, setBreakpoints } from './breakpoints.js';
import {
  breakpointsOf, forgetSpans, newestMoment, newestSpans, onBreakpoints, onDrag, onMoment, onSpan, tellBreakpoints, tellCursor, tellGoto, tellHello,
} from './bus.js';
import { announcement, diagnostics, setDiagnostics, worstByLine } from './diagnostics.js';
import { draggedNumbers, numberWithin } from './drag-number.js';
import { theme, toneOf } from './theme.js';
import { marks, marksByLine, setMarks } from './marks.js';
import { names } from './names.js';
import { currentLine, momentRange, setMoment } from './current-line.js';
import { createSendQueue } from './send-queue.js';
import { isEdited, lineInDocument, lineThatRan, rangeOf, ranField, ranPosition, setRan } from './executed-text.js';
import { reveal } from './scroll.js';
import { setup } from './setup.js';
import { nodeSpans, setSpan, spanRange } from './spans.js';
import { normalised, smallestChange } from './text.js';
import { wrapping } from './wrap.js';

/** Marks changes that came from Python, which it need not be told of. */
const fromPython = Annotation.define();
/** Milliseconds from a run's text to its picture at most, in which the player has been told of it. */
const ARRIVED_MS = 1_000;

/** Marks breakpoints that the player told, which it need not be told again. */
const fromPlayer = Annotation.define();

export function createEditor({ parentElement, data: first }) {
  const root = document.createElement('div');
  root.className = 'gt-editor';
  root.style.containerType = 'inline-size'; // messages are as wide as what is seen of the text
  parentElement.append(root);

  let data = first;
  /** The line that is gone to when the run that was asked for is there. */
  let goal = null;
  /** Whether the text stands where it is to be read, until something is done: a program that has just been opened at its
   * beginning, one that failed at the line that did. */
  let unread = true;
  const queue = createSendQueue(() => view.state.doc.toString());
  const numbers = draggedNumbers(run);
  const changeable = new Compartment();
  const lines = new Compartment();

  const view = new EditorView({
    parent: root,
    root: parentElement instanceof ShadowRoot ? parentElement : document,
    state: EditorState.create({
      doc: normalised(data.text),
      extensions: [
        setup({ run, runTo, completions: names }),
        changeable.of([]),
        lines.of(wrapping()),
        ranField,
        diagnostics,
        marks((mark, apply) => queue.choose({ id: mark.id, run: data.run, apply })),
        currentLine,
        nodeSpans,
        numbers.extension,
        theme,
        EditorView.updateListener.of(changed),
        EditorView.domEventHandlers({ blur: () => queue.flush() }),
      ],
    }),
  });
  queue.assume(normalised(data.text));
  const endings = [
    onMoment((told) => showMoment(told, true)),
    onSpan((told) => showSpan(told, true)),
    onDrag(drag),
    onBreakpoints(() => takeBreakpoints()),
  ];
  const read = () => {
    unread = false;
  };
  for (const name of ['pointerdown', 'keydown']) window.addEventListener(name, read, true);
  endings.push(() => ['pointerdown', 'keydown'].forEach((name) => window.removeEventListener(name, read, true)));

  const handle = {
    view,
    getText: () => view.state.doc.toString(),
    /** Which text of Python's it goes on from. */
    rev: () => shown.rev,
    setText: (text) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text }, userEvent: 'input' }),
    focus: () => view.focus(),
    /** What was found about its lines. */
    marks: () => [...marksByLine(view.state).values()].flat(),
  };

  function wrapLines() {
    const wanted = wrapping();
    if (lines.get(view.state) !== wanted) view.dispatch({ effects: lines.reconfigure(wanted) });
    view.requestMeasure(); // the size of the text may be another one
  }
  window.addEventListener('gradtape:space', wrapLines);
  endings.push(() => window.removeEventListener('gradtape:space', wrapLines));

  // On paper the text is as long as it is.
  for (const [name, height] of [['beforeprint', () => 'content'], ['afterprint', () => data.height]]) {
    const take = () => takeHeight(height());
    window.addEventListener(name, take);
    endings.push(() => window.removeEventListener(name, take));
  }

  function run() {
    goal = null;
    queue.run();
    if (data.ran == null) ranNow(view.state.doc.toString());
    return true;
  }

  /** Go to where the program comes to a line next; what has been changed runs before. */
  function runTo(target, offset) {
    const { from, number } = target.state.doc.lineAt(offset);
    if (isEdited(target.state)) {
      run();
      goal = number;
      return true;
    }
    const line = lineThatRan(target.state, from);
    if (line !== null) tellGoto(data.cell, line);
    return true;
  }

  /** The run that was asked for on the way to a line is there: the player tells of its moment when it has it, too. */
  function arrive() {
    if (goal === null || isEdited(view.state)) return;
    const line = goal;
    goal = null;
    const go = () => {
      stop();
      clearTimeout(timer);
      tellGoto(data.cell, line);
    };
    const stop = onMoment(() => setTimeout(go));
    const timer = setTimeout(go, ARRIVED_MS);
  }

  function changed(update) {
    const mine = update.transactions.some((each) => each.annotation(fromPython));
    if (update.docChanged && !mine) queue.typed();
    if (update.selectionSet && update.transactions.some((each) => each.isUserEvent('select'))) {
      const position = ranPosition(update.state, update.state.selection.main.head);
      if (position) tellCursor(data.cell, position);
    }
    const moved = breakpointOffsets(update.state) !== breakpointOffsets(update.startState);
    const ran = update.state.field(ranField) !== update.startState.field(ranField);
    if ((moved || ran) && !update.transactions.some((each) => each.annotation(fromPlayer))) publishBreakpoints();
    root.classList.toggle('gt-edited', isEdited(update.state));
  }

  /** What the moment on show belongs to is no longer the last run, so it goes with the old text. */
  function ranNow(text) {
    if (text === view.state.field(ranField).text) return;
    forgetSpans();
    view.dispatch({ effects: [setRan.of(text), setMoment.of(null)] });
  }

  function showMoment(told, scroll) {
    view.dispatch({ effects: setMoment.of(told?.cell === data.cell && Array.isArray(told.span) ? told.span : null) });
    const range = momentRange(view.state);
    if (scroll && range && !unread) reveal(view, range.from);
  }

  function showSpan(told, scroll) {
    const { kind, cell, line, column, endLine, endColumn } = told;
    const mine = cell === data.cell && line > 0;
    view.dispatch({ effects: setSpan.of({ kind, span: mine ? [line, column, endLine, endColumn] : null }) });
    const range = mine && kind === 'select' && spanRange(view.state, kind);
    if (scroll && range && !unread) reveal(view, range.from);
  }

  /** The one number in what made a card is dragged there; whether there is one. */
  function drag({ cell, line, column, endLine, endColumn, x }) {
    const range = cell === data.cell && !view.state.readOnly && !isEdited(view.state) ? rangeOf(view.state, [line, column, endLine, endColumn]) : null;
    const number = range && numberWithin(view.state, range);
    if (number) numbers.begin(view, number, x);
    return Boolean(number);
  }

  /** Lines are counted in the text that ran; one that is new since then is told with the next run. */
  function publishBreakpoints() {
    const lines = breakpointOffsets(view.state).map((offset) => lineThatRan(view.state, offset));
    tellBreakpoints(data.cell, lines.filter((line) => line !== null));
  }

  function takeBreakpoints() {
    const lines = breakpointsOf(data.cell).map((line) => lineInDocument(view.state, line)).filter((line) => line !== null);
    if (String(lines) === String(breakpointLines(view.state))) return;
    view.dispatch({ effects: setBreakpoints.of(offsetsOf(view.state, lines)), annotations: fromPlayer.of(true) });
  }

  function takeOver(text) {
    const change = smallestChange(view.state.doc.toString(), text);
    queue.assume(text);
    if (change) view.dispatch({ changes: change, annotations: fromPython.of(true), userEvent: 'input.python' });
  }

  /** The line where the run ended comes into view, and what the player tells of its picture does not lead away from it. */
  function showError() {
    const [wrong] = unread || isEdited(view.state) ? [] : worstByLine(view.state).keys();
    if (wrong === undefined) return;
    unread = true;
    reveal(view, wrong);
  }

  function showDiagnostics(list) {
    view.dispatch({ effects: [setDiagnostics.of(list), EditorView.announce.of(announcement(list))] });
  }

  let shown = { rev: data.rev, program: data.program, run: data.run, diagnostics: '[]', marks: '[]', attributes: '' };

  function update(component) {
    data = component.data;
    queue.connect(component);
    if (!root.isConnected) parentElement.append(root);
    const isFirst = root.dataset.ready === undefined;
    const isNew = data.rev !== shown.rev;
    const list = JSON.stringify(data.diagnostics ?? []);
    const found = JSON.stringify(data.marks ?? []);
    const attributes = JSON.stringify([data.label, data.readOnly]);
    unread ||= data.program !== shown.program;
    if (isNew) takeOver(normalised(data.text));
    if (data.ran != null) ranNow(normalised(data.ran));
    else if (isNew) ranNow(normalised(data.text));
    if (attributes !== shown.attributes) view.dispatch({ effects: changeable.reconfigure(described(data)) });
    if (list !== shown.diagnostics) showDiagnostics(data.diagnostics ?? []);
    if (found !== shown.marks) view.dispatch({ effects: setMarks.of(data.marks ?? []) });
    if (isFirst) {
      showMoment(newestMoment(), false);
      takeBreakpoints();
      for (const told of newestSpans()) showSpan(told, false);
      tellHello();
    }
    if (data.run !== shown.run) {
      if (goal === null) showError();
      arrive();
    }
    shown = { rev: data.rev, program: data.program, run: data.run, diagnostics: list, marks: found, attributes };
    takeHeight(data.height);
    takeTone();
    root.dataset.ready = 'true';
    register(data.key, handle);
  }

  function takeTone() {
    root.dataset.tone = toneOf(view.dom);
  }
  endings.push(onTheme(takeTone));

  function takeHeight(height) {
    root.style.setProperty('--gt-height', heightOf(height));
    root.style.height = height === 'stretch' ? '100%' : '';
  }

  function destroy() {
    for (const end of endings) end();
    queue.flush();
    unregister(data.key, handle);
    view.destroy();
    root.remove();
  }

  return { update, destroy };
}

/** While an editor moves to another part of the page, there are two of its key for a moment. */
const mounted = new Map();

function register(key, handle) {
  const others = (mounted.get(key) ?? []).filter((each) => each !== handle);
  mounted.set(key, [...others, handle]);
  (window.__gradtapeEditor ??= {})[key] = handle;
}

function unregister(key, handle) {
  const others = (mounted.get(key) ?? []).filter((each) => each !== handle);
  mounted.set(key, others);
  if (others.length > 0) window.__gradtapeEditor[key] = others.at(-1);
  else delete window.__gradtapeEditor?.[key];
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
      'aria-description': 'Control Enter runs the program. F8 goes to the next line with a finding, Alt Arrow Down to what can be done about it. Tab leaves the editor until you type; then it indents, and Escape, then Tab, leaves.',
    }),
  ];
}
