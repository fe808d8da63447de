/** The ranges of the graph's nodes in the text: of the node under the pointer, and of the selected one. */

import { StateEffect, StateField } from '@codemirror/state';
import { Decoration, EditorView } from '@codemirror/view';

import { rangeOf, ranField, setRan, textOf } from './executed-text.js';

/** {kind: "hover" | "select", span: [line, column, end line, end column] | null}, in positions of the text that ran. */
export const setSpan = StateEffect.define();

const NONE = Object.freeze({ hover: null, select: null });

const spans = StateField.define({
  create: () => NONE,
  update(value, transaction) {
    let next = value;
    for (const effect of transaction.effects) {
      // Another run has other ranges.
      if (effect.is(setRan)) next = NONE;
      if (effect.is(setSpan) && effect.value.kind in NONE) next = { ...next, [effect.value.kind]: effect.value.span };
    }
    return next;
  },
});

const marks = {
  hover: Decoration.mark({ class: 'gt-node gt-node-hover' }),
  select: Decoration.mark({ class: 'gt-node gt-node-select' }),
};

/** Where a kind of mark is in the document; null if its text is no longer the one that ran, for it would say something else. */
export function spanRange(state, kind) {
  const span = state.field(spans)[kind];
  const range = span && rangeOf(state, span);
  if (!range || range.to <= range.from) return null;
  return state.sliceDoc(range.from, range.to) === textOf(state, span) ? range : null;
}

export const nodeSpans = [
  spans,
  EditorView.decorations.compute([spans, ranField, 'doc'], (state) => {
    const found = Object.keys(marks).flatMap((kind) => {
      const range = spanRange(state, kind);
      return range ? [marks[kind].range(range.from, range.to)] : [];
    });
    return Decoration.set(found, true);
  }),
];
