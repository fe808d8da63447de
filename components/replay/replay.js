/* The page around the player: source, output and details follow its steps. `render` is the player's default export. */

const PARTS = { inspector: 'Inspector', ledger: 'Ledger', findings: 'Findings' };
const VIEWS = { tensors: 'Tensors and ops', autograd: 'Autograd (grad_fn)' };
/** Names of the pictures that no group gives its name to. */
const FOLDED = '';
const CLOSED = '-';
const FIXED = 'In a file cards are as they were when it was made.';
const ALL = '*';
const FOLDS = { [FOLDED]: 'Folded', [ALL]: 'All open' };
const SPARSE = 'Of this iteration the file has what the curves say: there is room for some iterations with all their events. The recording, opened in Gradtape, has them all.';

const byId = (id) => document.getElementById(id);
const data = await unpacked(byId('data').content.textContent);
const rolled = createRolled(data.rolled, shelf('windows'), shelf('beside'));
const shown = {
  view: data.view, picture: '', step: data.step, selected: null, part: 'inspector', span: null, picked: null, html: null, rolled: rolled !== null,
};

const host = document.createElement('div');
byId('graph').append(host);
const parentElement = host.attachShadow({ mode: 'open' });
const marked = new Set();
let commands = 0;
let command = { n: 0, step: null, select: null };

const lines = writeSource();
const made = new Map();
const offered = Object.entries(VIEWS).filter(([view]) => view in book());
buttons(byId('views'), Object.fromEntries(offered), 'aria-pressed', () => shown.view, changeView);
const pressFolds = buttons(byId('folds'), FOLDS, 'aria-pressed', () => shown.picture, changePicture);
showFolds();
buttons(byId('tabs'), PARTS, 'aria-selected', () => shown.part, (part) => {
  shown.part = part;
  showDetail();
});
if (data.panels.found > 0) byId('tabs').lastElementChild.append(` ${data.panels.found}`);

window.addEventListener('gradtape:moment', ({ detail }) => {
  shown.step = detail.step;
  markLine(detail.cell, detail.span);
  showOutput();
  showDetail();
});
window.addEventListener('gradtape:select', ({ detail }) => {
  shown.selected = detail.id;
  showDetail();
});
window.addEventListener('gradtape:span', ({ detail }) => {
  if (detail.kind === 'select') markPicked(detail);
});
document.addEventListener('click', ({ target }) => {
  const button = target.closest?.('[data-gt-copy]');
  if (!button) return;
  navigator.clipboard.writeText(button.dataset.gtCopy).then(() => {
    button.dataset.copied = 'true';
    setTimeout(() => delete button.dataset.copied, 1600);
  }, () => {});
});
// Light and dark follow the system while the page is open.
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', mount);
// Paper is light; the player hears of it (theme.mjs).
for (const [name, paper] of [['beforeprint', true], ['afterprint', false]]) {
  addEventListener(name, () => {
    document.documentElement.toggleAttribute('data-paper', paper);
    dispatchEvent(new CustomEvent('gradtape:theme'));
  });
}
let turn = Promise.resolve(); // what the player is given, one thing after the other
tell(data.step, standing(data.selected));
const lesson = data.lesson && createLesson(data.lesson, { go: goTo, changed: () => { byId('output').replaceChildren(); showOutput(); } });
if (lesson) lesson.start();
else mount();

/** What is packed in one of the page's templates, a line for each. */
function shelf(id) {
  return createShelf(byId(id).content.textContent.split('\n'));
}

/** The pictures of the views, as the run is shown. */
function book() {
  return shown.rolled ? rolled.views : data.views;
}

/** The card that stands for a node of the run, where that is known. */
function standing(key) {
  return shown.rolled ? data.rolled.standing[shown.view]?.[key] ?? null : key;
}

/** Streamlit's part: hand the player its data, and hear what it wants opened or closed. */
function mount() {
  if (!shown.rolled) return give(assembled());
  later(async () => give(rolled.picture(shown.view, shown.picture, await rolled.nearest(shown.step))));
}

function give(payload) {
  render({ parentElement, name: 'replay', data: { ...payload, key: 'replay', cmd: command, fixed: FIXED }, setStateValue });
}

