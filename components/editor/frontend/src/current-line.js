/** The tape's current moment: a band on the lines it happens on, a stronger one on the exact expression. */

import { RangeSet, StateEffect, StateField } from '@codemirror/state';
import { Decoration, EditorView, gutterLineClass, GutterMarker } from '@codemirror/view';

import { rangeOf, ranField } from './executed-text.js';

/** [line, column, end line, end column] as Python counts them, or null. */
export const setMoment = StateEffect.define();

const momentField = StateField.define({
  create: () => null,
  update: (span, transaction) => transaction.effects.reduce((value, effect) => (effect.is(setMoment) ? effect.value : value), span),
});

const line = Decoration.line({ class: 'gt-moment' });
const exact = Decoration.mark({ class: 'gt-span' });
const number = new (class extends GutterMarker {
  elementClass = 'gt-moment-number';
})();

/** Where the moment is in the document, or null. */
export function momentRange(state) {
  const span = state.field(momentField);
  return span && rangeOf(state, span);
}

function lineStarts(state) {
  const range = momentRange(state);
  if (!range) return [];
  const starts = [];
  for (let at = state.doc.lineAt(range.from); ; at = state.doc.line(at.number + 1)) {
    starts.push(at.from);
    if (at.to >= range.to) return starts;
  }
}

function bands(state) {
  const marks = lineStarts(state).map((start) => line.range(start));
  const range = momentRange(state);
  if (range && range.to > range.from) marks.push(exact.range(range.from, range.to));
  return Decoration.set(marks, true);
}

export const currentLine = [
  momentField,
  EditorView.decorations.compute([momentField, ranField, 'doc'], bands),
  gutterLineClass.compute([momentField, ranField, 'doc'], (state) => RangeSet.of(lineStarts(state).map((start) => number.range(start)))),
];
