/** Breakpoints: a dot beside a line's number, put there with a click or F9, that moves along with the text. */

import { MapMode, Prec, RangeSet, StateEffect, StateField } from '@codemirror/state';
import { EditorView, gutterLineClass, GutterMarker, keymap, lineNumbers } from '@codemirror/view';

/** The starts of the lines that have one; effects carry the whole list. */
export const setBreakpoints = StateEffect.define();

const field = StateField.define({
  create: () => [],
  update(offsets, transaction) {
    let next = offsets;
    if (transaction.docChanged && next.length > 0) {
      const mapped = next.map((offset) => transaction.changes.mapPos(offset, 1, MapMode.TrackDel)).filter((offset) => offset !== null);
      next = [...new Set(mapped.map((offset) => transaction.newDoc.lineAt(offset).from))];
    }
    for (const effect of transaction.effects) {
      if (effect.is(setBreakpoints)) next = [...new Set(effect.value)].sort((a, b) => a - b);
    }
    return next;
  },
});

const dot = new (class extends GutterMarker {
  elementClass = 'gt-breakpoint';
})();

/** The numbers of the lines that have a breakpoint. */
export const breakpointLines = (state) => state.field(field).map((offset) => state.doc.lineAt(offset).number);

export const breakpointOffsets = (state) => state.field(field);

/** The starts of lines given by number, those that exist. */
export const offsetsOf = (state, lines) => lines.filter((line) => line >= 1 && line <= state.doc.lines).map((line) => state.doc.line(line).from);

function toggle(view, offset) {
  const { from, number } = view.state.doc.lineAt(offset);
  const offsets = view.state.field(field);
  const had = offsets.includes(from);
  view.dispatch({
    effects: [
      setBreakpoints.of(had ? offsets.filter((each) => each !== from) : [...offsets, from]),
      EditorView.announce.of(`Breakpoint on line ${number} ${had ? 'removed' : 'set'}`),
    ],
  });
  return true;
}

/** @param {(view: EditorView, offset: number) => boolean} runTo   what Alt and a click on a line's number do */
export const breakpoints = (runTo) => [
  field,
  lineNumbers({
    domEventHandlers: {
      mousedown(view, line, event) {
        if (event.button !== 0) return false;
        event.preventDefault();
        return event.altKey ? runTo(view, line.from) : toggle(view, line.from);
      },
    },
  }),
  gutterLineClass.compute([field, 'doc'], (state) => RangeSet.of(state.field(field).map((offset) => dot.range(offset)), true)),
  Prec.high(keymap.of([
    { key: 'F9', run: (view) => toggle(view, view.state.selection.main.head) },
    { key: 'Mod-F10', run: (view) => runTo(view, view.state.selection.main.head), preventDefault: true },
  ])),
];
