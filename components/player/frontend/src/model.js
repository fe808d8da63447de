/** The payload as the player uses it: plain objects with geometry, and the faces they wear at one step. */

import { factAt } from './history.js';
import { queueAt, readQueues } from './queue.js';
import { readRegions } from './regions.js';
import { isSketch } from './tape.js';
import { boxOf, curveAlong, distanceTo, samplesOf, spreadParallel, union } from './route.js';

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
 * @property {(step: number) => void} show   put every node's and edge's face of that step in place
 */

/** @returns {Model} */
export function createModel(payload) {
  const nodes = (payload.nodes ?? []).map(readNode);
  const node = new Map(nodes.map((each) => [each.id, each]));
  const vertical = payload.direction === 'TB';
  const edges = (payload.edges ?? [])
    .filter((edge) => node.has(edge.from) && node.has(edge.to))
    .map((edge) => readEdge(edge, node));
  spreadParallel(edges, vertical);
  for (const edge of edges) {
    edge.curve = curveAlong(edge.route, node.get(edge.from).box, node.get(edge.to).box, vertical);
  }
  const steps = payload.steps ?? [];
  const segments = payload.segments ?? [];
  const queues = readQueues(payload.queues);
  const sketch = isSketch(payload);
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
    cells: 1 + steps.reduce((most, each) => Math.max(most, each.cell ?? 0), 0),
    queue: null,
    passes: queues.length,
    regions: readRegions(nodes, edges),
    picture: payload.picture,
    fold: payload.fold ?? { any: false, opened: [] },
    hidden: readHidden(payload.index, node),
    groups: new Map((payload.index?.groups ?? []).map(([id, title, above]) => [id, { id, title, above: payload.index.groups[above]?.[0] ?? null }])),
    /** Node → the innermost group that it is in. */
    places: new Map((payload.index?.rows ?? []).map(([id, place]) => [id, payload.index.groups[place]?.[0] ?? null])),
    legend: payload.legend ?? [],
    vertical,
    bounds: union(nodes.map((each) => each.box)),
    strongest: edges.reduce((most, edge) => Math.max(most, edge.strongest), 0),
    last: Math.max(0, (sketch ? payload.total : steps.length) - 1),
    sketch,
    show(step) {
      model.queue = queueAt(queues, step, model.stand);
      for (const each of nodes) {
        each.queue = model.queue?.cards.get(each.id) ?? null;
        each.face = factAt(each.history, step, BLANK);
        each.ghost = each.born > step;
      }
      for (const edge of edges) {
        edge.face = factAt(edge.history, step, QUIET);
        edge.ghost = edge.born > step;
      }
    },
    /** The nodes on show that a step is about. */
    focusAt: (step) => [...new Set((steps[step]?.focus ?? payload.focus ?? []).map(model.stand))].filter((id) => id !== null),
    /** The node on show that stands for this one: itself, or the closed group it is in. */
    stand: (id) => (node.has(id) ? id : model.hidden.get(id)?.within ?? null),
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
        const { left, right, top, bottom } = nodes[index].box;
        if (x >= left && x <= right && y >= top && y <= bottom) return nodes[index];
      }
      return null;
    },
  };
  return model;
}

function readNode(node) {
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
    alarm: node.alarm ?? null,
    findings: node.findings ?? [],
    pass: node.pass ?? 0,
    sites: node.sites ?? [],
    changes: node.changes ?? [],
    grads: node.grads ?? [],
    queue: null,
    born: node.born ?? -1,
    history,
    box: boxOf(node),
    names: [node.title ?? '', ...names],
    face: BLANK,
    ghost: false,
  };
}

/** Nodes within closed groups, each with the group on show that it is in. */
function readHidden(index, node) {
  const found = new Map();
  if (!index) return found;
  // Groups stand behind those around them.
  const shut = [];
  index.groups.forEach(([id, , above], place) => {
    shut[place] = (above >= 0 ? shut[above] : null) ?? (node.has(`g:${id}`) ? `g:${id}` : null);
  });
  for (const [id, place, title, badge, sub, op, alarm] of index.rows) {
    const within = place >= 0 ? shut[place] : null;
    if (within !== null) found.set(id, { id, within, names: [title], badge, sub, op, tone: '', group: false, face: null, alarm: alarm < 0 ? null : alarm });
  }
  return found;
}

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
    strongest: Math.max(0, ...history.map(([, face]) => (Number.isFinite(face.norm) ? face.norm : 0))),
    face: QUIET,
    ghost: false,
  };
}
