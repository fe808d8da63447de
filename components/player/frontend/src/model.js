/** The payload as the player uses it: plain objects with geometry, and the faces they wear at one step. */

import { rowBoxes } from './card-rows.js';
import { CARD } from './design.js';
import { bisect, factAt, indexAt } from './history.js';
import { queueAt, readQueues } from './queue.js';
import { readRegions } from './regions.js';
import { readRolled, twinOf } from './rolled.js';
import { brief, readSpark, troubleAt, valueAt } from './sparks.js';
import { isSketch } from './store.js';
import { boxOf, curveAlong, distanceTo, samplesOf, spreadParallel, union } from './route.js';
import { createWindows } from './windows.js';

const BLANK = Object.freeze({ value: null, grad: null, flow: null, flowNote: '', state: '' });
const QUIET = Object.freeze({ active: false });

/**
 * @typedef {object} Model
 * @property {string} rev            same revision, same run and view
 * @property {object[]} nodes        with `box`, and `face`/`ghost` of the step last shown
 * @property {Map<string, object>} node
 * @property {object[]} edges        with `curve` and `bounds`, and `face`/`ghost` of the step last shown
 * @property {object[]} steps
 * @property {object[]} segments
 * @property {boolean} sketch        nothing is known yet of what happens in it
 * @property {number[]} starts       first steps of the segments
 * @property {number[]} lines        last steps of the visits to source lines
 * @property {Record<number, number[]>} sites   number -> [cell, line, column, end line, end column]
 * @property {object | null} queue   the ready queue at the step last shown
 * @property {object[]} regions      what passes recorded of themselves
 * @property {object | null} rolled  loops, marks and curves of a run, as `rolled.js` reads them; null where none are known
 * @property {object[]} frames       what stands behind the cards of time loops, the outer ones first
 * @property {object[]} rows         parameters that stand in the card of another node
 * @property {string | null} address  where what its cards show in other steps is fetched; null where only Python can be asked
 * @property {boolean} known         whether it is known what the cards show at the step last shown
 * @property {(step: number) => void} show   put every node's and edge's face of that step in place
 */

/**
 * @typedef {import('./protocol').Message & import('./protocol').Run & import('./protocol').Drawn & import('./protocol').Moments} Payload
 *   a message as `store.js` puts it together
 */

/**
 * @param {Payload} payload
 * @param {object} windows   what is known of this very picture, as `windows.js` keeps it
 * @returns {Model}
 */
