/**
 * Iterations of a rolled run: going to one, from mark to mark, and what is asked for: rolled or not, turned loops, and what the cards
 * show in iterations that are not here. That is fetched, so that nothing else of the page is drawn anew; where it cannot be, Python
 * is asked as for everything.
 */

import { createAhead } from './ahead.js';
import { JUMPS } from './rolled.js';

/** Milliseconds between two questions to Python, which draws the page for each of them. */
const APART_MS = 120;
/** Steps that come at once, at most, as `engine/graph/rolled_graph.py` has it. */
const MOST = 2_000;
/** Iterations that are likely to be wanted next, on the way that the user goes and on the way back. */
const NEAR = [1, -1, 2, 3];

/**
 * @param {import('./state.js').State} state
 * @param {object} parts   curves, nest, loopMenu, seeking, reporter, viewport
 * @param {{root: HTMLElement, area: HTMLElement}} elements
 */
export function createIterations(state, parts, { root, area }) {
  const { memory, view } = state;
  let timer = null;
  let told = 0; // when Python was asked last
  let window = null; // the one that it was asked for last
  let way = 1; // the direction in which the user goes through the iterations
  let before = -1; // and the one that was on show before
  let asked = null; // rolled or not, as was asked of Python last; null where nothing is under way
  let turning = false; // a loop was turned, and its picture is under way
  let awaited = null; // a mark that was gone to before it was known what its step is about

  const on = () => state.model.rolled?.on;
  const ahead = createAhead(load, (range) => state.model.windows?.cover(...range) ?? true);

  function tell(wanted) {
    const value = { on: wanted, turned: memory.turned, window };
    parts.reporter.tell('rolled', JSON.stringify([value, state.model.rev]), value);
  }

  const iterations = {
    /** A graph was put in place. */
    setModel(model) {
      clearTimeout(timer);
      ahead.stop();
      window = null;
      asked = null;
      turning = false;
      awaited = null;
      const { rolled } = model;
      memory.turned = rolled?.on ? rolled.turned : [];
      root.toggleAttribute('data-rolled', Boolean(rolled?.on));
      root.removeAttribute('data-waiting');
      root.removeAttribute('data-unknown');
      const first = rolled?.marks.find(({ kind }) => kind === 'nan' || kind === 'inf');
      view.origins = new Set(rolled?.on && first ? rolled.origins?.map(model.stand) ?? model.focusAt(first.step) : []);
      view.hoveredFrame = null;
      parts.loopMenu.close(false);
      parts.granularity.offerIterations(Boolean(rolled?.on));
      parts.curves.setModel(model);
      parts.nest.setModel(model);
    },

    show(step) {
      if (!on()) return;
      parts.curves.show(step);
      parts.nest.show(step);
      root.dataset.iteration = String(state.model.rolled.at(state.model.rolled.main, step));
      root.toggleAttribute('data-unknown', !state.model.known);
      ask(step);
    },

    /** To the same moment of an iteration. */
    seek(loop, row) {
      parts.seeking.userSeeks(state.model.rolled.stepOf(loop, row, state.step));
    },

    /** To the next (1) or previous (-1) iteration of a loop, or of that level: "main", "outer" or "inner". */
    beside(loop, direction) {
      if (!on()) return;
      const { rolled } = state.model;
      const which = typeof loop === 'string' ? rolled.level(loop, state.step) : loop;
      if (!which) return parts.seeking.say(loop === 'outer' ? 'This loop is in no other one.' : 'There is no loop in this one.');
      const target = rolled.beside(which, state.step, direction);
      if (target === undefined) parts.seeking.say(direction > 0 ? 'This is the last iteration.' : 'This is the first iteration.');
      else parts.seeking.userSeeks(target);
    },

    /** To a mark: "nan", "largest", … */
    jump(kind) {
      if (!on()) return;
      const { rolled } = state.model;
      const mark = rolled.jump(kind, state.step);
      if (!mark) return parts.seeking.say(NONE[kind] ?? 'There is none in this run.');
      if (TROUBLE.has(kind)) point(mark);
      else parts.seeking.userSeeks(mark.step);
      if (mark.title) parts.seeking.say(mark.title);
    },

    roll(wanted) {
      const { rolled } = state.model;
      if (!rolled || wanted === (asked ?? rolled.on)) return;
      if (rolled.alone) return parts.seeking.say('This file has no other picture of the run: open the recording in Gradtape.');
      asked = wanted;
      clearTimeout(timer);
      root.toggleAttribute('data-waiting', turning || wanted !== rolled.on);
      tell(wanted);
    },

    toggle() {
      const { rolled } = state.model;
      if (rolled?.on || rolled?.worth) iterations.roll(!(asked ?? rolled.on));
    },

    /** Turn a loop from time to depth, or back; open a card that stands for many of an iteration, or close it. What is there of
     * it stays where it is. */
    turn({ id }) {
      const anchor = parts.viewport.anchorOf(anchorIn(state, id));
      // Another loop's picture has another extent; a card is opened in its place.
      memory.anchor = anchor && { ...anchor, filled: state.model.rolled.loops.has(id) };
      memory.turned = memory.turned.includes(id) ? memory.turned.filter((each) => each !== id) : [...memory.turned, id];
      turning = true;
      asked = true;
      root.toggleAttribute('data-waiting', true);
      tell(true);
    },

    /** What can be done with loops, beside an element of the page or at a point of the stage. */
    menu(loops, at) {
      parts.tooltip.hide();
      const from = at instanceof Element ? at : null;
      const box = from?.getBoundingClientRect();
      const stage = area.getBoundingClientRect();
      const point = box ? { x: box.left - stage.left, y: box.bottom - stage.top + 4 } : { x: at.x, y: at.y + 10 };
      parts.loopMenu.open(loops, state.model.rolled, state.step, point, from);
    },

    /** More of what the cards show has come. */
    learned() {
      state.model.show(state.step);
      root.toggleAttribute('data-unknown', !state.model.known);
    },

    /** It has come what some steps are about. */
    told() {
      const here = awaited && state.step === awaited.step && view.selected === awaited.selected;
      if (here && state.model.focusAt(awaited.mark.step).length > 0) point(awaited.mark);
    },

    stop() {
      clearTimeout(timer);
      ahead.stop();
    },
  };

  /**
   * To a mark, or as soon after it as its iteration's loss is there: that is ringed, and in view with what the mark is about; that
   * is selected, so that what is known of it is told.
   */
  function point(mark) {
    const { model } = state;
    const { step, kind } = mark;
    const about = kind === 'last-good' ? [] : model.focusAt(step).map((id) => model.node.get(id)?.host?.id ?? id);
    const loss = lossOf(model, about);
    const target = loss ? madeFrom(loss, step) : step;
    parts.seeking.userSeeks(target);
    view.ringed = loss && { id: loss.id, good: kind === 'last-good' };
    if (about.length > 0) parts.selection.select(about.at(-1));
    awaited = about.length > 0 || kind === 'last-good' ? null : { mark, step: target, selected: view.selected };
    const nodes = [...new Set([loss, ...about.map((id) => model.node.get(id))])].filter(Boolean);
    parts.viewport.whenSized(() => parts.camera.gather(nodes));
    parts.viewport.paint();
  }

  /** The first step from one on in the same iteration at which a node is there, as far as that is known. */
  function madeFrom({ born, history, made }, step) {
    const { rolled } = state.model;
    const { to } = rolled.range(rolled.main, Math.max(0, rolled.at(rolled.main, step)));
    const there = [born, ...(made ?? history.map(([at]) => at))].filter((at) => at >= step && at <= to);
    return there.length > 0 ? Math.min(...there) : step;
  }

  /** Ask for what the cards show in this iteration if it is not here, and for what is likely to be wanted next. */
  function ask(step) {
    const { rolled, windows, address } = state.model;
    clearTimeout(timer);
    if (windows === null || asked === false) return; // nothing more is asked of a picture that is left
    const row = rolled.at(rolled.main, step);
    if (row !== before) way = row < before ? -1 : 1;
    before = row;
    const here = around(row, row, step);
    if (address) {
      const [next, ...others] = likely(row, step);
      ahead.want(next ? [here, next] : [here], others);
    } else if (!windows.cover(...here)) {
      timer = setTimeout(() => {
        told = performance.now();
        window = around(row - 1, row + 1, step);
        tell(true);
      }, Math.max(0, told + APART_MS - performance.now()));
    }
  }

  /** The steps from one iteration to another, with those before the first and after the last; of too many those around a step. */
  function around(first, last, step) {
    const { rolled, last: end } = state.model;
    const { starts } = rolled.main;
    const from = first <= 0 ? 0 : starts[Math.min(first, starts.length - 1)];
    const to = last >= starts.length - 1 ? end : starts[last + 1] - 1;
    return to - from < MOST ? [from, to] : [Math.max(from, step - MOST / 2), Math.min(to, Math.max(from, step - MOST / 2) + MOST - 1)];
  }

  /** The iterations beside one, and those that the marks are one click away from. */
  function likely(row, step) {
    const { rolled } = state.model;
    const { starts } = rolled.main;
    const beside = NEAR.map((each) => row + way * each).filter((each) => each >= 0 && each < starts.length);
    const marked = JUMPS.map(({ kind }) => rolled.jump(kind, step)?.step).filter((each) => each !== undefined);
    return [
      ...beside.map((each) => around(each, each, rolled.range(rolled.main, each).to)),
      ...marked.map((each) => around(rolled.at(rolled.main, each), rolled.at(rolled.main, each), each)),
    ];
  }

  /** Fetch what the cards show from one step to another; whether it has come. */
  async function load([from, to]) {
    const { model } = state;
    const answer = await fetch(new URL(`${model.address}/${from}/${to}`, document.baseURI)).catch(() => null);
    const payload = answer?.ok ? await answer.json().catch(() => null) : null;
    if (state.model !== model) return false; // another picture is on show
    if (payload) parts.loading.fetched(payload);
    else {
      // Python tells the address anew if there is one.
      model.address = null;
      ask(state.step);
    }
    return payload !== null;
  }

  return iterations;
}

