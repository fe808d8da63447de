/** A number is dragged to be another one: Alt and a drag to the right or left, with Shift in finer steps; the program runs on the way. */

import { isolateHistory } from '@codemirror/commands';
import { syntaxTree } from '@codemirror/language';
import { Prec, Transaction } from '@codemirror/state';
import { EditorView, ViewPlugin } from '@codemirror/view';

/** Pixels to the next number, and milliseconds from one run on the way to the next. */
const STEP = 6;
const OFTEN = 250;
/** Digits behind the point, at most. */
const DIGITS = 12;

const PLAIN = /^(-?)(\d+)(\.\d*)?(e[+-]?\d+)?$/i;

/**
 * A number as it is written, so many steps further: whole ones by 1 and never below 0 where they were not, others by their last
 * digit, `fine` by the one after it; null where it is written otherwise (1j, 0xff, 1_000).
 *
 * @param {string} text  @param {number} steps  @param {boolean} fine
 */
export function nudged(text, steps, fine = false) {
  const found = PLAIN.exec(text.startsWith('.') ? `0${text}` : text.replace(/^-\./, '-0.'));
  if (!found) return null;
  if (steps === 0) return text;
  const [, sign, whole, fraction, exponent = ''] = found;
  if (fraction === undefined && exponent === '') {
    const value = Number(sign + whole) + steps;
    return String(sign ? value : Math.max(0, value));
  }
  const digits = (fraction ?? '.').length - 1 + (fine ? 1 : 0);
  const places = Math.min(DIGITS, Math.max(digits, exponent ? 0 : 1));
  const value = (Number(sign + whole + (fraction ?? '')) + steps * 10 ** -places).toFixed(places);
  return (Number(value) === 0 ? value.replace('-', '') : value) + exponent;
}

/** The number at a position, its sign with it: where it stands, or null. */
export function numberAt(state, position) {
  for (const side of [1, -1]) {
    const node = syntaxTree(state).resolveInner(position, side);
    if (node.name !== 'Number') continue;
    const unary = node.parent?.name === 'UnaryExpression' && state.sliceDoc(node.parent.from, node.from) === '-';
    // The point of "2." is none of the parser's number.
    const point = /^\d+$/.test(state.sliceDoc(node.from, node.to)) && /^\.(?![\w.])/.test(state.sliceDoc(node.to, node.to + 2));
    const range = { from: unary ? node.parent.from : node.from, to: node.to + Number(point) };
    if (nudged(state.sliceDoc(range.from, range.to), 0) !== null) return range;
  }
  return null;
}

/** The one number within a range: where it stands; null where there is none, or more than one. */
export function numberWithin(state, { from, to }) {
  const found = [];
  syntaxTree(state).iterate({ from, to, enter: (node) => {
    if (node.name === 'Number' && node.from >= from && node.to <= to) found.push(node.from);
  } });
  return found.length === 1 ? numberAt(state, found[0]) : null;
}

/**
 * What lets numbers be dragged, and what begins that for one that was pressed elsewhere: `begin(view, range, x)`.
 *
 * @param {() => void} run   has the program run as it stands
 */
export function draggedNumbers(run) {
  const plugin = ViewPlugin.define((view) => {
    let drag = null;
    let timer = 0;

    /** Put another number in the place of the one that is dragged. */
    function put(text, ...annotations) {
      const { from, to } = drag;
      view.dispatch({ changes: { from, to, insert: text }, userEvent: 'input.drag', annotations });
      drag.to = from + text.length;
      drag.text = text;
    }

    function moved(event) {
      const text = nudged(drag.before, Math.round((event.clientX - drag.x) / STEP), event.shiftKey);
      event.preventDefault();
      if (text === drag.text) return;
      put(text, Transaction.addToHistory.of(false));
      if (!timer) timer = window.setTimeout(ran, OFTEN);
    }

    function ran() {
      window.clearTimeout(timer);
      timer = 0;
      run();
    }

    /** It is over: all of it is one change, which Undo takes back; what was broken off is none. */
    function over(event) {
      const { before, text } = drag;
      if (text !== before) {
        put(before, Transaction.addToHistory.of(false));
        if (event.type === 'pointerup') put(text, isolateHistory.of('full'));
        ran();
      }
      end();
    }

    function end() {
      for (const [name, listener] of heard) window.removeEventListener(name, listener, true);
      view.dom.classList.remove('gt-dragging');
      window.clearTimeout(timer);
      timer = 0;
      drag = null;
    }

    const heard = [['pointermove', moved], ['pointerup', over], ['pointercancel', over]];

    function under(event) {
      const position = view.posAtCoords({ x: event.clientX, y: event.clientY });
      return position === null ? null : numberAt(view.state, position);
    }

    function begin(range, x) {
      if (drag) end();
      const before = view.state.sliceDoc(range.from, range.to);
      drag = { ...range, before, text: before, x };
      view.dom.classList.add('gt-dragging');
      for (const [name, listener] of heard) window.addEventListener(name, listener, true);
    }

    return {
      begin,
      pressed(event) {
        if (!event.altKey || event.button !== 0 || view.state.readOnly) return false;
        const range = under(event);
        if (!range) return false;
        begin(range, event.clientX);
        event.preventDefault();
        return true;
      },
      /** Another text has come meanwhile. */
      update({ docChanged, transactions }) {
        if (drag && docChanged && !transactions.some((each) => each.isUserEvent('input.drag'))) end();
      },
      /** A rectangle of text is selected by Alt and a drag that begins elsewhere. */
      mouse: (event) => {
        if (!drag) return false;
        event.preventDefault();
        return true;
      },
      hovered(event) {
        view.dom.classList.toggle('gt-draggable', event.altKey && !view.state.readOnly && Boolean(under(event)));
        return false;
      },
      destroy: end,
    };
  }, {
    eventHandlers: {
      pointerdown(event) { return this.pressed(event); },
      mousedown(event) { return this.mouse(event); },
      mousemove(event) { return this.hovered(event); },
    },
  });
  const extension = Prec.highest([plugin, EditorView.theme({
    '&.gt-draggable .cm-content, &.gt-dragging .cm-content': { cursor: 'ew-resize !important' },
  })]);
  return { extension, begin: (view, range, x) => view.plugin(plugin)?.begin(range, x) };
}
