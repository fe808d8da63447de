/** Of a rolled run: its pictures as the player takes them, and windows of iterations, which are unpacked when they are wanted. */

/** Windows that are kept unpacked. */
const KEPT = 16;
/** Iterations in a table on either side of the one on show. */
const BESIDE = 2;

async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text.trim()), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Response(stream).json();
}

/** Things that are packed one by one, of which the last few are kept unpacked. */
function createShelf(packed) {
  const ready = new Map(); // the one used last is the last
  const under = new Map();

  function here(index) {
    const found = ready.get(index) ?? null;
    if (found) {
      ready.delete(index);
      ready.set(index, found);
    }
    return found;
  }

  function take(index) {
    const found = here(index);
    if (found) return Promise.resolve(found);
    if (!under.has(index)) {
      under.set(index, unpacked(packed[index]).then((window) => {
        under.delete(index);
        ready.set(index, window);
        if (ready.size > KEPT) ready.delete(ready.keys().next().value);
        return window;
      }));
    }
    return under.get(index);
  }

  return { here, take, has: (index) => Boolean(packed[index]) };
}

/**
 * @param {object | null} rolled   {views: {view: {shared, nodes, edges, pictures, cards}}, spans: [[first step, last step], …]}
 * @param {{here: Function, take: Function}} windows   what happens in the steps of each span
 * @param {{here: Function, take: Function, has: Function}} beside   what the inspector says in them, of some
 */
function createRolled(rolled, windows, beside) {
  if (!rolled) return null;
  const { views, spans } = rolled;

  /** The window with a step in it, or -1. */
  const at = (step) => spans.findIndex(([first, last]) => first <= step && step <= last);

  const known = (view, key) => {
    const { of } = views[view].cards;
    return of[of[key]?.like ?? key] ?? null;
  };

  const momentsOf = (view, window) => ({ ...window.views[view].moments, captions: window.captions });

  return {
    views,
    at,

    /** The window of a step, or the one nearest to it. */
    nearest(step) {
      const index = at(step);
      if (index >= 0) return windows.take(index);
      const away = spans.map(([first, last]) => Math.min(Math.abs(first - step), Math.abs(last - step)));
      return windows.take(away.indexOf(Math.min(...away)));
    },

    /** The windows that have a step between two, and whether they have all of them. */
    async among([from, to]) {
      const rows = spans.flatMap(([first, last], index) => (last >= from && first <= to ? [index] : []));
      let next = from;
      for (const row of rows) if (spans[row][0] <= next) next = spans[row][1] + 1;
      return { found: await Promise.all(rows.map(windows.take)), all: next > to };
    },

    /** A picture with what it shows in a window, as a message. */
    picture(view, name, window) {
      const { shared, nodes, edges, pictures } = views[view];
      const { nodes: standing, edges: running, frames, shown, vis, rev, ...own } = pictures[name];
      const { run, tape, total, options, rolled: told, ...common } = shared;
      const { nodes: histories, edges: passed, details } = window.views[view];
      const changing = (one, key) => ({ ...one, history: histories[key] ?? [], changes: (histories[key] ?? []).map(([step]) => step) });
      const cards = standing.map(([row, x, y]) => {
        const node = { ...changing(nodes[row], nodes[row].id), x, y };
        return node.rows ? { ...node, rows: node.rows.map((one) => changing(one, one.key)) } : node;
      });
      const lines = running.map(([row, far, route]) => ({ ...edges[row], far, route, history: passed[edges[row].id] ?? [] }));
      return {
        rev, run, tape, total, details,
        drawn: {
          ...common,
          ...own,
          nodes: cards,
          edges: lines,
          network: vis ? { options, nodes: cards.map(({ id, x, y }) => ({ id, x, y, shape: 'custom', physics: false })), edges: lines.map(({ id, from, to }) => ({ id, from, to })) } : null,
          rolled: { ...told, frames, loops: told.loops.map((loop, row) => ({ ...loop, shown: shown[row] })), window: window.window },
        },
        moments: momentsOf(view, window),
      };
    },

    /** What a player that shows a picture is told of another window; `details` are those of all that it is told of at once. */
    news(view, name, window, details) {
      const { shared, nodes, edges, pictures } = views[view];
      const { rev, nodes: standing, edges: running } = pictures[name];
      const { nodes: histories, edges: passed } = window.views[view];
      const of = (key) => histories[key] ?? [];
      return {
        rev,
        tape: shared.tape,
        total: shared.total,
        told: {
          window: window.window,
          nodes: standing.map(([row]) => {
            const { id, rows = [] } = nodes[row];
            return { id, history: of(id), rows: rows.map(({ key }) => ({ key, history: of(key) })) };
          }),
          edges: running.map(([row]) => ({ id: edges[row].id, history: passed[edges[row].id] ?? [] })),
        },
        moments: momentsOf(view, window),
        details,
      };
    },

    /** What the inspector says of a card: null where the file does not have it, or `arrived` is called when it is unpacked. */
    said(view, key, step, arrived) {
      const index = at(step);
      const there = beside.here(index);
      if (!there && beside.has(index)) beside.take(index).then(arrived);
      const rows = there && factAt(there.inspector[view][key], step);
      if (!rows) return null;
      const formula = there.formulas[step];
      return [...(formula === undefined ? [] : [formula]), ...rows].map((row) => there.texts[row]).join('');
    },

    /** How a card goes over the run, as HTML: how it is spread, and its numbers around the iteration of a step. */
    overRun(view, key, step) {
      const card = known(view, key);
      if (!card) return '';
      const { texts, every } = views[view].cards;
      const { loops, main } = views[view].shared.rolled;
      const { starts, ends } = loops.find(({ id }) => id === card.loop) ?? loops.find(({ id }) => id === main);
      const ridges = card.ridges == null ? '' : texts[card.ridges];
      const numbers = card.names ? tableOf(card, starts, ends, every, step) : '';
      return `<section class="gt-section"><h3 class="gt-label">over the run</h3>${ridges}${numbers}</section>`;
    },
  };
}

/** Names of columns are the file's own, and everything else is numbers: nothing in it comes from a program. */
function tableOf({ names, values, bad }, starts, ends, every, step) {
  const now = Math.max(0, starts.findLastIndex((start) => start <= step));
  const middle = Math.round(now / every);
  const wrong = new Map(bad);
  const rows = [];
  for (let at = Math.max(0, middle - BESIDE); at <= middle + BESIDE && at < values[0].length; at += 1) {
    const row = at * every;
    const cells = values.map((column) => `<td>${numberText(column[at], wrong.get(row))}</td>`).join('');
    const link = `<button class="gt-moment" type="button" data-gt-step="${Number(ends[row])}">${row}</button>`;
    rows.push(`<tr class="${row === now ? 'gt-now' : ''}"><td>${link}</td>${cells}</tr>`);
  }
  const head = ['iteration', ...names].map((name) => `<th>${name}</th>`).join('');
  return `<table class="gt-table gt-run"><thead><tr>${head}</tr></thead><tbody>${rows.join('')}</tbody></table>`;
}

function numberText(value, wrong) {
  if (value !== null && value !== undefined) return String(Number(value.toPrecision(3)));
  return wrong ? `<span class="gt-out">${wrong === 'nan' ? 'NaN' : 'Inf'}</span>` : '–';
}

