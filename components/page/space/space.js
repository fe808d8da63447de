/**
 * The room on the screen, as the visitor wants it. One script for four kinds of elements:
 *   page       what is remembered holds, and on paper light; "F" leaves the graph alone, Escape brings the rest back
 *   splitter   between the graph and a part beside it: drawn, moved with arrows, and a button that closes the part
 *   focus      the button for the graph alone
 *   display    all of it in a menu, with the size of the text, wrapped lines, light and dark
 *
 * What is chosen stands in `window.__gradtapeSpace`, where the editor looks, too, in `localStorage`, and in variables and attributes of
 * the page's root, which the style sheet does the rest with. Shares are hundredths of the window's width.
 */

import { h } from '../../browser/dom.mjs';
import { mounted } from '../../browser/mount.mjs';
import { chooseTheme, lighten, themeChosen } from '../../browser/theme.mjs';
import { isTyping } from '../../browser/typing.mjs';

const KEY = 'gradtape.space';
const FIRST = { program: 28, panel: 24, closed: [], wrap: true, text: 100 };
const LEAST = { program: 14, panel: 17 };
/** What is left to the graph, however wide the others are. */
const GRAPH = 28;
const PARTS = Object.keys(LEAST);
const NAMES = { program: 'the program', panel: 'the panel' };
const TEXTS = [85, 100, 115, 130, 150];
const MOVE = 2;
const root = document.documentElement;
const REST = 14;
/** Pixels that the text of 100 % has; Streamlit's sizes are shares of it. */
const THEMES = [['System', 'As the system'], ['Light', 'Light'], ['Dark', 'Dark']];

export default mounted((first) => ({ page: createPage, splitter: createSplitter, focus: createFocus, display: createDisplay })[first.data.kind](first));

// --- what is chosen ----------------------------------------------------------------------------------------------------------

/** What is remembered, without what makes no sense. */
function remembered() {
  let found = {};
  try {
    found = JSON.parse(window.localStorage.getItem(KEY)) ?? {};
  } catch {
    // nothing, or nonsense
  }
  const within = (value, least, most, otherwise) => (value >= least && value <= most ? Number(value) : otherwise);
  return fitting({
    program: within(found.program, LEAST.program, 100, FIRST.program),
    panel: within(found.panel, LEAST.panel, 100, FIRST.panel),
    closed: PARTS.filter((part) => Array.isArray(found.closed) && found.closed.includes(part)),
    wrap: found.wrap !== false,
    text: TEXTS.includes(found.text) ? found.text : FIRST.text,
  });
}

/** Both parts no wider than leaves the graph its share. */
function fitting(wanted) {
  const over = wanted.program + wanted.panel - (100 - GRAPH);
  return over > 0 ? { ...wanted, program: FIRST.program, panel: FIRST.panel } : wanted;
}

const chosen = () => (window.__gradtapeSpace ??= remembered());

function choose(changes, { keep = true } = {}) {
  window.__gradtapeSpace = { ...chosen(), ...changes };
  if (keep) {
    try {
      window.localStorage.setItem(KEY, JSON.stringify(chosen()));
    } catch {
      // until the page is left, then
    }
  }
  apply();
}

const mostOf = (part) => 100 - GRAPH - (chosen().closed.includes(other(part)) ? 0 : chosen()[other(part)]);
const other = (part) => PARTS.find((each) => each !== part);

function widen(part, share, options) {
  choose({ [part]: Math.round(Math.min(mostOf(part), Math.max(LEAST[part], share)) * 10) / 10 }, options);
}

function close(part, closed) {
  choose({ closed: PARTS.filter((each) => (each === part ? closed : chosen().closed.includes(each))) });
}

const isAlone = () => root.dataset.gtAlone === 'true';

function leaveAlone(alone) {
  if (alone) root.dataset.gtAlone = 'true';
  else delete root.dataset.gtAlone;
  apply();
}

function apply() {
  const { program, panel, closed, text } = chosen();
  root.style.setProperty('--gt-program-width', `${program}vw`);
  root.style.setProperty('--gt-panel-width', `${panel}vw`);
  root.style.setProperty('--gt-text', text / 100);
  root.style.fontSize = text === 100 ? '' : `${(REST * text) / 100}px`;
  root.dataset.gtClosed = closed.join(' ');
  window.dispatchEvent(new CustomEvent('gradtape:space'));
}

/** Do something now and whenever something else is chosen; gives what ends it. */
function whenChosen(show) {
  window.addEventListener('gradtape:space', show);
  show();
  return () => window.removeEventListener('gradtape:space', show);
}

// --- the page ----------------------------------------------------------------------------------------------------------------

function createPage() {
  apply();
  const onKey = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTyping(event.composedPath()[0])) return;
    if (event.key === 'F') leaveAlone(!isAlone());
    else if (event.key === 'Escape' && isAlone() && !document.querySelector('[data-testid="stPopoverBody"], [data-baseweb="popover"]')) leaveAlone(false);
  };
  document.addEventListener('keydown', onKey);
  // Paper is light.
  let darken = () => {};
  const listen = new AbortController();
  window.addEventListener('beforeprint', () => (darken = lighten()), { signal: listen.signal });
  window.addEventListener('afterprint', () => darken(), { signal: listen.signal });
  return {
    update() {},
    destroy() {
      document.removeEventListener('keydown', onKey);
      listen.abort();
    },
  };
}

