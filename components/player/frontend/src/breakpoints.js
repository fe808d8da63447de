/** Breakpoints: on source lines, and on what happens to a tensor's gradient; which steps they stop at. */

/** How Python writes the norm of a `.grad` that is None or not finite. */
const MISSING = -1;
const NOT_FINITE = -2;

export const CONDITIONS = [
  { id: 'set', label: 'gets a grad' },
  { id: 'nonfinite', label: 'grad is NaN or Inf' },
  { id: 'norm', label: 'norm of grad exceeds' },
];

const empty = () => ({ lines: [], tensors: [] });

/** Only what a breakpoint may be, whatever was handed over.  @returns {import('./protocol').Breakpoints} */
export function readBreakpoints(data) {
  const lines = (data?.lines ?? []).map(({ cell = 0, line }) => ({ cell: Number(cell), line: Number(line) })).filter(({ line }) => line > 0);
  const tensors = (data?.tensors ?? [])
    .filter(({ when }) => CONDITIONS.some(({ id }) => id === when))
    .map(({ node = '', name = '', when, value = null }) => ({ node: String(node), name: String(name), when, value: Number.isFinite(value) ? value : null }));
  return { ...empty(), lines: unique(lines), tensors: unique(tensors) };
}

function unique(list) {
  return [...new Map(list.map((each) => [JSON.stringify(each), each])).values()];
}

/** Breakpoints with one more, or without it if it was there. */
export function toggled(breakpoints, kind, one) {
  const same = JSON.stringify(one);
  const without = breakpoints[kind].filter((each) => JSON.stringify(each) !== same);
  const list = without.length < breakpoints[kind].length ? without : [...without, one];
  return { ...breakpoints, [kind]: list };
}

/** What a breakpoint says of itself. */
export function describe(kind, one, cells = 1) {
  if (kind === 'lines') return cells > 1 ? `In [${one.cell + 1}], line ${one.line}` : `line ${one.line}`;
  const name = one.name || 'the tensor';
  if (one.when === 'set') return `${name} gets a grad`;
  return one.when === 'nonfinite' ? `${name}.grad is NaN or Inf` : `norm of ${name}.grad exceeds ${one.value ?? 0}`;
}

/** Step -> the breakpoint that stops there, and for every breakpoint how often it does. */
export function hitsOf(breakpoints, model) {
  const at = new Map();
  const counts = new Map();
  const hit = (step, kind, one) => {
    if (!at.has(step)) at.set(step, { kind, one });
    counts.set(one, (counts.get(one) ?? 0) + 1);
  };
  if (breakpoints.lines.length > 0) {
    for (const { step, cell, line } of visits(model)) {
      const one = breakpoints.lines.find((each) => each.cell === cell && each.line === line);
      if (one) hit(step, 'lines', one);
    }
  }
  for (const one of breakpoints.tensors) {
    for (const node of model.nodes) {
      if (one.name ? !node.names.includes(one.name) : node.id !== one.node) continue;
      for (const step of crossings(node.grads, one)) hit(step, 'tensors', one);
    }
  }
  return { at, counts, steps: [...at.keys()].sort((a, b) => a - b) };
}

/** Every visit to a line: its first step with a span. */
function visits(model) {
  const found = [];
  let start = 0;
  for (const end of model.lines) {
    let step = start;
    while (step <= end && !model.steps.at(step)?.span) step += 1;
    const { cell, span } = model.steps.at(step) ?? {};
    if (step <= end) found.push({ step, cell, line: span[0] });
    start = end + 1;
  }
  return found;
}

/** The steps at which the condition becomes true. */
function crossings(grads, { when, value }) {
  const holds = {
    set: (norm) => norm !== MISSING,
    nonfinite: (norm) => norm === NOT_FINITE,
    norm: (norm) => norm === NOT_FINITE || norm > (value ?? 0),
  }[when];
  const found = [];
  let before = false;
  for (const [step, norm] of grads) {
    const now = holds(norm);
    if (now && !before) found.push(step);
    before = now;
  }
  return found;
}
