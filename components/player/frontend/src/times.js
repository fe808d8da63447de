/**
 * What stands elsewhere in the page and is of another moment than the one on show says so:
 *   data-gt-from="12"      part of an output, from that step on; before it, it gets `data-gt-later`, and the first of them
 *                          `data-gt-first`. Around it `data-gt-run` says of which run
 *   data-gt-told="…"       what a panel says is of this run, and with `data-gt-at="12"` of that step; the panel gets
 *                          `data-gt-behind` while it is of another one. `data-gt-page` is the run that the page has by now
 */

import { runOf } from './model.js';

/** @param {import('./state.js').State} state */
export function createTimes(state) {
  const outputs = createOutputs();
  let asked = 0;
  const soon = () => {
    asked ||= requestAnimationFrame(() => {
      asked = 0;
      show();
    });
  };
  const show = () => {
    const run = ownRun(state.model);
    outputs.show(run, state.step);
    for (const told of document.querySelectorAll('[data-gt-told]')) {
      const behind = isBehind(told.dataset, document.querySelector('[data-gt-page]')?.dataset.gtPage, run, state.step);
      told.closest('.st-key-panel')?.toggleAttribute('data-gt-behind', behind);
    }
  };
  // What Streamlit draws anew comes without marks; the player's own elements lie in a shadow, where nothing is heard of.
  const drawn = new MutationObserver(soon);
  drawn.observe(document.body, { childList: true, subtree: true, attributes: true, attributeFilter: ['data-gt-told', 'data-gt-at', 'data-gt-page', 'data-gt-from'] });
  return {
    show,
    stop() {
      drawn.disconnect();
      cancelAnimationFrame(asked);
    },
  };
}

/** Whatever of the run's graph is drawn, and with whichever pinned run. */
const ownRun = ({ picture }) => runOf(picture)?.split(' ', 1)[0] ?? '';

/**
 * Whether what was told is of another run than the page's, or of another step than the player's. While the player still has
 * another run there is no step to go by.
 */
export function isBehind({ gtTold: told, gtAt: at }, page, run, step) {
  if (page !== undefined && told !== page) return true;
  return told === run && at !== undefined && Number(at) !== step;
}

function createOutputs() {
  return {
    show(run, step) {
      for (const output of document.querySelectorAll('[data-gt-run]')) {
        let first = true;
        for (const part of output.querySelectorAll('[data-gt-from]')) {
          const later = output.dataset.gtRun === run && Number(part.dataset.gtFrom) > step;
          part.toggleAttribute('data-gt-later', later);
          part.toggleAttribute('data-gt-first', later && first);
          if (later) first = false;
        }
      }
    },
  };
}