// --- between two parts -------------------------------------------------------------------------------------------------------

function createSplitter({ parentElement, data: { part } }) {
  const bar = h('div', {
    class: 'bar', role: 'separator', tabindex: '0', 'aria-orientation': 'vertical', 'aria-label': `Width of ${NAMES[part]}`,
    title: 'Drag, or move it with ← and →; Enter closes, a double click brings back the first width',
  });
  const toggle = h('button', { type: 'button', class: 'toggle', click: () => close(part, !isClosed()) });
  const element = h('div', { class: 'splitter', 'data-part': part }, bar, toggle);
  parentElement.append(element);
  const isClosed = () => chosen().closed.includes(part);
  /** 1 where what is right of the splitter gets narrower when it moves right. */
  const sense = part === 'program' ? 1 : -1;
  let from = null;

  bar.addEventListener('pointerdown', (event) => {
    if (event.button !== 0 || isClosed()) return;
    from = { x: event.clientX, share: chosen()[part] };
    bar.setPointerCapture(event.pointerId);
    element.dataset.held = 'true';
  });
  bar.addEventListener('pointermove', (event) => {
    if (from) widen(part, from.share + (sense * (event.clientX - from.x) * 100) / window.innerWidth, { keep: false });
  });
  for (const end of ['pointerup', 'pointercancel', 'lostpointercapture']) {
    bar.addEventListener(end, () => {
      if (!from) return;
      from = null;
      delete element.dataset.held;
      choose({});
    });
  }
  bar.addEventListener('dblclick', () => widen(part, FIRST[part]));
  bar.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const by = event.shiftKey ? 5 * MOVE : MOVE;
    const moves = { ArrowLeft: -by, ArrowRight: by };
    if (event.key in moves) widen(part, chosen()[part] + sense * moves[event.key]);
    else if (event.key === 'Home') widen(part, LEAST[part]);
    else if (event.key === 'End') widen(part, mostOf(part));
    else if (event.key === 'Enter') close(part, !isClosed());
    else return;
    event.preventDefault();
    event.stopPropagation(); // the player steps with the arrows
  });

  const stop = whenChosen(() => {
    const closed = isClosed();
    element.dataset.closed = String(closed);
    const values = { valuemin: LEAST[part], valuemax: mostOf(part), valuenow: closed ? 0 : chosen()[part], valuetext: closed ? 'closed' : `${chosen()[part]} % of the window` };
    for (const [name, value] of Object.entries(values)) bar.setAttribute(`aria-${name}`, String(value));
    toggle.title = `${closed ? 'Open' : 'Close'} ${NAMES[part]}`;
    toggle.setAttribute('aria-label', toggle.title);
    toggle.setAttribute('aria-expanded', String(!closed));
    toggle.textContent = (part === 'program') === closed ? '›' : '‹';
  });
  return {
    update: () => element.isConnected || parentElement.append(element),
    destroy() {
      stop();
      element.remove();
    },
  };
}

// --- the graph alone ---------------------------------------------------------------------------------------------------------

function createFocus({ parentElement }) {
  const button = h('button', { type: 'button', class: 'alone', click: () => leaveAlone(!isAlone()) });
  parentElement.append(button);
  const stop = whenChosen(() => {
    const alone = isAlone();
    button.setAttribute('aria-pressed', String(alone));
    button.title = alone ? 'Bring back the rest of the page (Esc)' : 'Focus mode: the graph alone (F)';
    button.setAttribute('aria-label', button.title);
  });
  return {
    update: () => button.isConnected || parentElement.append(button),
    destroy() {
      stop();
      button.remove();
    },
  };
}

// --- all of it ---------------------------------------------------------------------------------------------------------------

function createDisplay({ parentElement }) {
  const element = h('div', { class: 'display' });
  parentElement.append(element);
  const switches = (name, options, isOn, on) => h('fieldset', {}, h('legend', {}, name), h('div', { class: 'row' }, ...options.map(([value, label]) =>
    h('button', { type: 'button', 'aria-pressed': String(isOn(value)), 'data-value': `${name} ${value}`, click: () => on(value) }, label))));

  const stop = whenChosen(() => {
    const now = element.getRootNode().activeElement?.dataset.value;
    const { closed, wrap, text } = chosen();
    element.replaceChildren(
      switches('Theme', THEMES, (value) => value === themeChosen(), (value) => {
        chooseTheme(value);
        apply();
      }),
      switches('Size of the text', TEXTS.map((value) => [value, `${value} %`]), (value) => value === text, (value) => choose({ text: value })),
      switches('Long lines of the program', [[true, 'Wrap'], [false, 'Scroll']], (value) => value === wrap, (value) => choose({ wrap: value })),
      switches('On show beside the graph', PARTS.map((part) => [part, part === 'program' ? 'Program' : 'Panel']), (part) => !closed.includes(part), (part) => close(part, !closed.includes(part))),
      h('div', { class: 'row' },
        h('button', { type: 'button', 'data-value': 'alone', click: () => leaveAlone(true) }, 'The graph alone', h('kbd', {}, 'F')),
        h('button', { type: 'button', 'data-value': 'first', click: () => choose(FIRST) }, 'As at first')),
    );
    element.querySelector(`[data-value="${now}"]`)?.focus();
  });
  return {
    update: () => element.isConnected || parentElement.append(element),
    destroy() {
      stop();
      element.remove();
    },
  };
}
