/**
 * Keeps the visitor's work in this browser, and writes the page's address. One script for four elements of the page:
 *   program   what is on show; in the header it says whether it is kept, and it tells Python what is to be brought back
 *   moment    how the run is looked at
 *   files     what lies beside a program, or a recording's file
 *   works     the list of what is kept
 *
 * `sessionStorage` has what this tab shows, so that a reload brings back every letter; `localStorage` has the visitor's own
 * programs, a record for each text that ran; the files are in IndexedDB. Text is only ever set as text.
 */

import { h } from '../../browser/dom.mjs';
import { mounted } from '../../browser/mount.mjs';

const TAB = 'gradtape.tab';
const RECORD = 'gradtape.record.';
const RECORDS = 60;
const TYPED_MS = 150;
/** Milliseconds after which Python will not answer a message any more. */
const PATIENCE_MS = 10_000;
const REST_MS = 30;
/** Milliseconds after which a message that nobody has heard, while nothing is drawn, is sent once more. */
const AGAIN_MS = 1_500;
/** When the page was last loaded anew because nothing was left of it, and the milliseconds until that is done again. */
const REVIVED = 'gradtape.revived';
const REVIVED_MS = 20_000;
const DATABASE = 'gradtape';
const FILES = 'files';

export default mounted((first) => ({ program: createKeeper, moment: createMoment, files: createFiles, works: createWorks })[first.data.kind](first));

// --- the program -------------------------------------------------------------------------------------------------------------

