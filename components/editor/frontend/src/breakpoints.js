/** Breakpoints: a dot beside a line's number, put there with a click or F9, that moves along with the text. */

import { MapMode, Prec, RangeSet, StateEffect, StateField } from '@codemirror/state';
import { EditorView, gutterLineClass, GutterMarker, keymap, lineNumbers } from '@codemirror/view';

/** The starts of the lines that have one; effects carry the whole list. */
export const setBreakpoints = StateEffect.define();

const field = StateField.define({
  create: () => [],
  update(places, transaction) {
    let next = places;
    if (transaction.docChanged && next.length > 0) {
      const mapped = next.map((place) => transaction.changes.mapPos(place, 1, MapMode.TrackDel)).filter((place) => place !== null);
      next = [...new Set(mapped.map((place) => transaction.newDoc.lineAt(place).from))];
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
export const breakpointLines = (state) => state.field(field).map((place) => state.doc.lineAt(place).number);

export const breakpointPlaces = (state) => state.field(field);

/** The places of lines given by number, those that exist. */
export const placesOf = (state, lines) => lines.filter((line) => line >= 1 && line <= state.doc.lines).map((line) => state.doc.line(line).from);

function toggle(view, place) {
  const { from, number } = view.state.doc.lineAt(place);
  const places = view.state.field(field);
  const had = places.includes(from);
  view.dispatch({
    effects: [
      setBreakpoints.of(had ? places.filter((each) => each !== from) : [...places, from]),
      EditorView.announce.of(`Breakpoint on line ${number} ${had ? 'removed' : 'set'}`),
    ],
  });
  return true;
}

export const breakpoints = [
  field,
  lineNumbers({
    domEventHandlers: {
      mousedown(view, line, event) {
        if (event.button !== 0) return false;
        event.preventDefault();
        return toggle(view, line.from);
      },
    },
  }),
  gutterLineClass.compute([field, 'doc'], (state) => RangeSet.of(state.field(field).map((place) => dot.range(place)), true)),
  Prec.high(keymap.of([{ key: 'F9', run: (view) => toggle(view, view.state.selection.main.head) }])),
];