function later(action) {
  turn = turn.then(action);
  turn.catch((error) => window.reportError(error));
}

function setStateValue(name, value) {
  // The player is in the midst of an update when it asks.
  if (name === 'folds') setTimeout(() => changePicture(pictureFor(value)));
  if (name === 'rolled') setTimeout(() => changeRolling(value));
}

/** The run is to be rolled or not, or the player wants to know what happens in other iterations. */
function changeRolling({ on, window }) {
  if (on !== shown.rolled && shown.view in (on ? rolled.views : data.views)) {
    shown.rolled = on;
    shown.picture = FOLDED;
    tell(shown.step, null);
    showFolds();
    mount();
  } else if (on && window) later(() => feed(window));
}

async function feed(wanted) {
  const { view, picture } = shown;
  const { found, all } = await rolled.among(wanted);
  const details = {};
  for (const { views } of found) {
    for (const [edge, lines] of Object.entries(views[view].details)) details[edge] = { ...details[edge], ...lines };
  }
  for (const window of found) give(rolled.news(view, picture, window, details));
  if (!all && rolled.at(shown.step) < 0) window.__gradtapePlayer.say(SPARSE);
  showDetail();
}

/** A picture as the player takes it: cards and edges are in tables that all pictures of a view share. */
function assembled() {
  const name = `${shown.view} ${shown.picture}`;
  if (!made.has(name)) {
    const { shared, nodes, edges, pictures } = data.views[shown.view];
    const { nodes: standing, edges: running, vis, ...own } = pictures[shown.picture];
    const cards = standing.map(([row, x, y]) => ({ ...nodes[row], x, y }));
    const drawn = running.map(([row, far, route]) => ({ ...edges[row], far, route }));
    const { run, tape, total, details, options, ...common } = shared;
    made.set(name, { rev: own.rev, run, tape, total, details, drawn: {
      ...common,
      ...own,
      // To the player all open is another picture, which it shows whole; in the others it keeps its position.
      picture: shown.picture === ALL ? `${shared.picture} ${ALL}` : shared.picture,
      nodes: cards,
      edges: drawn,
      network: vis ? { options, nodes: cards.map(({ id, x, y }) => ({ id, x, y, shape: 'custom', physics: false })), edges: drawn.map(({ id, from, to }) => ({ id, from, to })) } : null,
    } });
  }
  return made.get(name);
}

// --- groups --------------------------------------------------------------------------------------------------------------------

/** The groups around one, itself first. */
function around(id) {
  const { groups } = book()[shown.view].shared.run.index;
  const path = [];
  for (let at = groups.findIndex(([each]) => each === id); at >= 0; at = groups[at][2]) path.push(groups[at][0]);
  return path;
}

/** The picture that comes closest to what the player wants: one path of groups is open at a time. */
function pictureFor({ opened, wanted }) {
  const { shared, pictures } = book()[shown.view];
  const before = window.__gradtapePlayer.opened();
  const first = pictures[FOLDED].fold.opened.map(({ id }) => id);
  const named = (id) => (id in pictures ? id : first.includes(id) ? FOLDED : null);
  const nearest = (ids) => ids.map(named).find((name) => name !== null) ?? FOLDED;
  if (wanted) {
    const row = shared.run.index.rows.find(([key]) => key === wanted);
    const innermost = wanted.startsWith('g:') ? around(wanted.slice(2))[1] : row && shared.run.index.groups[row[1]]?.[0];
    return innermost ? nearest(around(innermost)) : FOLDED;
  }
  const added = opened.filter((id) => !before.includes(id));
  if (added.length > 0) return named(added[0]);
  if (opened.length === 0) return CLOSED in pictures ? CLOSED : FOLDED;
  const closed = before.filter((id) => !opened.includes(id));
  const outermost = closed.find((id) => !around(id).slice(1).some((above) => closed.includes(above)));
  return nearest(around(outermost).slice(1));
}

/** Which of the two is on; a view without a picture of all has neither. */
function showFolds() {
  byId('folds').hidden = !(ALL in book()[shown.view].pictures);
  pressFolds();
}

