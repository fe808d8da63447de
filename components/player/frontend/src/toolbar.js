/** The buttons on the stage: focus, widths of edges, zoom, fit, follow, fullscreen. */

import { h } from '../../../browser/dom.mjs';
import { iconButton, setIcon } from './icon-button.js';

/** @param {object} on   zoom(factor), fit(), follow(), weighed(boolean) */
export function createToolbar(root, find, focus, on) {
  const weight = iconButton('weigh', 'Width of edges by gradient norm (w)', () => weigh(), { 'aria-pressed': 'false' });
  const follow = iconButton('follow', 'Follow the step', () => on.follow(), { 'aria-pressed': 'true' });
  const full = iconButton('expand', 'Fullscreen', () => {
    if (document.fullscreenElement) document.exitFullscreen();
    else root.requestFullscreen();
  });
  full.hidden = !document.fullscreenEnabled;
  root.addEventListener('fullscreenchange', () => {
    const filled = root.getRootNode().fullscreenElement === root;
    setIcon(full, filled ? 'shrink' : 'expand', filled ? 'Leave fullscreen' : 'Fullscreen');
  });
  const element = h('div', { class: 'tools', role: 'toolbar', 'aria-label': 'View' },
    find,
    focus,
    h('div', { class: 'group' },
      weight,
      iconButton('minus', 'Zoom out (−)', () => on.zoom(1 / 1.25), { class: 'zoom' }),
      iconButton('plus', 'Zoom in (+)', () => on.zoom(1.25), { class: 'zoom' }),
      iconButton('fit', 'Fit everything (0)', () => on.fit()),
      follow,
      full));

  /** Edges as wide as their gradients are large, or all alike again. */
  function weigh() {
    const weighed = weight.getAttribute('aria-pressed') !== 'true';
    weight.setAttribute('aria-pressed', String(weighed));
    on.weighed(weighed);
  }

  return {
    element,
    weigh,
    showFollowing(following) {
      if ((follow.getAttribute('aria-pressed') === 'true') !== following) follow.setAttribute('aria-pressed', String(following));
    },
  };
}
