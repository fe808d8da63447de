/** The buttons at the stage's top left: changes of the selected tensor, breakpoints with their list, and the keys. */

import { CONDITIONS, describe } from './breakpoints.js';
import { h } from '../../../browser/dom.mjs';
import { iconButton } from './icon-button.js';

/**
 * @param {object} on   change(direction), go(direction), add(kind, breakpoint), remove(kind, breakpoint), help(),
 *                      state() -> {breakpoints, counts, selected: node | null, here: {cell, line} | null, cells}
 */
export function createDebugPanel(on) {
  const previous = iconButton('previous', 'Previous change of the selected tensor (p)', () => on.change(-1));
  const next = iconButton('next', 'Next change of the selected tensor (n)', () => on.change(1));
  const opener = iconButton('breakpoint', 'Breakpoints', () => toggle(), { 'aria-expanded': 'false', 'aria-haspopup': 'dialog', class: 'opens' });
  const count = h('span', { class: 'number', 'aria-hidden': 'true' });
  opener.append(count);
  const help = iconButton('keys', 'Keys of the player (?)', () => on.help());
  const group = h('div', { class: 'group debug', role: 'group', 'aria-label': 'Changes and breakpoints' }, previous, next, opener, help);

  const list = h('ul');
  const none = h('p', { class: 'quiet' }, 'None yet. Playing and “c” stop where one is reached.');
  const cell = h('input', { type: 'number', min: '1', value: '1', 'aria-label': 'Cell', title: 'Cell' });
  const line = h('input', { type: 'number', min: '1', 'aria-label': 'Line', placeholder: 'line' });
  const lineForm = h('form', {}, h('span', {}, 'Line'), cell, line, h('button', { type: 'submit', class: 'word' }, 'Add'));
  const subject = h('span', { class: 'subject' });
  const when = h('select', { 'aria-label': 'Condition' }, ...CONDITIONS.map(({ id, label }) => h('option', { value: id }, label)));
  const value = h('input', { type: 'number', step: 'any', min: '0', value: '1', 'aria-label': 'Norm' });
  const tensorForm = h('form', {}, subject, when, value, h('button', { type: 'submit', class: 'word' }, 'Add'));
  const back = h('button', { type: 'button', class: 'word' }, '◂ Back to one');
  const ahead = h('button', { type: 'button', class: 'word' }, 'Continue ▸');
  const popover = h('div', { class: 'popover', role: 'dialog', 'aria-label': 'Breakpoints', hidden: '' },
    h('h3', {}, 'Breakpoints'), list, none, lineForm, tensorForm, h('div', { class: 'row' }, back, ahead));
  const element = h('div', { class: 'debugging' }, group, popover);

  function toggle(open = popover.hidden) {
    popover.hidden = !open;
    opener.setAttribute('aria-expanded', String(open));
    if (!open) return;
    show();
    line.value = on.state().here?.line ?? '';
    cell.value = (on.state().here?.cell ?? 0) + 1;
    line.focus();
  }

  function show() {
    const { breakpoints, counts, selected, cells } = on.state();
    const all = [...breakpoints.lines.map((one) => ['lines', one]), ...breakpoints.tensors.map((one) => ['tensors', one])];
    count.textContent = all.length > 0 ? String(all.length) : '';
    opener.title = all.length > 0 ? `Breakpoints: ${all.length}` : 'Breakpoints';
    opener.setAttribute('aria-label', opener.title);
    const name = selected ? selected.face.title ?? selected.title : null;
    for (const [button, text] of [[previous, 'Previous change (p)'], [next, 'Next change (n)']]) {
      button.disabled = !selected;
      button.title = name ? text.replace('change', `change of ${name}`) : `${text}: select a node first`;
      button.setAttribute('aria-label', button.title);
    }
    if (popover.hidden) return;
    list.replaceChildren(...all.map(([kind, one]) => {
      const text = describe(kind, one, cells);
      const times = counts.get(one) ?? 0;
      return h('li', {}, h('span', { class: 'what' }, text), h('span', { class: 'quiet' }, times === 0 ? 'never reached' : `${times}×`),
        iconButton('close', `Remove: ${text}`, () => on.remove(kind, one)));
    }));
    none.hidden = all.length > 0;
    cell.hidden = cells < 2;
    tensorForm.hidden = !selected;
    subject.textContent = name ?? '';
    value.hidden = when.value !== 'norm';
    back.disabled = ahead.disabled = all.length === 0;
  }

  when.addEventListener('change', show);
  back.addEventListener('click', () => on.go(-1));
  ahead.addEventListener('click', () => on.go(1));
  lineForm.addEventListener('submit', (event) => {
    event.preventDefault();
    if (Number(line.value) > 0) on.add('lines', { cell: Math.max(0, Number(cell.value) - 1), line: Number(line.value) });
  });
  tensorForm.addEventListener('submit', (event) => {
    event.preventDefault();
    const { selected } = on.state();
    if (!selected) return;
    const name = selected.pill ? '' : selected.face.title ?? selected.title;
    on.add('tensors', { node: selected.id, name, when: when.value, value: when.value === 'norm' ? Number(value.value) : null });
  });
  popover.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    toggle(false);
    opener.focus();
    event.stopPropagation();
  });

  return { element, show, close: () => toggle(false) };
}
