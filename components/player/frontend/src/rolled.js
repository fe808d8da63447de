/**
 * A run that is rolled: which iteration of each loop a step is in, and which step an iteration, a neighbour or a mark stands for.
 * What is chosen is always the step; the iterations follow from it.
 */

import { bisect } from './history.js';

/** Marks that are one click away, in the order of the row over the curves. */
export const JUMPS = [
  { kind: 'nan', label: 'first NaN', key: 'N' },
  { kind: 'inf', label: 'first Inf', key: '' },
  { kind: 'largest', label: 'largest gradient', key: 'G' },
  { kind: 'last-good', label: 'last good', key: 'L' },
  { kind: 'shape', label: 'new shape', key: 'S' },
];

/** @typedef {import('./protocol').Loop} Loop   first steps, last steps and iterations around it, in order of time */

/** How an iteration is called: like the program's own counters, from 0. */
export const numberOf = (row) => String(row);

/** A card of several iterations, as Python names it: "p" and the first node that it stands for. */
const CARD = /^p([tn]\d+)$/;

/** Whether a card stands for several of one iteration ("× 64"), so that it can be opened. */
export const isRepeated = (node) => node.times > 1 && CARD.test(node.id);

/** The card that was opened into a group, by the group's id; undefined for any other group. */
export const openedCard = (group) => [group.split('/').at(-1)].find((name) => CARD.test(name));

/** What the same node is called where a loop is turned the other way: alone, or the first of several. */
export const twinOf = (id) => CARD.exec(id)?.[1] ?? `p${id}`;

/** "for, line 47": a loop in a word and its line. */
export function shortTitle({ title, where }) {
  const word = title.trim().split(/\s/, 1)[0] || 'loop';
  return where ? `${word}, ${where}` : word;
}

/**
 * @param {import('./protocol').Rolled | undefined} data
 * @param {{steps: object[], segments: object[], last: number}} tape
 */
