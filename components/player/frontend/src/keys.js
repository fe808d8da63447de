/** What each key of the player does; `help.js` says it in words. */

import { selectedNode } from './state.js';

/** @param {import('./state.js').State} state  @param {object} parts   navigation, seeking, selection, viewport, camera, … */
export function keysOf(state, parts) {
  const { navigation, seeking, camera, folds, iterations } = parts;
  const byUser = (action) => () => seeking.byUser(action);
  return {
    ArrowLeft: byUser(() => navigation.step(-1, 'event')),
    ArrowRight: byUser(() => navigation.step(1, 'event')),
    'Shift+ArrowLeft': byUser(() => navigation.step(-1, 'line')),
    'Shift+ArrowRight': byUser(() => navigation.step(1, 'line')),
    Home: () => seeking.userSeeks(0),
    End: () => seeking.userSeeks(state.model.last),
    '[': byUser(() => navigation.step(-1, 'pass')),
    ']': byUser(() => navigation.step(1, 'pass')),
    ',': byUser(() => iterations.beside('main', -1)),
    '.': byUser(() => iterations.beside('main', 1)),
    '<': byUser(() => iterations.beside('outer', -1)),
    '>': byUser(() => iterations.beside('outer', 1)),
    '{': byUser(() => iterations.beside('inner', -1)),
    '}': byUser(() => iterations.beside('inner', 1)),
    N: byUser(() => iterations.jump('nan')),
    G: byUser(() => iterations.jump('largest')),
    L: byUser(() => iterations.jump('last-good')),
    S: byUser(() => iterations.jump('shape')),
    g: () => parts.timeline.focus(),
    u: () => iterations.toggle(),
    ' ': seeking.togglePlay,
    n: byUser(() => navigation.change(1)),
    p: byUser(() => navigation.change(-1)),
    b: byUser(() => navigation.toggleHere()),
    c: byUser(() => navigation.go(1)),
    C: byUser(() => navigation.go(-1)),
    '?': () => parts.help.open(),
    '/': () => parts.find.focus(),
    x: () => folds.closeAround(state.view.selected) || seeking.say('The selected node is in no open group.'),
    f: () => parts.focus.next(),
    w: () => parts.toolbar.weigh(),
    ContextMenu: () => parts.selection.menu(),
    'Shift+F10': () => parts.selection.menu(),
    h: () => parts.choices.hideSelected(),
    H: () => parts.choices.showAll(),
    k: () => parts.choices.colourSelected(),
    z: () => parts.looks.back(),
    Z: () => parts.looks.on(),
    Enter: () => parts.selection.openGroup(selectedNode(state)),
    Escape: () => {
      parts.tooltip.hide();
      parts.debugPanel.close();
      seeking.say('');
    },
    '+': () => camera.zoomBy(1.25),
    '=': () => camera.zoomBy(1.25),
    '-': () => camera.zoomBy(1 / 1.25),
    0: () => parts.viewport.fitAll(),
  };
}
