/** The panel of knobs: sliders, numbers, grids and switches. Labels come from the program and are only ever set as text. */

import { h } from '../../browser/dom.mjs';
import { mounted } from '../../browser/mount.mjs';

/** A run that never reports back must not block the controls. */
const PATIENCE_MS = 8000;

export default mounted(createPanel);

function createPanel({ parentElement }) {
  const root = h('div', { class: 'knobs' });
  parentElement.append(root);
  const rows = new Map();
  let shape = '';
  let send = () => {};
  let counter = Date.now();
  let inFlight = null;
  let waiting = null;
  let patience = null;

  /** One value is on its way at a time; of those that come meanwhile only the newest counts. */
  function change(knob, value) {
    const wanted = { cell: knob.cell, id: knob.id, value };
    if (inFlight !== null) {
      waiting = wanted;
      return;
    }
    counter += 1;
    inFlight = counter;
    root.dataset.busy = 'true';
    clearTimeout(patience);
    patience = setTimeout(landed, PATIENCE_MS);
    // A state, not a trigger, so that it outlives a run of the page that is cut short; its number says whether it is news.
    send('change', { ...wanted, n: counter });
  }

  function landed() {
    clearTimeout(patience);
    inFlight = null;
    delete root.dataset.busy;
    if (!waiting) return;
    const next = waiting;
    waiting = null;
    change(next, next.value);
  }

  function update({ data, setStateValue }) {
    send = setStateValue;
    const groups = data?.groups ?? [];
    const wanted = JSON.stringify(groups.map((g) => [g.title, g.knobs.map((k) => [k.cell, k.id, k.kind, k.shape])]));
    if (wanted !== shape) {
      const opened = new Map([...root.querySelectorAll('details')].map((d) => [d.dataset.title, d.open]));
      const focused = root.getRootNode().activeElement?.closest?.('[data-knob]')?.dataset.knob;
      build(groups, opened);
      if (focused) rows.get(focused)?.element.querySelector('input')?.focus({ preventScroll: true });
      shape = wanted;
    }
    for (const group of groups) for (const knob of group.knobs) rows.get(nameOf(knob)).show(knob);
    more.textContent = data?.hidden ? `${data.hidden} more in the text are not shown.` : '';
    note.textContent = data?.note ?? '';
    if (inFlight !== null && data?.done === inFlight) landed();
  }

  const more = h('p', { class: 'more' });
  const note = h('p', { class: 'note', role: 'status' });

  function build(groups, opened) {
    rows.clear();
    const parts = groups.map((group) => {
      const list = h('div', { class: 'list' });
      for (const knob of group.knobs) {
        const row = createRow(knob, change);
        rows.set(nameOf(knob), row);
        list.append(row.element);
      }
      const details = h('details', { 'data-title': group.title }, h('summary', {}, group.title), list);
      details.open = opened.get(group.title) ?? group.open;
      return details;
    });
    root.replaceChildren(note, ...parts, more);
  }

  return {
    update,
    destroy() {
      clearTimeout(patience);
      root.remove();
    },
  };
}

function createRow(first, change) {
  let knob = first;
  const label = h('span', { class: 'label', title: first.label }, first.label);
  const where = h('span', { class: 'where' }, first.where.replace('line ', ''));
  where.title = first.where;
  const element = h('div', { class: `row ${first.kind}`, 'data-knob': nameOf(first) }, where);
  const named = `${first.label}, ${first.where}`;
  let show;

  if (first.kind === 'bool' || first.kind === 'toggle') {
    const box = h('input', { type: 'checkbox', role: 'switch', 'aria-label': named });
    box.addEventListener('change', () => change(knob, box.checked));
    element.append(h('label', { class: 'switch' }, box, h('i', { 'aria-hidden': 'true' }), label));
    show = () => {
      box.checked = Boolean(knob.value);
      element.classList.toggle('out', first.kind === 'toggle' && !knob.value);
    };
  } else if (first.kind === 'matrix') {
    const grid = h('div', { class: 'grid', role: 'group', 'aria-label': named });
    grid.style.gridTemplateColumns = `repeat(${first.shape[1]}, minmax(46px, 1fr))`;
    const cells = first.value.map((_, index) => {
      const at = first.shape[0] > 1 ? `[${Math.floor(index / first.shape[1])}, ${index % first.shape[1]}]` : `[${index}]`;
      const cell = h('input', { type: 'number', 'aria-label': `${named} ${at}` });
      cell.addEventListener('input', () => {
        const value = Number(cell.value);
        if (cell.value === '' || !Number.isFinite(value) || (knob.whole[index] && !Number.isInteger(value))) return;
        // What is typed in the other cells meanwhile counts too.
        change(knob, cells.map((each, i) => (each.value === '' ? knob.value[i] : Number(each.value))));
      });
      return cell;
    });
    grid.append(...cells);
    element.append(label, grid);
    show = () => cells.forEach((cell, index) => {
      if (!busyWith(cell)) cell.value = text(knob.value[index]);
      const share = Math.min(1, Math.abs(knob.value[index]) / Math.max(1e-30, ...knob.value.map(Math.abs)));
      cell.style.setProperty('--heat', share.toFixed(3));
      cell.step = knob.whole[index] ? '1' : String(Math.max(knob.step, 0.1 ** 6));
    });
  } else {
    const slider = h('input', { type: 'range', 'aria-label': named });
    const field = h('input', { type: 'number', 'aria-label': `${named}, as a number` });
    slider.addEventListener('input', () => {
      field.value = text(round(Number(slider.value), knob.step));
      change(knob, Number(field.value));
    });
    field.addEventListener('input', () => {
      const value = Number(field.value);
      if (field.value === '' || !Number.isFinite(value) || (knob.kind === 'int' && !Number.isInteger(value))) return;
      slider.value = String(value);
      change(knob, value);
    });
    element.append(label, slider, field);
    show = () => {
      slider.min = String(knob.low);
      slider.max = String(knob.high);
      slider.step = String(knob.step);
      field.step = knob.kind === 'int' ? '1' : String(knob.step);
      if (!busyWith(slider) && !busyWith(field)) {
        slider.value = String(knob.value);
        field.value = text(knob.value);
      }
    };
  }

  return {
    element,
    show(next) {
      knob = next;
      where.textContent = next.where.replace('line ', '');
      where.title = next.where;
      show();
    },
  };
}

/** The user is at this control now, so what it shows is newer than what Python says. */
function busyWith(input) {
  return input.matches(':active') || (input.getRootNode().activeElement === input && input.type === 'number');
}

function nameOf(knob) {
  return `${knob.cell} ${knob.id}`;
}

/** A slider adds steps in binary; the literal should read as a person would write it. */
function round(value, step) {
  const digits = Math.max(0, Math.min(12, Math.ceil(-Math.log10(step)) + 1));
  return Number(value.toFixed(digits));
}

function text(value) {
  return String(value);
}