function createKeeper({ parentElement }) {
  const words = h('span', { class: 'kept', role: 'status' });
  const line = h('div', { class: 'line' }, words);
  parentElement.append(line);
  let send = () => {};
  let data = null;
  let moment = {};
  let typed = null;
  /** What the page was drawn with last. */
  let drawn = null;
  let session = '';
  /** The record that the address belongs to. */
  let entry = '';
  let sent = 0;
  const waiting = [];
  /** The program that other tabs were asked for, because this one has taken it up. */
  let asked = '';
  let gone = '';
  let timer = 0;
  let rest = 0;
  let again = 0;
  const others = channel();

  /** Python has not heard yet what it was told: what it says belongs to what was on show before. */
  const behind = () => data === null || (data.heard < sent && Date.now() < sent + PATIENCE_MS);
  const busy = () => behind() || waiting.length > 0;

  function tell(message) {
    const latest = waiting.findIndex(({ kind }) => kind === message.kind);
    if (latest >= 0) waiting.splice(latest, 1); // Back twice: only where it led
    waiting.push(message);
    pass(message.kind === 'reloaded' ? 0 : PATIENCE_MS / REST_MS);
  }

  /** Pass on one message after the other: of two that go out together Python would hear the second only. */
  function pass(patience) {
    clearTimeout(rest);
    if (waiting.length === 0 || behind()) return; // what is drawn next goes on
    if (patience > 0 && isRunning()) {
      rest = setTimeout(pass, REST_MS, patience - 1);
      return;
    }
    sent = Math.max(sent + 1, Date.now());
    deliver({ n: sent, query: '', record: null, files: {}, ...waiting.shift() });
  }

  /** Send a message until Python has heard it: one that comes while the page is drawn for another reason may be lost. */
  function deliver(message) {
    clearTimeout(again);
    send('told', message);
    const look = () => {
      if (message.n !== sent || !behind()) return;
      if (isRunning()) again = setTimeout(look, REST_MS);
      else deliver(message);
    };
    again = setTimeout(look, AGAIN_MS);
  }

  async function bring(kind, record, query = '') {
    const files = record?.filed ? await filesOf(record.work) : {};
    tell({ kind, query, record: record && forPython(record), files });
    if (!record?.own) return;
    asked = record.work;
    others?.postMessage({ ask: asked });
  }

  /** The page was loaded, or its server was started anew: what this tab showed at this address goes on. */
  function greet() {
    const before = parsed(sessionStore(), TAB);
    const query = location.search.slice(1);
    const here = new URLSearchParams(query).get('here');
    const mine = before && before.query === query ? before : null;
    const record = mine ?? (here && parsed(localStore(), RECORD + here));
    if (record || data.awaits) bring('reloaded', record ?? null, query);
  }

  function address() {
    const { query, id } = data.record;
    const url = location.pathname + (query && `?${query}`) + location.hash;
    if (location.search.slice(1) === query) history.replaceState({ ...history.state, gradtape: id }, '', url);
    else if (entry === '' || entry === id) history.replaceState({ gradtape: id }, '', url);
    else history.pushState({ gradtape: id }, '', url);
    entry = id;
  }

  function save() {
    if (data === null || busy() || data.awaits) return;
    const record = { ...data.record, cells: typed ?? data.record.cells, moment, result: data.result, filed: data.filed, at: Date.now() };
    put(sessionStore(), TAB, record);
    if (!record.own) return say(localStore() ? '' : 'This browser keeps nothing', '');
    if (gone === record.id && typed === null) return say('', ''); // forgotten, and not changed since
    gone = '';
    const kept = keep(record);
    if (!kept) say('Not kept: this browser has no room', 'What you make here is lost with the page. Save it as a file.');
    else if (data.large) say(`Kept without its files`, `In this browser, but ${data.large} for it: the text is kept.`);
    else if (record.query.startsWith('here=')) say('Kept in this browser', 'The address opens it in this browser only. Share makes a link or a file that opens everywhere.');
    else say('Kept in this browser', 'A reload brings it back, and so does the list of recent programs. The address holds the program itself.');
  }

  function say(text, title) {
    if (words.textContent !== text) words.textContent = text;
    words.title = title;
    words.dataset.bad = String(/^(Not|This)/.test(text));
  }

  /** What stands in the editors, which Python hears of a little later. */
  function look() {
    clearTimeout(timer);
    timer = 0;
    if (data === null) return;
    if (busy()) return void onInput(); // a little later, then
    const cells = data.record.cells.map((cell, k) => {
      const editor = window.__gradtapeEditor?.[`editor_${k}`];
      return editor?.rev() === data.rev ? editor.getText() : cell; // another program is on its way to the editor: nothing was typed into it
    });
    typed = String(cells) === String(data.record.cells) ? null : cells;
    if (typed) save();
  }
  const onInput = () => {
    clearTimeout(timer);
    timer = setTimeout(look, TYPED_MS);
  };
  const onHide = () => timer && look();
  const onMoment = ({ detail }) => {
    moment = detail;
    save();
  };
  const onPop = (event) => {
    // Streamlit would draw the page anew by itself as well: of two requests at once it loses what it has kept of the first.
    event.stopImmediatePropagation();
    const id = event.state?.gradtape;
    if (id && id === data?.record.id) return; // a place on the same page
    bring('went', (id && parsed(localStore(), RECORD + id)) || null, location.search.slice(1));
  };
  const onBring = ({ detail }) => {
    const record = parsed(localStore(), RECORD + detail);
    if (record) bring('bring', record);
  };
  const onForgotten = () => {
    gone = data?.record.id ?? '';
    say('', '');
  };
  const onStored = ({ detail }) => detail === data?.record.work && tell({ kind: 'stored' });
  const heard = {
    'gradtape:looked': onMoment, 'gradtape:bring': onBring, 'gradtape:forgotten': onForgotten, 'gradtape:stored': onStored,
    pagehide: onHide,
  };
  for (const [name, on] of Object.entries(heard)) window.addEventListener(name, on);
  window.addEventListener('popstate', onPop, true);
  document.addEventListener('input', onInput, true);
  watchRoot();
  // A server that was started anew knows nothing of this page until it is asked; what it answers is another session's.
  const back = watchConnection(() => {
    sent = Math.max(sent + 1, Date.now());
    deliver({ n: sent, kind: 'back', query: '', record: null, files: {} });
  });
  if (others) {
    others.onmessage = ({ data: message }) => {
      const mine = data?.record.own && data.record.work;
      if (message.ask && message.ask === mine) others.postMessage({ have: mine });
      if (message.have && message.have === asked) {
        asked = '';
        tell({ kind: 'apart' });
      }
    };
  }
  window.dispatchEvent(new CustomEvent('gradtape:keeper'));

  return {
    update(component) {
      send = component.setTriggerValue;
      data = component.data;
      if (!line.isConnected) parentElement.append(line);
      if (data.session !== session) {
        session = data.session;
        sent = data.heard;
        entry = '';
        waiting.length = 0;
        greet();
      }
      if (busy()) return pass(PATIENCE_MS / REST_MS);
      // A page that is drawn again with the text of before has not heard yet what was typed since.
      if (!drawn || drawn.id !== data.record.id || String(drawn.cells) !== String(data.record.cells)) typed = null;
      drawn = data.record;
      if (!data.awaits) address();
      save();
    },
    destroy() {
      for (const [name, on] of Object.entries(heard)) window.removeEventListener(name, on);
      window.removeEventListener('popstate', onPop, true);
      document.removeEventListener('input', onInput, true);
      back.disconnect();
      clearTimeout(timer);
      clearTimeout(rest);
      clearTimeout(again);
      others?.close();
      line.remove();
    },
  };
}

