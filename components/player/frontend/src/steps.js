/**
 * The steps of a run. Those of a rolled one come in columns for the whole run, from which a step is put together when it is wanted,
 * and with captions and focus for the windows that are here.
 */

import { bisect } from './history.js';

/** Whole numbers as Python packs them.  @param {import('./protocol').Column} packed */
export function unpack({ bytes, data }) {
  const text = atob(data);
  const packed = Uint8Array.from(text, (each) => each.charCodeAt(0));
  return bytes === 2 ? new Int16Array(packed.buffer) : new Int32Array(packed.buffer);
}

/** What is known of a whole run, read where it is columns.  @param {import('./protocol').Run} parts */
export function readTape(parts) {
  if (!parts.steps || Array.isArray(parts.steps)) return parts;
  const segments = readSegments(parts.segments, parts.steps.total);
  return { ...parts, segments, lines: unpack(parts.lines), steps: createSteps(parts.steps, segments) };
}

function readSegments({ from, name, names }, total) {
  const [starts, numbers] = [unpack(from), unpack(name)];
  return Array.from(starts, (first, at) => {
    const [label, kind] = names[numbers[at]];
    return { label, kind, from: first, to: (starts[at + 1] ?? total) - 1 };
  });
}

/** Steps that are read like an array of them, with `at` and `length`. */
function createSteps({ total, sites, table }, segments) {
  const site = unpack(sites);
  const starts = segments.map(({ from }) => from);
  const told = new Map();
  const silent = { caption: [], focus: [] };
  return {
    length: total,
    cells: 1 + table.reduce((most, [cell]) => Math.max(most, cell), 0),
    at(step) {
      if (!(step >= 0 && step < total)) return undefined;
      const [cell, span] = table[site[step]] ?? [0, null];
      const { caption, focus } = told.get(step) ?? silent;
      return { phase: bisect(starts, step) - 1, cell, span, caption, focus };
    },
    tell: (step, caption, focus = []) => told.set(step, { caption, focus }),
    forget: (step) => told.delete(step),
  };
}

/** Captions have come, and of a rolled run what its steps are about, from step `first` on. */
export function tellSteps(steps, { captions, captions_from: first = 0, focuses = [] }) {
  captions.forEach((caption, at) => {
    if (steps.tell) steps.tell(first + at, caption, focuses[at]);
    else steps.at(first + at).caption = caption;
  });
}