export function createModel(payload, windows = createWindows()) {
  const nodes = (payload.nodes ?? []).map(readNode);
  const rows = nodes.flatMap((each) => each.rows);
  const every = rows.length > 0 ? [...nodes, ...rows] : nodes;
  const node = new Map(every.map((each) => [each.id, each]));
  const vertical = payload.direction === 'TB';
  const edges = (payload.edges ?? [])
    .filter((edge) => node.has(edge.from) && node.has(edge.to))
    .map((edge) => readEdge(edge, node));
  spreadParallel(edges, vertical);
  for (const edge of edges) {
    edge.curve = curveAlong(edge.route, outline(node.get(edge.from)), outline(node.get(edge.to)), vertical);
  }
  const steps = payload.steps ?? [];
  const segments = payload.segments ?? [];
  const queues = readQueues(payload.queues ?? payload.running);
  const sketch = isSketch(payload);
  const last = Math.max(0, (sketch ? payload.total : steps.length) - 1);
  const rolled = readRolled(payload.rolled, { steps, segments, last });
  const on = rolled?.on ?? false;
  const frames = on ? readFrames(rolled, payload.rolled.frames) : [];
  if (on) for (const each of every) each.spark = readSpark(each.drawn, (rolled.loops.get(each.loop) ?? rolled.main).starts.length);
  // Of a long run the histories are there for a window of steps.
  const clipped = on && rolled.window !== null && !sketch;
  if (clipped) keep(rolled.window, payload);
  let window = null; // whose histories the nodes and edges have

  /** Keep what is known of a window; captions of steps that are in none any more go with the oldest ones. */
  function keep(range, told) {
    for (const [from, to] of windows.add(range, told.nodes ?? [], told.edges ?? [], told.running)) {
      for (let step = from; step <= to; step += 1) if (!windows.cover(step, step)) steps.forget?.(step);
    }
  }

  function putInPlace(next) {
    if (next === null || next === window) return;
    window = next;
    for (const each of every) ({ history: each.history, made: each.made } = next.nodes.get(each.id) ?? { history: [], made: null });
    for (const edge of edges) {
      ({ history: edge.history, details: edge.details } = next.edges.get(edge.id) ?? { history: [], details: {} });
      edge.strongest = strongestOf(edge.history);
    }
    model.strongest = edges.reduce((most, edge) => Math.max(most, edge.strongest), 0);
  }

  /** Which iteration each node's curves stand at, and whether what its card shows is of an earlier one. */
  function place(step) {
    const at = new Map([...rolled.loops.values()].map((loop) => [loop.id, rolled.at(loop, step)]));
    const here = rolled.at(rolled.main, step);
    for (const each of every) {
      const loop = rolled.loops.get(each.loop);
      each.iteration = loop ? at.get(loop.id) : here;
      each.old = !model.known;
      if (each.old) each.face = fromSpark(each);
      else if (loop && each.iteration >= 0) {
        const index = indexAt(each.history, step);
        const since = each.made ? each.made[bisect(each.made, step) - 1] ?? -1 : each.history[index]?.[0];
        each.old = index >= 0 && since < loop.starts[each.iteration];
      }
    }
  }

  const model = {
    rev: payload.rev,
    nodes,
    node,
    edges,
    steps,
    segments,
    starts: segments.map((segment) => segment.from).sort((a, b) => a - b),
    lines: payload.lines ?? [],
    sites: payload.sites ?? {},
    cells: steps.cells ?? 1 + steps.reduce((most, each) => Math.max(most, each.cell ?? 0), 0),
    queue: null,
    passes: payload.passes ?? queues.length,
    regions: readRegions(nodes, edges),
    picture: payload.picture,
    tape: payload.tape,
    view: payload.view,
    fold: payload.fold ?? { any: false, opened: [] },
    hidden: readHidden(payload.index, node),
    /** What the user has hidden, … */
    away: new Set(payload.hidden),
    /** … and why that cannot be changed, if it cannot. */
    fixed: payload.fixed ?? '',
    groups: new Map((payload.index?.groups ?? []).map(([id, title, above]) => [id, { id, title, above: payload.index.groups[above]?.[0] ?? null }])),
    /** Node → the innermost group that it is in. */
    groupOf: new Map((payload.index?.rows ?? []).map(([id, group]) => [id, payload.index.groups[group]?.[0] ?? null])),
    legend: payload.legend ?? [],
    vertical,
    rolled,
    frames,
    rows,
    windows: clipped ? windows : null,
    /** Where windows are fetched, if they are; else Python is asked. */
    address: payload.address ?? null,
    known: true,
    bounds: union([...nodes.map((each) => each.box), ...frames.map((each) => each.around), ...edges.map((each) => each.curve.bounds)]),
    strongest: edges.reduce((most, edge) => Math.max(most, edge.strongest), 0),
    last,
    sketch,
    show(step) {
      let running = queues;
      if (clipped) {
        const there = windows.at(step);
        running = there?.queues ?? [];
        model.known = there !== null;
        putInPlace(there);
      }
      model.queue = queueAt(running, step, model.stand);
      for (const each of every) {
        each.queue = model.queue?.cards.get(each.id) ?? null;
        each.face = factAt(each.history, step, BLANK);
        each.ghost = each.born > step;
      }
      for (const edge of edges) {
        edge.face = model.known ? factAt(edge.history, step, QUIET) : QUIET;
        edge.ghost = edge.born > step;
      }
      if (on) place(step);
    },
    /** The histories of another window have come. */
    learn: keep,
    /** First and last step of what the bar is about, and the row of the iteration that it is. */
    extentAt: (step) => (on ? rolled.spanAt(step) : { from: 0, to: last, row: -1 }),
    /** The frame whose tab is under a point, or null. */
    frameAt: (x, y) => frames.findLast(({ tab }) => tab && x >= tab.left && x <= tab.right && y >= tab.top && y <= tab.bottom) ?? null,
    /** The nodes on show that a step is about. */
    focusAt: (step) => [...new Set((steps.at(step)?.focus ?? payload.focus ?? []).map(model.stand))].filter((id) => id !== null),
    /** The node on show that stands for this one: itself, or the closed group it is in. */
    stand: (id) => [id, twinOf(id)].map((one) => (node.has(one) ? one : model.hidden.get(one)?.within)).find(Boolean) ?? null,
    /** The edge that passes within `reach` of a point, or null. */
    edgeAt(x, y, reach) {
      let best = null;
      for (const edge of edges) {
        const { left, right, top, bottom } = edge.curve.bounds;
        if (x < left - reach || x > right + reach || y < top - reach || y > bottom + reach) continue;
        const distance = distanceTo((edge.samples ??= samplesOf(edge.curve)), x, y);
        if (distance <= reach && (best === null || distance < best.distance)) best = { edge, distance };
      }
      return best?.edge ?? null;
    },
    nodeAt(x, y) {
      for (let index = nodes.length - 1; index >= 0; index -= 1) {
        if (!holds(nodes[index].box, x, y)) continue;
        return nodes[index].rows.find(({ box }) => holds(box, x, y)) ?? nodes[index];
      }
      return null;
    },
  };
  return model;
}

/** Which run a picture is of, by their names. */
export const runOf = (picture) => picture?.split('|', 1)[0];

const holds = ({ left, right, top, bottom }, x, y) => x >= left && x <= right && y >= top && y <= bottom;