/**
 * What is to stay where it is when a card or a loop is turned: the card or what it was opened into, else, of what is in sight, what
 * is selected, or the leftmost of the loop.
 */
export function anchorIn({ model, view }, id) {
  if (model.node.has(id)) return id;
  const { left, right, top, bottom } = view.area ?? {};
  const inSight = model.nodes.filter(({ x, y }) => x > left && x < right && y > top && y < bottom).sort((one, other) => one.x - other.x);
  const ofLoop = model.rolled?.loops.get(id)?.kind === 'depth' ? (node) => model.groupOf.get(node.id)?.includes(id) : ({ loop }) => loop === id;
  return (inSight.find((node) => node.id === view.selected) ?? inSight.find(ofLoop) ?? inSight[0])?.id ?? null;
}

/** Marks of which one wants to see what became of the loss. */
const TROUBLE = new Set(['nan', 'inf', 'last-good']);
/** What a backward pass starts from. */
const ROOT = 'root';

/** The loss that what a mark is about led to, else the one of the run: what a pass starts from, the nearest first. */
export function lossOf(model, about) {
  const seen = new Set(about);
  for (let rim = [...about]; rim.length > 0;) {
    const root = rim.map((id) => model.node.get(id)).find((node) => node?.tone === ROOT);
    if (root) return root;
    const next = model.edges.filter(({ from, carried }) => !carried && rim.includes(from)).map(({ to }) => to);
    rim = next.filter((id) => !seen.has(id) && seen.add(id));
  }
  const roots = model.nodes.filter(({ tone }) => tone === ROOT);
  // What only a few iterations have is not the loss of the others.
  return roots.find(({ some }) => !some) ?? roots[0] ?? null;
}

const NONE = {
  nan: 'There is no NaN in this run.',
  'last-good': 'All iterations are good.',
  inf: 'There is no Inf in this run.',
  shape: 'All iterations have the same shape.',
};
