/** The overlay that lists the keys: a modal dialog, so that the focus stays in it and returns to where it was. */

import { h } from '../../../browser/dom.mjs';
import { iconButton } from './icon-button.js';

export const KEYS = [
  ['Time', [
    [['←', '→'], 'one event back or on'],
    [['Shift ←', 'Shift →'], 'one source line back or on'],
    [['[', ']'], 'to the backward pass or forward part before or after'],
    [['Home', 'End'], 'to the first or last step'],
    [['g'], 'type where to go: a step, a line, an iteration'],
    [['Space'], 'play and pause'],
  ]],
  ['Iterations of a rolled run', [
    [[',', '.'], 'to the previous or next iteration'],
    [['<', '>'], 'the same of the loop around it'],
    [['{', '}'], 'the same of the loop in it'],
    [['N'], 'to the first NaN'],
    [['G', 'L'], 'to the largest gradient, the last good iteration'],
    [['S'], 'to where the shape changes'],
    [['u'], 'rolled or unrolled'],
  ]],
  ['The selected tensor', [
    [['n', 'p'], 'to the next or previous time it changes'],
  ]],
  ['Breakpoints', [
    [['b'], 'set or remove one on the line of this step'],
    [['c', 'Shift C'], 'go on, or back, to the next breakpoint'],
  ]],
  ['View', [
    [['+', '−'], 'zoom in or out'],
    [['0'], 'fit everything'],
    [['/'], 'find a node'],
    [['Enter'], 'open the selected group'],
    [['x'], 'close the group around the selected node'],
    [['h', 'Shift H'], 'hide the selected card, show all that are hidden'],
    [['k'], 'give the selected card a colour, or the next one'],
    [['z', 'Shift Z'], 'back to what was selected, opened and looked at before, and on again'],
    [['f'], 'focus on the selected node, one distance further each time'],
    [['w'], 'width of edges by the norm of their gradients'],
    [['?'], 'these keys'],
    [['Esc'], 'close what is open'],
  ]],
  ['With fingers', [
    [['Tap'], 'select a card; on the timeline, go to the step'],
    [['Tap twice'], 'open a group, else zoom in'],
    [['Hold'], 'what a pointer would show; once more, what can be done with the card'],
    [['Swipe'], 'on the timeline, or the words below it: a step at a time'],
  ]],
];

export function createHelp() {
  const groups = KEYS.map(([title, rows]) => h('section', {},
    h('h3', {}, title),
    h('dl', {}, ...rows.flatMap(([keys, text]) => [
      h('dt', {}, ...keys.map((key) => h('kbd', {}, key))),
      h('dd', {}, text),
    ]))));
  const close = iconButton('close', 'Close (Esc)', () => dialog.close());
  const dialog = h('dialog', { class: 'help', 'aria-labelledby': 'keys-title' },
    h('header', {}, h('h2', { id: 'keys-title' }, 'Keys of the player'), close),
    h('div', { class: 'sheet' }, ...groups));
  dialog.addEventListener('click', (event) => event.target === dialog && dialog.close());
  dialog.addEventListener('keydown', (event) => {
    if (event.key === '?') dialog.close();
    event.stopPropagation();
  });
  return {
    element: dialog,
    open() {
      // The page may have a sheet of its own, with the keys of its other parts too.
      const own = window.dispatchEvent(new CustomEvent('gradtape:help', { cancelable: true }));
      if (own && !dialog.open) dialog.showModal();
    },
  };
}