function changePicture(picture) {
  if (picture === null) {
    window.__gradtapePlayer.say('This file has no picture of what is inside: open the recording in Gradtape.');
    return;
  }
  shown.picture = picture;
  mount();
  showFolds();
}

/** A page of the lesson: its view, its moment, and from there on the tape plays up to `until`. */
function goTo({ view, selected }, { step, until = null }) {
  if (view && view !== shown.view && view in book()) changeView(view);
  tell(step, standing(selected), until);
  mount();
}

function tell(step, select, until = null) {
  commands += 1;
  command = { n: commands, step, until, select, open: false };
}

function changeView(view) {
  const { step, selected } = shown;
  const known = (key) => !shown.rolled && key in data.panels.inspector && (view === 'tensors') !== key.startsWith('n');
  const twins = shown.rolled ? data.rolled.twins[shown.view] : data.panels.twins;
  const there = selected && !known(selected) ? twins[selected] : selected;
  shown.view = view;
  shown.picture = FOLDED;
  showFolds();
  tell(step, there ?? null);
  mount();
  shown.selected = there ?? null;
  showDetail();
}

/** A row of buttons of which one is on; the arrow keys go from one to the next. */
function buttons(row, labels, state, current, choose) {
  const made = Object.entries(labels).map(([name, label]) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = label;
    if (state === 'aria-selected') button.setAttribute('role', 'tab');
    button.addEventListener('click', () => pick(name));
    row.append(button);
    return [name, button];
  });
  function pick(name) {
    if (name !== current()) choose(name);
    show();
  }
  function show() {
    for (const [name, button] of made) {
      button.setAttribute(state, String(name === current()));
      if (state === 'aria-selected') button.tabIndex = name === current() ? 0 : -1;
    }
  }
  if (state === 'aria-selected') {
    row.addEventListener('keydown', (event) => {
      const turn = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!turn) return;
      event.preventDefault();
      event.stopPropagation();
      const position = made.findIndex(([name]) => name === current());
      const [name, button] = made[(position + turn + made.length) % made.length];
      pick(name);
      button.focus();
    });
  }
  show();
  return show;
}

// --- source and output ---------------------------------------------------------------------------------------------------------

function writeSource() {
  return data.source.map((text, cell) => {
    const list = document.createElement('ol');
    const items = text.replace(/\n$/, '').split('\n').map((line, index) => {
      const item = document.createElement('li');
      const code = document.createElement('code');
      code.textContent = line;
      item.dataset.line = String(index + 1);
      item.append(code);
      item.addEventListener('click', () => pointAt(cell, index + 1, code, line));
      return { item, code, line };
    });
    if (data.notebook) list.dataset.cell = `In [${cell + 1}]`;
    list.append(...items.map(({ item }) => item));
    byId('source').append(list);
    return items;
  });
}

/** A click in the source selects the node that was made there. */
function pointAt(cell, line, code, text) {
  const selection = window.getSelection();
  if (!selection.isCollapsed || !code.contains(selection.anchorNode)) return;
  const range = document.createRange();
  range.selectNodeContents(code);
  range.setEnd(selection.anchorNode, selection.anchorOffset);
  const column = utf8Length(text.slice(0, range.toString().length));
  window.dispatchEvent(new CustomEvent('gradtape:cursor', { detail: { cell, line, column } }));
}

/** Python counts columns in bytes of UTF-8. */
function utf8Length(text) {
  return new TextEncoder().encode(text).length;
}

function cut(text, column) {
  return new TextDecoder().decode(new TextEncoder().encode(text).slice(0, column)).length;
}

function markLine(cell, span) {
  shown.span = span ? { cell, span } : null;
  drawMarks();
  if (!span) return;
  const { item } = lines[cell]?.[span[0] - 1] ?? {};
  const box = byId('source');
  if (!item) return;
  const [top, bottom] = [item.offsetTop - box.offsetTop, item.offsetTop - box.offsetTop + item.offsetHeight];
  if (top < box.scrollTop || bottom > box.scrollTop + box.clientHeight) box.scrollTop = top - box.clientHeight / 3;
}

function markPicked({ cell, line, column, endLine, endColumn }) {
  shown.picked = line ? { cell, span: [line, column, endLine, endColumn] } : null;
  drawMarks();
}

