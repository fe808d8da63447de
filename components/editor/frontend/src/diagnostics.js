/** Errors and warnings: a wavy line under the range, a sign in the gutter, and the message below the line. */

import { RangeSet, StateEffect, StateField } from '@codemirror/state';
import { Decoration, EditorView, gutterLineClass, GutterMarker, gutterWidgetClass, WidgetType } from '@codemirror/view';

import { rangeOf, ranField } from './executed-text.js';

/** A list of {line, column, end_line, end_column, message, severity}, in positions of the text that ran. */
export const setDiagnostics = StateEffect.define();

const WORDS = { error: 'Error', warning: 'Warning', info: 'Note' };
export const SEVEREST = ['error', 'warning', 'info'];

const field = StateField.define({
  create: () => [],
  update: (list, transaction) => transaction.effects.reduce((value, effect) => (effect.is(setDiagnostics) ? effect.value : value), list),
});

const severityOf = ({ severity }) => (severity in WORDS ? severity : 'error');

/** The diagnostics with their ranges in the document; those whose text is gone are left out. */
function located(state) {
  const found = [];
  for (const each of state.field(field)) {
    const range = rangeOf(state, [each.line, each.column, each.end_line, each.end_column]);
    if (!range) continue;
    const line = state.doc.lineAt(range.from);
    const whole = range.to <= range.from;
    const indent = line.text.length - line.text.trimStart().length;
    found.push({ ...each, severity: severityOf(each), line, from: whole ? line.from + indent : range.from, to: whole ? line.to : range.to });
  }
  return found;
}

class Message extends WidgetType {
  constructor(message, severity) {
    super();
    this.message = message;
    this.severity = severity;
  }

  eq(other) {
    return other.message === this.message && other.severity === this.severity;
  }

  toDOM() {
    const box = document.createElement('div');
    box.className = `gt-message gt-${this.severity}`;
    const text = document.createElement('div');
    text.textContent = this.message;
    box.append(text);
    return box;
  }

  ignoreEvent() {
    return true; // so that the message can be selected and copied
  }
}

class Beside extends GutterMarker {
  constructor(severity) {
    super();
    this.elementClass = `gt-beside gt-${severity}`;
  }

  eq(other) {
    return other.elementClass === this.elementClass;
  }
}

/** The sign itself is drawn by the style sheet, in the room left of the line's number. */
export const SIGNS = Object.fromEntries(
  SEVEREST.map((severity) => [severity, new (class extends GutterMarker { elementClass = `gt-wrong-number gt-${severity}`; })()]),
);

function marks(state) {
  const list = [];
  for (const { severity, line, from, to, message } of located(state)) {
    if (to > from) list.push(Decoration.mark({ class: `gt-squiggle gt-${severity}` }).range(from, to));
    list.push(Decoration.line({ class: `gt-wrong gt-${severity}` }).range(line.from));
    list.push(Decoration.widget({ widget: new Message(message, severity), block: true, side: 1 }).range(line.to));
  }
  return Decoration.set(list, true);
}

/** Start of a line -> the worst severity of what is wrong there. */
export function worstByLine(state) {
  const worst = new Map();
  for (const { severity, line } of located(state)) {
    const known = worst.get(line.from);
    if (known === undefined || SEVEREST.indexOf(severity) < SEVEREST.indexOf(known)) worst.set(line.from, severity);
  }
  return worst;
}

function signs(state) {
  return RangeSet.of([...worstByLine(state)].map(([start, severity]) => SIGNS[severity].range(start)), true);
}

/** What to say to assistive technology when the diagnostics change. */
export function announcement(list) {
  return list.map((each) => `${WORDS[severityOf(each)]} in line ${each.line}: ${each.message}`).join('\n');
}

export const diagnostics = [
  field,
  EditorView.decorations.compute([field, ranField, 'doc'], marks),
  gutterLineClass.compute([field, ranField, 'doc'], signs),
  gutterWidgetClass.of((_, widget) => (widget instanceof Message ? new Beside(widget.severity) : null)),
];