export function readRolled(data, { steps = [], segments = [], last = 0 } = {}) {
  if (!data) return null;
  const loops = new Map((data.loops ?? []).map((loop) => [loop.id, readLoop(loop)]));
  const main = loops.get(data.main) ?? null;
  const marks = (data.marks ?? []).filter(({ step }) => Number.isInteger(step)).sort((a, b) => a.step - b.step);

  /** The time loop around a loop, or null. */
  function around(loop) {
    const seen = new Set(); // a loop that is around itself is bad data
    for (let at = loops.get(loop?.parent); at && !seen.has(at); at = loops.get(at.parent)) {
      if (at.kind === 'time') return at;
      seen.add(at);
    }
    return null;
  }

  function endOf(loop, row) {
    if (loop.ends) return loop.ends[row];
    const next = (loop.starts[row + 1] ?? last + 1) - 1;
    const outer = around(loop);
    return outer && loop.outer[row] >= 0 ? Math.min(next, endOf(outer, loop.outer[row])) : next;
  }

  /** Is it the same kind of moment: the same line in the same kind of segment? */
  function alike(a, b) {
    const [one, other] = [steps.at(a), steps.at(b)];
    if (!one || !other) return false;
    return (one.cell ?? 0) === (other.cell ?? 0) && one.span?.[0] === other.span?.[0]
      && segments[one.phase]?.kind === segments[other.phase]?.kind;
  }

  const rolled = {
    on: Boolean(data.on) && main !== null && main.starts.length > 0,
    worth: Boolean(data.worth),
    /** Of a file that can ask nobody: its loops stay as they are; and there is no picture that is not rolled. */
    fixed: Boolean(data.fixed),
    alone: Boolean(data.alone),
    file: data.file ?? '',
    loops,
    main,
    marks,
    /** Cards at which the first NaN or Inf begins, where Python says so. */
    origins: data.origins ?? null,
    curves: data.curves ?? [],
    frames: data.frames ?? [],
    window: Array.isArray(data.window) ? data.window : null,
    /** Loops that are taken for the other kind, and cards that are opened. */
    turned: data.turned ?? [],
    around,

    /** The stretches of iterations of the main loop that have a card, or null for all. */
    there: (id) => data.there?.[id] ?? null,

    /** Whether an iteration of the main loop has a card. */
    has: (id, row) => data.there?.[id]?.some(([from, to]) => from <= row && row <= to) ?? true,

    /** The row of the iteration of a loop that is on, or was last, at a step; -1 before the first. */
    at: (loop, step) => bisect(loop.starts, step) - 1,

    /** First and last step of an iteration. */
    range: (loop, row) => ({ from: loop.starts[row], to: endOf(loop, row) }),

    /** The steps that the bar is about: those of the main loop's iteration, or those between two, before the first, after the last. */
    spanAt(step) {
      const row = rolled.at(main, step);
      if (row < 0) return { from: 0, to: main.starts[0] - 1, row: -1 };
      const end = endOf(main, row);
      if (step <= end) return { from: main.starts[row], to: end, row };
      return { from: end + 1, to: (main.starts[row + 1] ?? last + 1) - 1, row: -1 };
    },

    /** The step of an iteration that is the same moment in it as `step` is in its own, else its last one. */
    stepOf(loop, row, step) {
      const { from, to } = rolled.range(loop, row);
      const now = rolled.at(loop, step);
      if (now < 0) return to;
      const own = rolled.range(loop, now);
      if (step >= own.to) return to;
      const offset = from + (step - own.from);
      let place = 0; // how many moments of this kind there are before this one
      for (let each = own.from; each < step; each += 1) if (alike(each, step)) place += 1;
      if (offset < to && alike(offset, step) && samePlace(offset)) return offset;
      let found = -1;
      for (let each = from; each <= to; each += 1) {
        if (!alike(each, step)) continue;
        found = each;
        if (place === 0) return each;
        place -= 1;
      }
      return found < 0 ? to : found;

      function samePlace(there) {
        let before = 0;
        for (let each = from; each < there; each += 1) if (alike(each, step)) before += 1;
        return before === place;
      }
    },

    /** The same moment in the next (1) or previous (-1) iteration; undefined where there is none. */
    beside(loop, step, direction) {
      const row = rolled.at(loop, step) + direction;
      return row >= 0 && row < loop.starts.length ? rolled.stepOf(loop, row, step) : undefined;
    },

    /** Which iteration of the one around it this is, and of how many. */
    within(loop, row) {
      const outer = loop.outer[row] ?? -1;
      if (outer < 0) return { first: 0, at: row, of: Math.max(loop.total, loop.starts.length) };
      const first = bisect(loop.outer, outer - 1);
      return { first, at: row - first, of: bisect(loop.outer, outer) - first };
    },

    /** What an iteration is called, wherever it is told: of the main loop in the whole run, of others in the iteration around it. */
    called(loop, row) {
      if (loop === main) return { first: 0, at: row, of: Math.max(loop.total, loop.starts.length) };
      const { first, at, of } = rolled.within(loop, Math.max(0, row));
      return { first, at: row < 0 ? -1 : at, of };
    },

    /** The time loops around the main one, the outermost first, it, and those in it of which an iteration is on at a step. */
    chain(step) {
      if (!main) return [];
      const found = [main];
      for (let loop = around(main); loop; loop = around(loop)) found.unshift(loop);
      for (let loop = inside(main, step); loop; loop = inside(loop, step)) found.push(loop);
      return found;
    },

    /** The loop one level further out or in, seen from the main one. */
    level(name, step) {
      if (name === 'outer') return around(main);
      return name === 'inner' ? inside(main, step) : main;
    },

    /** More marks have come. */
    tell(more) {
      const known = new Set(marks.map(({ kind, step, title }) => `${kind} ${step} ${title}`));
      marks.push(...more.filter(({ kind, step, title }) => !known.has(`${kind} ${step} ${title}`)));
      marks.sort((a, b) => a.step - b.step);
    },

    /** Kinds of marks that there are, as `JUMPS` has them. */
    jumps: () => JUMPS.filter(({ kind }) => marks.some((mark) => mark.kind === kind)),

    /** The first mark of a kind; of changes of shape the next one after a step, and the first again after the last. */
    jump(kind, step) {
      const same = marks.filter((mark) => mark.kind === kind);
      return (kind === 'shape' ? same.find((mark) => mark.step > step) : undefined) ?? same[0];
    },
  };

  /** The time loop in an iteration that is on at a step, else the one with most iterations. */
  function inside(loop, step) {
    const inner = [...loops.values()].filter((each) => each.kind === 'time' && each.starts.length > 0 && around(each) === loop);
    const on = inner.find((each) => {
      const row = rolled.at(each, step);
      return row >= 0 && step <= endOf(each, row);
    });
    return on ?? inner.sort((a, b) => b.starts.length - a.starts.length)[0] ?? null;
  }

  return rolled;
}

function readLoop(loop) {
  const starts = loop.starts ?? [];
  return {
    id: String(loop.id),
    title: loop.title ?? '',
    where: loop.where ?? '',
    parent: loop.parent ?? '',
    kind: loop.kind === 'depth' ? 'depth' : 'time',
    reason: loop.reason ?? '',
    total: loop.total ?? starts.length,
    starts,
    ends: loop.ends?.length === starts.length ? loop.ends : null,
    outer: loop.outer ?? [],
    shown: loop.shown !== false,
  };
}