function drawMarks() {
  for (const { item, code, line } of marked) {
    item.classList.remove('now');
    code.textContent = line;
  }
  marked.clear();
  // The step's own mark goes last: it wins where both are on one line.
  for (const [where, style] of [[shown.picked, 'picked'], [shown.span, '']]) {
    if (!where) continue;
    const [first, from, last, to] = where.span;
    for (let number = first; number <= last; number += 1) {
      const entry = lines[where.cell]?.[number - 1];
      if (!entry) continue;
      marked.add(entry);
      if (!style) entry.item.classList.add('now');
      const begin = number === first ? cut(entry.line, from) : entry.line.length - entry.line.trimStart().length;
      const end = number === last ? cut(entry.line, to) : entry.line.length;
      const mark = document.createElement('mark');
      if (style) mark.className = style;
      mark.textContent = entry.line.slice(begin, end);
      entry.code.replaceChildren(entry.line.slice(0, begin), mark, entry.line.slice(end));
    }
  }
}

function showOutput() {
  const until = data.panels.output.filter(([step]) => step <= shown.step && (lesson?.holds(step) ?? true));
  const box = byId('output');
  if (box.childElementCount === until.length) return;
  box.replaceChildren(...until.map(([, kind, text]) => {
    const part = document.createElement('span');
    part.className = kind;
    part.textContent = text;
    return part;
  }));
  box.scrollTop = box.scrollHeight;
}

// --- details -------------------------------------------------------------------------------------------------------------------

/** Markup that was made and escaped beforehand; it is put in only when it changes, so that a button keeps its focus. */
function showDetail() {
  const { texts } = data.panels;
  const parts = { inspector: inspectorPart, ledger: ledgerPart, findings: () => texts[data.panels.findings] };
  const html = parts[shown.part](texts);
  const box = byId('detail');
  if (html !== shown.html) {
    const scrolled = box.scrollTop;
    box.innerHTML = html;
    shown.html = html;
    box.scrollTop = scrolled;
  }
  // Rows of ledgers that lie ahead are pale, the one of this step is marked.
  for (const link of box.querySelectorAll('td > [data-gt-step]')) {
    const at = Number(link.dataset.gtStep);
    link.closest('tr').className = at === shown.step ? 'gt-now' : at > shown.step ? 'gt-later' : '';
  }
}

function inspectorPart(texts) {
  if (shown.rolled) return inspectorOfRolled();
  const { inspector, groups } = data.panels;
  const row = factAt(inspector[shown.selected] ?? groups[shown.view]?.[shown.selected], shown.step);
  const formula = data.panels.formulas[shown.step];
  const empty = shown.selected ? 'Nothing is kept of this at this step.' : 'Click a card in the graph to see its values here.';
  const main = row === null ? `<div class="gt-empty">${empty}</div>` : texts[row];
  return (formula === undefined ? '' : texts[formula]) + main;
}

/** What is known of the selected card in this iteration, and over the run. */
function inspectorOfRolled() {
  const { view, selected, step } = shown;
  if (!selected) return '<div class="gt-empty">Click a card in the graph to see its values here.</div>';
  const overRun = rolled.overRun(view, selected, step);
  const said = rolled.said(view, selected, step, showDetail);
  if (said !== null) return said.replace('<div data-gt-over=""></div>', () => overRun);
  return `${rolled.at(step) < 0 ? `<div class="gt-empty">${SPARSE}</div>` : ''}${overRun}`;
}

function ledgerPart(texts) {
  const { ledgers } = data.panels;
  const keys = Object.keys(ledgers);
  if (keys.length === 0) return '<div class="gt-empty">No backward pass has filled a .grad in this run.</div>';
  const selected = shown.rolled ? data.rolled.ledgers[shown.view][shown.selected] : shown.selected;
  const first = keys.filter((key) => key === selected);
  const over = shown.rolled ? data.rolled.multiples[shown.view] : '';
  return over + [...first, ...keys.filter((key) => key !== selected)].map((key) => texts[ledgers[key]]).join('');
}

function factAt(history, step) {
  let found = null;
  for (const [from, row] of history ?? []) {
    if (from > step) break;
    found = row;
  }
  return found;
}