/**
 * Whether the page is being drawn. What is asked for meanwhile makes Streamlit lose messages: it counts on what it sent some runs
 * ago, just when the browser lets go of it.
 */
function isRunning() {
  return document.querySelector('[data-test-script-state="running"]') !== null;
}

/** Call back when the connection to the server has been lost and is there again. */
function watchConnection(action) {
  const app = document.querySelector('[data-test-connection-state]');
  const connected = () => app?.dataset.testConnectionState === 'CONNECTED';
  let was = connected();
  const watching = new MutationObserver(() => {
    if (connected() && !was) action();
    was = connected();
  });
  if (app) watching.observe(app, { attributeFilter: ['data-test-connection-state'] });
  return watching;
}

/**
 * Load the page anew when it has been taken down: of a message that it cannot place, Streamlit's frontend dies and leaves nothing.
 * What was on show comes back, as after any reload; not twice in a row, because then it would not help.
 */
function watchRoot() {
  const root = document.getElementById('root');
  if (!root || root.gradtapeWatched) return;
  root.gradtapeWatched = true;
  new MutationObserver(() => {
    if (root.childElementCount) return;
    const store = sessionStore();
    const now = Date.now();
    if (!store || now < Number(store.getItem(REVIVED)) + REVIVED_MS || !put(store, REVIVED, now)) return;
    window.location.reload();
  }).observe(root, { childList: true });
}

/** What Python reads of a record; the rest is for the list. */
function forPython({ at, result, filed, ...record }) {
  return record;
}

/** Other tabs are asked whether they have the same program on show: then this one goes on with another of its name. */
function channel() {
  return typeof BroadcastChannel === 'function' ? new BroadcastChannel('gradtape') : null;
}

// --- the moment and the files ------------------------------------------------------------------------------------------------

function createMoment() {
  let moment = {};
  const tell = () => window.dispatchEvent(new CustomEvent('gradtape:looked', { detail: moment }));
  window.addEventListener('gradtape:keeper', tell);
  return {
    update({ data }) {
      moment = data.moment;
      tell();
    },
    destroy: () => window.removeEventListener('gradtape:keeper', tell),
  };
}

function createFiles() {
  let stored = '';
  return {
    async update({ data }) {
      if (stored === data.work) return;
      stored = data.work;
      try {
        await inFiles('readwrite', (store) => store.put(data.files, data.work));
      } catch {
        return; // as good as too large: they are asked for again
      }
      window.dispatchEvent(new CustomEvent('gradtape:stored', { detail: data.work }));
    },
    destroy() {},
  };
}

async function filesOf(work) {
  try {
    return (await inFiles('readonly', (store) => store.get(work))) ?? {};
  } catch {
    return {};
  }
}

/** Ask something of the store of files. */
function inFiles(mode, ask) {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open(DATABASE, 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore(FILES);
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => {
      const transaction = opening.result.transaction(FILES, mode);
      const asked = ask(transaction.objectStore(FILES));
      transaction.oncomplete = () => {
        opening.result.close();
        resolve(asked.result);
      };
      transaction.onerror = transaction.onabort = () => reject(transaction.error);
    };
  });
}

// --- what is kept ------------------------------------------------------------------------------------------------------------

/** The store, or null where the browser gives none: its access alone may raise. */
function localStore() {
  try {
    return window.localStorage;
  } catch {
    return null;
  }
}