/** What is known without a history: the points of the curves. */
function fromSpark(node) {
  const trouble = troubleAt(node.spark, node.iteration) ?? null;
  const [value, grad] = ['value', 'grad'].map((which) => node.spark?.[which] && (brief(valueAt(node.spark, which, node.iteration)) ?? trouble));
  return { ...BLANK, value: value ?? null, grad: grad ?? null };
}

/** Frames of time loops; what is on the tab is written there when it is painted.  @param {import('./protocol').Frame[]} frames */
function readFrames(rolled, frames = []) {
  const read = frames.flatMap(({ loop, title, nodes = 0, ...at }) => {
    const own = rolled.loops.get(loop);
    if (!own) return [];
    const box = boxOf(at);
    const around = { left: box.left, top: box.top - 16, right: box.right + 7, bottom: box.bottom + 7 };
    return [{ loop: own, title: title || own.title, nodes, box, around, tab: null, size: at.w * at.h }];
  });
  return read.sort((a, b) => b.size - a.size);
}

function readNode(node) {
  const read = readCard(node);
  if (!node.rows?.length) return read;
  const { boxes, more, rest } = rowBoxes(read.box, node.parameters ?? node.rows.length);
  read.rows = node.rows.slice(0, boxes.length).map((row, at) => {
    const box = boxes[at];
    const place = { x: (box.left + box.right) / 2, y: (box.top + box.bottom) / 2, w: box.right - box.left, h: box.bottom - box.top };
    return { ...readCard({ tone: 'leaf', badge: 'parameter', born: node.born, ...row, id: row.key, ...place }), host: read };
  });
  read.unseen = { count: more, box: rest };
  return read;
}

/** @param {import('./protocol').Card} node */
function readCard(node) {
  const history = node.history ?? [];
  const names = history.map(([, face]) => face.title).filter(Boolean);
  return {
    id: node.id,
    x: node.x,
    y: node.y,
    w: node.w,
    h: node.h,
    pill: node.shape === 'pill',
    tone: node.tone ?? 'result',
    title: node.title ?? '',
    badge: node.badge ?? '',
    sub: node.sub ?? '',
    op: node.op ?? '',
    group: node.members !== undefined,
    members: node.members ?? 0,
    colour: node.colour ?? null,
    alarm: node.alarm ?? null,
    nan: node.nan ?? null,
    findings: node.findings ?? [],
    pass: node.pass ?? 0,
    sites: node.sites ?? [],
    changes: node.changes ?? [],
    grads: node.grads ?? [],
    queue: null,
    born: node.born ?? -1,
    history,
    made: node.made ?? null,
    box: boxOf(node),
    names: [node.title ?? '', ...names],
    face: BLANK,
    ghost: false,
    /** In a rolled run: the loop whose iterations it stands for, … */
    loop: node.loop ?? '',
    some: node.some ?? '',
    times: node.times ?? 1,
    drawn: node.spark ?? null,
    spark: null,
    /** … the iteration on show, and whether its face is of an earlier one. */
    iteration: -1,
    old: false,
    rows: [],
    unseen: null,
    host: null,
  };
}

/** Where edges begin and end: with what peeps out behind a group's card, which would hide the arrows. */
function outline({ box, group }) {
  return group ? { ...box, right: box.right + CARD.stack, bottom: box.bottom + CARD.stack } : box;
}

/** Nodes within closed groups, each with the group on show that it is in.  @param {import('./protocol').Index | undefined} index */
function readHidden(index, node) {
  const found = new Map();
  if (!index) return found;
  // Groups stand behind those around them.
  const shut = [];
  index.groups.forEach(([id, , above], group) => {
    shut[group] = (above >= 0 ? shut[above] : null) ?? (node.has(`g:${id}`) ? `g:${id}` : null);
  });
  for (const [id, group, title, badge, sub, op, alarm] of index.rows) {
    const within = group >= 0 ? shut[group] : null;
    if (within !== null) found.set(id, { id, within, names: [title], badge, sub, op, tone: '', group: false, face: null, alarm: alarm < 0 ? null : alarm });
  }
  return found;
}

/** @param {import('./protocol').Line} edge */
function readEdge(edge, node) {
  const { x: fromX, y: fromY } = node.get(edge.from);
  const { x: toX, y: toY } = node.get(edge.to);
  const history = edge.history ?? [];
  return {
    id: edge.id,
    from: edge.from,
    to: edge.to,
    route: edge.route?.length >= 2 ? edge.route.map(([x, y]) => [x, y]) : [[fromX, fromY], [toX, toY]],
    kind: edge.kind ?? 'data',
    born: edge.born ?? -1,
    far: Boolean(edge.far),
    details: edge.details ?? {},
    history,
    strongest: strongestOf(history),
    carried: Boolean(edge.carried),
    some: edge.some ?? '',
    face: QUIET,
    ghost: false,
  };
}

const strongestOf = (history) => history.reduce((most, [, face]) => (Number.isFinite(face.norm) ? Math.max(most, face.norm) : most), 0);
