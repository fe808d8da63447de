/**
 * What was found about lines: a sign beside a line's number, and below the line, when one points at the sign or asks with a key,
 * what there is to say and a button that applies a fix.
 */

import { Prec, RangeSet, StateEffect, StateField } from '@codemirror/state';
import { EditorView, gutterLineClass, keymap, lineNumbers, showTooltip } from '@codemirror/view';

import { SEVEREST, SIGNS, worstByLine } from './diagnostics.js';
import { isEdited, rangeOf, ranField } from './executed-text.js';

/** A list of {line, column, end_line, end_column, severity, title, text, id, proof}, in positions of the text that ran. */
export const setMarks = StateEffect.define();
/** The start of the line whose marks are open, or null. */
const open = StateEffect.define();

/** Milliseconds that the pointer may be on its way from the sign to what opened. */
const LINGER = 250;
const WORDS = { error: 'Error', warning: 'Warning', info: 'Hint' };

const field = StateField.define({
  create: () => [],
  update: (list, transaction) => transaction.effects.reduce((value, effect) => (effect.is(setMarks) ? effect.value : value), list),
});

const opened = StateField.define({
  create: () => null,
  update(at, transaction) {
    // A fix that is proven while one reads comes into what is open.
    const next = transaction.docChanged ? null : at;
    return transaction.effects.reduce((value, effect) => (effect.is(open) ? effect.value : value), next);
  },
});

/** Start of a line -> the marks there, the worst first; those whose text is gone are left out. */
export function marksByLine(state) {
  const lines = new Map();
  for (const each of state.field(field)) {
    const range = rangeOf(state, [each.line, each.column, each.end_line, each.end_column]);
    if (!range) continue;
    const { from } = state.doc.lineAt(range.from);
    lines.set(from, [...(lines.get(from) ?? []), each]);
  }
  const rank = ({ severity }) => SEVEREST.indexOf(severity);
  return new Map([...lines].sort(([one], [other]) => one - other).map(([from, list]) => [from, list.sort((one, other) => rank(one) - rank(other))]));
}

/** Where an error stands already, that is sign enough. */
function signs(state) {
  const wrong = worstByLine(state);
  const found = [...marksByLine(state)].filter(([from]) => !wrong.has(from));
  return RangeSet.of(found.map(([from, [{ severity }]]) => SIGNS[severity].range(from)));
}

/** @param {(mark: object, apply: boolean) => void} chosen */
export function marks(chosen) {
  let timer = 0;
  let entered = false; // the pointer is in what opened

  const show = (view, from) => {
    window.clearTimeout(timer);
    if (view.state.field(opened) !== from) view.dispatch({ effects: open.of(from) });
  };
  const hide = (view) => {
    window.clearTimeout(timer);
    timer = window.setTimeout(() => !entered && view.state.field(opened) !== null && view.dispatch({ effects: open.of(null) }), LINGER);
  };
  const button = (label, pressed, attributes = {}) => {
    const made = Object.assign(document.createElement('button'), { type: 'button', textContent: label, ...attributes });
    made.addEventListener('click', pressed);
    return made;
  };

  function line(mark, view) {
    const box = document.createElement('div');
    box.className = `gt-found gt-${mark.severity}`;
    const title = Object.assign(document.createElement('b'), { textContent: mark.title });
    const text = Object.assign(document.createElement('p'), { textContent: mark.text });
    const bar = document.createElement('div');
    bar.className = 'gt-found-bar';
    const choose = (apply) => () => {
      view.dispatch({ effects: open.of(null) });
      view.focus();
      chosen(mark, apply);
    };
    if (mark.proof) {
      const stale = isEdited(view.state);
      bar.append(button('Apply', choose(true), {
        className: 'gt-apply', disabled: stale, title: stale ? 'The text has been changed since this run; run it, and the fix is tried anew' : mark.proof,
      }));
    }
    bar.append(button('Show', choose(false), { title: 'Go to its moment, and say all of it' }));
    if (mark.proof) bar.append(Object.assign(document.createElement('span'), { textContent: mark.proof }));
    box.append(title, text, bar);
    return box;
  }

  function tooltip(state) {
    const at = state.field(opened);
    const list = at === null ? undefined : marksByLine(state).get(at);
    if (!list) return null;
    return {
      pos: at,
      create(view) {
        const dom = document.createElement('div');
        dom.className = 'gt-marks';
        dom.setAttribute('role', 'group');
        dom.setAttribute('aria-label', 'Findings in this line');
        dom.append(...list.map((mark) => line(mark, view)));
        dom.addEventListener('pointerenter', () => { entered = true; });
        dom.addEventListener('pointerleave', () => { entered = false; hide(view); });
        dom.addEventListener('keydown', (event) => {
          if (event.key !== 'Escape') return;
          event.preventDefault();
          event.stopPropagation();
          view.dispatch({ effects: open.of(null) });
          view.focus();
        });
        return { dom, destroy: () => { entered = false; } };
      },
    };
  }

  /** To the next line with marks after the cursor, around the end; what they say is open and read out. */
  function next(view) {
    const lines = [...marksByLine(view.state)];
    if (lines.length === 0) return false;
    const here = view.state.doc.lineAt(view.state.selection.main.head).from;
    const [from, list] = lines.find(([start]) => start > here) ?? lines[0];
    const said = list.map(({ severity, title }) => `${WORDS[severity]}: ${title}`).join('\n');
    view.dispatch({ selection: { anchor: from }, effects: [open.of(from), EditorView.announce.of(said)], scrollIntoView: true, userEvent: 'select' });
    return true;
  }

  /** From the open marks' line into what is open. */
  function enter(view) {
    const first = view.state.field(opened) === null ? null : view.dom.querySelector('.gt-marks button:not(:disabled)');
    first?.focus();
    return Boolean(first);
  }

  return [
    field, opened,
    gutterLineClass.compute([field, ranField, 'doc'], signs),
    showTooltip.compute([field, opened, ranField, 'doc'], tooltip),
    // Before the default keymap, in which Alt and an arrow move a line.
    Prec.high(keymap.of([
      { key: 'F8', run: next },
      { key: 'Alt-ArrowDown', run: enter },
      { key: 'Escape', run: (view) => view.state.field(opened) !== null && (view.dispatch({ effects: open.of(null) }), true) },
    ])),
    lineNumbers({
      domEventHandlers: {
        mousemove(view, { from }) {
          if (marksByLine(view.state).has(from)) show(view, from);
          else hide(view);
          return false;
        },
        mouseleave(view) {
          hide(view);
          return false;
        },
      },
    }),
  ];
}