function sessionStore() {
  try {
    return window.sessionStorage;
  } catch {
    return null;
  }
}

function put(store, key, value) {
  try {
    store.setItem(key, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}

function parsed(store, key) {
  try {
    const found = JSON.parse(store.getItem(key));
    return found && typeof found === 'object' && Array.isArray(found.cells) ? found : null;
  } catch {
    return null;
  }
}

/** All records, the newest first. */
function records() {
  const store = localStore();
  const keys = store ? Object.keys(store).filter((key) => key.startsWith(RECORD)) : [];
  return keys.map((key) => parsed(store, key)).filter(Boolean).sort((a, b) => b.at - a.at);
}

/** Keep a record, if need be in the place of the oldest ones; whether there was room. */
function keep(record) {
  const store = localStore();
  if (!store) return false;
  let kept = put(store, RECORD + record.id, record);
  if (kept && Object.keys(store).filter((key) => key.startsWith(RECORD)).length <= RECORDS) return true;
  const rest = records().filter(({ id }) => id !== record.id);
  while (rest.length && (!kept || rest.length >= RECORDS)) {
    drop(rest.pop(), rest);
    kept ||= put(store, RECORD + record.id, record);
  }
  return kept;
}

function drop(record, rest) {
  localStore().removeItem(RECORD + record.id);
  if (record.filed && !rest.some(({ work }) => work === record.work)) {
    inFiles('readwrite', (store) => store.delete(record.work)).catch(() => {});
  }
}

function forget() {
  for (const { id } of records()) localStore().removeItem(RECORD + id);
  sessionStore()?.removeItem(TAB);
  inFiles('readwrite', (store) => store.clear()).catch(() => {});
  window.dispatchEvent(new CustomEvent('gradtape:forgotten'));
}

// --- the list ----------------------------------------------------------------------------------------------------------------

function createWorks({ parentElement }) {
  const root = h('div', { class: 'works' });
  parentElement.append(root);

  function draw({ work, id }) {
    const all = records();
    const newest = all.filter((record, k) => all.findIndex((other) => other.work === record.work) === k);
    const versions = all.filter((record) => record.work === work && record.id !== id);
    const list = (title, shown) => (shown.length === 0 ? [] : [
      h('h3', {}, title),
      h('ul', {}, ...shown.map((record) => h('li', {}, opener(record), remover(record, () => draw({ work, id }))))),
    ]);
    const clear = h('button', { type: 'button', class: 'forget' }, 'Forget this browser’s work');
    clear.addEventListener('click', () => {
      forget();
      draw({ work, id });
    });
    root.replaceChildren(
      ...list('Earlier versions of this program', versions),
      ...list('Recent programs', newest.filter((record) => record.work !== work)),
      h('p', {}, localStore() === null
        ? 'This browser lets pages keep nothing. Save what you want to have again as a file.'
        : all.length === 0 ? 'Nothing yet: what you write, build or open is kept in this browser, and nowhere else.'
          : 'Kept in this browser, and nowhere else.'),
      ...(all.length ? [clear] : []),
    );
  }

  return {
    update: ({ data }) => draw(data),
    destroy: () => root.remove(),
  };
}

function opener(record) {
  const made = h('button', { type: 'button', class: 'open' },
    h('b', {}, record.name || 'Program'), h('time', {}, when(record.at)), h('code', {}, record.result || lastLine(record.cells)));
  made.addEventListener('click', () => window.dispatchEvent(new CustomEvent('gradtape:bring', { detail: record.id })));
  return made;
}

function remover(record, after) {
  const made = h('button', { type: 'button', class: 'remove', 'aria-label': `Forget ${record.name || 'this program'}`, title: 'Forget it' }, '✕');
  made.addEventListener('click', () => {
    drop(record, records().filter(({ id }) => id !== record.id));
    after();
  });
  return made;
}

const lastLine = (cells) => String(cells.at(-1)).trimEnd().split('\n').at(-1).slice(0, 120);

function when(at) {
  const then = new Date(at);
  const today = then.toDateString() === new Date().toDateString();
  return today ? then.toLocaleTimeString([], { timeStyle: 'short' }) : then.toLocaleDateString([], { dateStyle: 'medium' });
}
