/**
 * What the find box understands: words, and conditions such as op:mul, shape:2x3, line:7, grad:none, nonfinite; of a run with
 * iterations also one of those, "loss iteration 137" or "loss 137".
 */

const KEYS = ['name', 'op', 'shape', 'line', 'grad'];

/** Shown in the find box's help. */
export const QUERY_HELP = [
  ['loss', 'name, operation or text on the card'],
  ['op:mul', 'made by this operation'],
  ['name:w', 'the name holds “w”'],
  ['shape:2x3', 'of this shape'],
  ['line:7', 'made in line 7'],
  ['grad:none', 'leaf without a gradient at this moment'],
  ['grad:set', 'has a gradient at this moment'],
  ['nonfinite', 'shows NaN or Inf at this moment'],
  ['loss 137', 'in iteration 137 of a rolled run'],
];

/**
 * The iteration that a query names, or null, and the rest of it. A number at the end is one if the run has so many and a word
 * stands before it; so "line 7" is none.
 * @param {number} total   iterations that there are; 0 for a run without
 */
export function readQuery(text, total = 0) {
  const named = /\b(?:iteration|iter)[\s:=]*(\d+)\b/i.exec(text);
  const last = named || total === 0 ? null : /^(.*\S)\s+(\d+)\s*$/.exec(text);
  if (named) return { iteration: Number(named[1]), words: text.replace(named[0], ' ') };
  if (last && Number(last[2]) < total && !/\bline$/i.test(last[1])) return { iteration: Number(last[2]), words: last[1] };
  return { iteration: null, words: text };
}

/** Stretches of iterations in words: "iteration 137", "iterations 3–9", "50 of 200 iterations: 3, 7, …"; null for all. */
export function iterationsText(stretches, total) {
  if (stretches === null) return total > 0 ? `all ${total} iterations` : '';
  const count = stretches.reduce((sum, [from, to]) => sum + to - from + 1, 0);
  const [[first, last]] = stretches;
  if (count === 1) return `iteration ${first}`;
  if (stretches.length === 1) return `iterations ${first}–${last}`;
  return `${count} of ${total} iterations: ${stretches.slice(0, 3).map(([from, to]) => (from === to ? from : `${from}–${to}`)).join(', ')}${stretches.length > 3 ? ', …' : ''}`;
}

/**
 * Nodes that meet all parts of a query; a bare number is a line, or a name equal to it.
 * @param {object[]} nodes   with names, op, badge, sub, tone, face, and `alarm` for groups
 */
export function matches(nodes, text, step = 0) {
  const parts = text.trim().toLowerCase().replace(/\bline\s+(\d+)/g, 'line:$1').split(/\s+/).filter(Boolean);
  if (parts.length === 0) return [];
  const tests = parts.map(testOf);
  return nodes.filter((node) => tests.every((test) => test(node, step)));
}

function testOf(part) {
  const at = part.indexOf(':');
  const key = part.slice(0, at);
  const value = part.slice(at + 1);
  if (at > 0 && KEYS.includes(key)) return CONDITIONS[key](value);
  if (part === 'nonfinite') return nonFinite;
  if (/^\d+$/.test(part)) return (node) => onLine(node, part) || named(node, part);
  return (node) => [...node.names, node.badge, node.sub].some((each) => each.toLowerCase().includes(part));
}

const CONDITIONS = {
  name: (value) => (node) => node.names.some((name) => name.toLowerCase().includes(value)),
  op: (value) => (node) => node.op.toLowerCase().includes(value) || node.badge.toLowerCase().includes(value),
  shape: (value) => {
    const wanted = value.replace(/[\s()[\]]/g, '').replace(/[x,*]/g, '×');
    return (node) => node.sub.includes(`[${wanted}]`);
  },
  line: (value) => (node) => onLine(node, value),
  grad: (value) => (node) => {
    if (!node.face || node.ghost) return false;
    return value === 'none' ? node.tone === 'leaf' && node.face.grad == null : node.face.grad != null;
  },
};

function nonFinite(node, step) {
  if (node.alarm != null && node.alarm <= step) return true;
  if (!node.face) return false;
  return [node.face.value, node.face.grad, node.face.flow].some((text) => text != null && /nan|inf/.test(text));
}

function onLine(node, line) {
  return new RegExp(`\\bline ${line}\\b`).test(node.sub);
}

function named(node, text) {
  return node.names.some((name) => name.toLowerCase() === text);
}
