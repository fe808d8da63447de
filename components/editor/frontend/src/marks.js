/** What is marked in the text: the line and span of the tape's moment, and errors with their message below the line. */

import { RangeSetBuilder, StateEffect, StateField } from '@codemirror/state';
import { Decoration, EditorView, gutterLineClass, GutterMarker, WidgetType } from '@codemirror/view';

/** [line, column, end line, end column] or null; lines from 1, columns from 0 in UTF-8 bytes as Python counts them. */
export const setMoment = StateEffect.define();
/** A list of {line, column, end_line, end_column, message, severity}. */
export const setDiagnostics = StateEffect.define();

const encoder = new TextEncoder();

/** The place of a Python position: its columns count UTF-8 bytes, the editor's count UTF-16 units. */
function place(doc, line, column) {
  const at = doc.line(Math.min(Math.max(line, 1), doc.lines));
  let bytes = 0;
  let units = 0;
  for (const character of at.text) {
    if (bytes >= column) break;
    bytes += encoder.encode(character).length;
    units += character.length;
  }
  return at.from + units;
}

class Message extends WidgetType {
  constructor(text, severity) {
    super();
    this.text = text;
    this.severity = severity;
  }

  eq(other) {
    return other.text === this.text && other.severity === this.severity;
  }

  toDOM() {
    const box = document.createElement('div');
    box.className = `gt-message ${this.severity}`;
    box.setAttribute('role', 'alert');
    box.textContent = this.text;
    return box;
  }
}

class Mark extends GutterMarker {
  elementClass = 'gt-wrong-line';
}
const wrongLine = new Mark();

const momentField = StateField.define({
  create: () => Decoration.none,
  update(value, transaction) {
    let marks = value.map(transaction.changes);
    for (const effect of transaction.effects) if (effect.is(setMoment)) marks = momentMarks(transaction.state.doc, effect.value);
    return marks;
  },
  provide: (field) => EditorView.decorations.from(field),
});

function momentMarks(doc, span) {
  if (!span) return Decoration.none;
  const [line, column, endLine, endColumn] = span;
  const first = doc.line(Math.min(Math.max(line, 1), doc.lines));
  const from = place(doc, line, column);
  const to = place(doc, endLine || line, endColumn);
  const marks = [Decoration.line({ class: 'gt-moment' }).range(first.from)];
  if (to > from) marks.push(Decoration.mark({ class: 'gt-span' }).range(from, to));
  return Decoration.set(marks, true);
}

const diagnosticField = StateField.define({
  create: () => ({ marks: Decoration.none, gutter: new RangeSetBuilder().finish() }),
  update(value, transaction) {
    let { marks, gutter } = value;
    if (transaction.docChanged) {
      marks = marks.map(transaction.changes);
      gutter = gutter.map(transaction.changes);
    }
    for (const effect of transaction.effects) {
      if (effect.is(setDiagnostics)) ({ marks, gutter } = diagnosticMarks(transaction.state.doc, effect.value));
    }
    return { marks, gutter };
  },
  provide: (field) => [
    EditorView.decorations.from(field, (value) => value.marks),
    gutterLineClass.from(field, (value) => value.gutter),
  ],
});

function diagnosticMarks(doc, diagnostics) {
  const marks = [];
  const gutter = new RangeSetBuilder();
  for (const each of [...diagnostics].sort((a, b) => a.line - b.line)) {
    const line = doc.line(Math.min(Math.max(each.line, 1), doc.lines));
    const from = place(doc, each.line, each.column);
    let to = place(doc, each.end_line || each.line, each.end_column);
    if (to <= from) to = line.to;
    if (to > from) marks.push(Decoration.mark({ class: `gt-squiggle ${each.severity}` }).range(from, to));
    marks.push(Decoration.line({ class: 'gt-wrong' }).range(line.from));
    marks.push(Decoration.widget({ widget: new Message(each.message, each.severity), block: true, side: 1 }).range(line.to));
    gutter.add(line.from, line.from, wrongLine);
  }
  return { marks: Decoration.set(marks, true), gutter: gutter.finish() };
}

export const marks = [momentField, diagnosticField];
