/**
 * What is pressed in a notebook, and the questions of a lesson. One script for two elements of the page:
 *   actions   hears of buttons with `data-gt-do` (and `data-gt-cell`), and of a lesson's keys
 *   guess     a question whose answer is hidden
 * Python hears of both as {n, does, cell}.
 */

import { h } from '../../browser/dom.mjs';
import { createGuess } from '../../browser/guessing.mjs';
import { mounted } from '../../browser/mount.mjs';
import { isTyping } from '../../browser/typing.mjs';

const REST_MS = 30;
const PATIENCE = 300;
const KEYS = { ArrowRight: 'next', PageDown: 'next', ArrowLeft: 'back', PageUp: 'back', Escape: 'leave' };

export default mounted((first) => ({ actions: createActions, guess: createQuestion })[first.data.kind](first));

/** What is told while the page is drawn may be lost: it waits until the page is at rest. */
function createTelling() {
  let send = () => {};
  let rest = 0;
  let sent = 0;
  function tell(message, patience = PATIENCE) {
    clearTimeout(rest);
    if (patience > 0 && document.querySelector('[data-test-script-state="running"]')) {
      rest = setTimeout(tell, REST_MS, message, patience - 1);
      return;
    }
    sent = Math.max(sent + 1, Date.now());
    send('asked', { n: sent, ...message });
  }
  return {
    tell,
    connect(component) {
      send = component.setTriggerValue;
    },
    stop: () => clearTimeout(rest),
  };
}

function createActions() {
  const telling = createTelling();
  let presenting = false;
  let page = null;
  const onClick = ({ target }) => {
    const button = target.closest?.('[data-gt-do]');
    if (button) telling.tell({ does: button.dataset.gtDo, cell: Number(button.dataset.gtCell ?? -1) });
  };
  // Before the player hears of it: in a lesson the arrows turn the pages, and with Shift they step through the tape.
  const onKey = (event) => {
    const does = presenting && !event.ctrlKey && !event.metaKey && !event.altKey && !event.shiftKey ? KEYS[event.key] : undefined;
    if (!does || isTyping(event.composedPath()[0]) || document.querySelector('dialog[open], [data-testid="stPopoverBody"]')) return;
    event.preventDefault();
    event.stopPropagation();
    telling.tell({ does, cell: -1 });
  };
  document.addEventListener('click', onClick);
  document.addEventListener('keydown', onKey, true);
  return {
    update(component) {
      telling.connect(component);
      presenting = component.data.presenting;
      if (component.data.page === page) return;
      page = component.data.page;
      // Each page of a lesson is read from its beginning, whatever was looked at before.
      if (page !== null) for (const each of document.querySelectorAll('.stMain, .st-key-slide')) each.scrollTop = 0;
    },
    destroy() {
      telling.stop();
      document.removeEventListener('click', onClick);
      document.removeEventListener('keydown', onKey, true);
    },
  };
}

function createQuestion({ parentElement }) {
  const telling = createTelling();
  let shown = '';
  let form = null;
  return {
    update(component) {
      telling.connect(component);
      const { cell, question, answer } = component.data;
      const asked = JSON.stringify([cell, question, answer]);
      if (asked === shown && form?.isConnected) return;
      shown = asked;
      form?.remove();
      form = createGuess(h, { question, answer, done: (right) => telling.tell({ does: right ? 'right' : 'shown', cell }) });
      parentElement.append(form);
    },
    destroy() {
      telling.stop();
      form?.remove();
    },
  };
}
