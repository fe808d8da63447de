/** The text that ran last: what the tape's positions belong to, and how to find them in a text edited since. */

import { ChangeSet, MapMode, StateEffect, StateField, Text } from '@codemirror/state';

import { offsetOf, positionOf, smallestChange } from './text.js';

/** This text has been run. */
export const setRan = StateEffect.define();

/** {text, doc, changes}: the text that ran, and the changes from it to the document. */
export const ranField = StateField.define({
  create: (state) => ({ text: state.doc.toString(), doc: state.doc, changes: ChangeSet.empty(state.doc.length) }),
  update(ran, transaction) {
    let next = ran;
    if (transaction.docChanged) {
      // A text that was edited back counts as untouched: a deletion taken back would otherwise have lost its positions.
      const changes = transaction.newDoc.eq(ran.doc) ? ChangeSet.empty(ran.doc.length) : ran.changes.compose(transaction.changes);
      next = { ...ran, changes };
    }
    for (const effect of transaction.effects) {
      if (effect.is(setRan) && effect.value !== next.text) next = since(effect.value, transaction.newDoc);
    }
    return next;
  },
});

function since(text, current) {
  const doc = Text.of(text.split('\n'));
  const change = smallestChange(text, current.toString());
  return { text, doc, changes: change ? ChangeSet.of(change, doc.length) : ChangeSet.empty(doc.length) };
}

/** Whether the document differs from the text that ran. */
export function isEdited(state) {
  return !state.field(ranField).changes.empty;
}

/**
 * A Python span of the text that ran, as a range of the document; null if that part of it is gone.
 * @param {[number, number, number, number]} span line, column, end line, end column
 */
export function rangeOf(state, [line, column, endLine, endColumn]) {
  const { doc, changes } = state.field(ranField);
  const first = offsetOf(doc, line, column);
  const last = Math.max(first, offsetOf(doc, endLine || line, endColumn));
  const from = changes.mapPos(first, 1);
  const to = changes.mapPos(last, -1);
  // An empty span stands for the rest of its line.
  const end = last > first ? last : doc.lineAt(first).to;
  const gone = end > first && changes.mapPos(end, -1) <= from;
  return gone ? null : { from, to: Math.max(from, to) };
}

/** The text at a span of the text that ran. */
export function textOf(state, [line, column, endLine, endColumn]) {
  const { doc } = state.field(ranField);
  return doc.sliceString(offsetOf(doc, line, column), offsetOf(doc, endLine || line, endColumn));
}

/** The Python position in the text that ran of an offset in the document; null inside text that has not run. */
export function ranPosition(state, offset) {
  const { doc, changes } = state.field(ranField);
  let inside = false;
  changes.iterChangedRanges((fromA, toA, fromB, toB) => {
    if (fromB < offset && offset < toB) inside = true;
  });
  return inside ? null : positionOf(doc, changes.invertedDesc.mapPos(offset, -1));
}

/** The number in the text that ran of the line that begins at an offset in the document; null if its beginning is new. */
export function lineThatRan(state, start) {
  const { doc, changes } = state.field(ranField);
  let isNew = false;
  changes.iterChangedRanges((fromA, toA, fromB, toB) => {
    if (fromB <= start && start < toB) isNew = true;
  });
  return isNew ? null : doc.lineAt(changes.invertedDesc.mapPos(start, 1)).number;
}

/** The number of a line of the text that ran in the document; null if it is gone. */
export function lineInDocument(state, line) {
  const { doc, changes } = state.field(ranField);
  if (line < 1 || line > doc.lines) return null;
  const offset = changes.mapPos(doc.line(line).from, 1, MapMode.TrackDel);
  return offset === null ? null : state.doc.lineAt(offset).number;
}
