/**
 * What works all over the page.
 *   "?"                       opens the sheet of keys, unless the user is typing; so does the player (`gradtape:help`)
 *   data-gt-open="keys"       a button that opens it
 *   data-gt-copy="…"          a button that puts this text into the clipboard
 *   the findings' line        brings the panel into view that it opens
 *   short ways                links that show when they have the focus, past the controls to the parts of the page
 */

import { h } from '../../browser/dom.mjs';
import { mounted } from '../../browser/mount.mjs';
import { isTyping } from '../../browser/typing.mjs';

const COPIED_MS = 1600;
const PARTS = [
  ['Go to the graph', '.st-key-graph'],
  ['Go to the graph as a table', '.st-key-tensor_table'],
  ['Go to the program', '.st-key-program'],
];

export default mounted(createShortcuts);

function createShortcuts({ parentElement }) {
  const sheet = h('div', { class: 'sheet' });
  const close = h('button', { type: 'button', class: 'close', 'aria-label': 'Close (Esc)' }, '✕');
  const dialog = h('dialog', { 'aria-labelledby': 'keys-title' }, h('header', {}, h('h2', { id: 'keys-title' }, 'Keys'), close), sheet);
  const said = h('div', { class: 'said', role: 'status' });
  const ways = h('nav', { class: 'ways', 'aria-label': 'Short ways' });
  const root = h('div', { class: 'shortcuts' }, ways, said, dialog);
  parentElement.append(root);

  close.addEventListener('click', () => dialog.close());
  dialog.addEventListener('click', (event) => event.target === dialog && dialog.close());
  dialog.addEventListener('keydown', (event) => {
    if (event.key === '?') dialog.close();
    event.stopPropagation(); // the player's keys are off meanwhile
  });
  for (const [label, target] of PARTS) {
    const way = h('button', { type: 'button' }, label);
    way.addEventListener('click', () => go(target));
    ways.append(way);
  }

  const open = () => dialog.open || dialog.showModal();

  const onKey = (event) => {
    if (event.key !== '?' || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.composedPath()[0])) return;
    event.preventDefault();
    event.stopPropagation();
    open();
  };
  const onHelp = (event) => {
    event.preventDefault();
    open();
  };
  const onClick = (event) => {
    // What the line of the findings opens may be out of sight, below the picture.
    if (event.target.closest?.('.st-key-headline button')) document.querySelector('.st-key-panel')?.scrollIntoView({ block: 'nearest' });
    const button = event.target.closest?.('[data-gt-copy], [data-gt-open="keys"]');
    if (!button) return;
    if (button.dataset.gtCopy === undefined) open();
    else copy(button.dataset.gtCopy).then(() => copied(button), () => say('It could not be copied'));
  };
  // In the capturing phase, before the player and Streamlit hear of it.
  document.addEventListener('keydown', onKey, true);
  document.addEventListener('click', onClick);
  window.addEventListener('gradtape:help', onHelp);

  function copied(button) {
    button.dataset.copied = 'true';
    setTimeout(() => delete button.dataset.copied, COPIED_MS);
    say('Copied');
  }

  function say(words) {
    said.textContent = '';
    setTimeout(() => {
      said.textContent = words;
    }, 30);
  }

  return {
    update({ data }) {
      // What Streamlit puts beside its app, such as an open popover, would stay light on a dark page.
      document.documentElement.style.colorScheme = getComputedStyle(document.querySelector('.stApp')).colorScheme;
      sheet.replaceChildren(...data.keys.map(([title, rows]) => h('section', {},
        h('h3', {}, title),
        h('dl', {}, ...rows.flatMap(([names, does]) => [
          h('dt', {}, ...names.split('  ').map((name) => h('kbd', {}, name))),
          h('dd', {}, does),
        ])))));
    },
    destroy() {
      document.removeEventListener('keydown', onKey, true);
      document.removeEventListener('click', onClick);
      window.removeEventListener('gradtape:help', onHelp);
      root.remove();
    },
  };
}

/** Times that a part is looked for, 50 ms apart: a busy server takes a while to draw a panel. */
const LOOKS = 400;
/** Looks after which a panel that has not come is asked for once more. */
const ASKED = 20;
/** Looks for which it is seen to that what has the focus is not drawn anew, without it; nobody who has gone on is called back. */
const STAYS = 20;

/** Put the focus into a part of the page; the table's panel may have to be opened first. */
function go(target, looks = LOOKS) {
  const part = document.querySelector(target);
  const inside = part && firstIn(part);
  if (inside) {
    inside.focus();
    stay(target, inside);
  } else if (looks > 0) {
    // What is asked for while the tabs are drawn anew is asked for again.
    if (looks % ASKED === 0 && target === '.st-key-tensor_table') tab('Tensors')?.click();
    setTimeout(() => go(target, looks - 1), 50);
  }
}

function stay(target, inside, looks = STAYS) {
  setTimeout(() => {
    if (!inside.isConnected && document.activeElement === document.body) go(target, LOOKS - 1);
    else if (looks > 0) stay(target, inside, looks - 1);
  }, 50);
}

const tab = (name) => [...document.querySelectorAll('.st-key-panel_tab [role="radio"][aria-checked="false"]')].find((each) => each.textContent.trim() === name);

const FOCUSABLE = 'button:not([disabled]), [href], input:not([type="hidden"]), select, textarea, [contenteditable="true"], [tabindex]:not([tabindex="-1"])';

/** The first control of a part that is of our own making, looked for inside shadow roots too. */
function firstIn(part) {
  for (const host of part.querySelectorAll('*')) {
    const found = host.shadowRoot?.querySelector('.cm-content, .bar');
    if (found) return found;
  }
  return part.querySelector(FOCUSABLE);
}

/** Pages that are not served safely have no clipboard of the new kind. */
async function copy(text) {
  if (navigator.clipboard && window.isSecureContext) return navigator.clipboard.writeText(text);
  const area = h('textarea', { style: 'position: fixed; opacity: 0' });
  area.value = text;
  document.body.append(area);
  area.select();
  const done = document.execCommand('copy');
  area.remove();
  if (!done) throw new Error('not copied');
}
