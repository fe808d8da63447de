/** The payload as the player uses it: plain objects with geometry, and the faces they wear at one step. */

import { factAt } from './history.js';
import { boxOf, curveAlong, spreadParallel } from './route.js';

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
  return {
    rev: payload.rev,
    nodes,
    node,
    edges,
    steps,
    segments: payload.segments ?? [],
    legend: payload.legend ?? [],
    vertical,
    bounds: union(nodes.map((each) => each.box)),
    strongest: edges.reduce((most, edge) => Math.max(most, edge.strongest), 0),
    last: Math.max(0, steps.length - 1),
    show(step) {
      for (const each of nodes) {
        each.face = factAt(each.history, step, BLANK);
        each.ghost = each.born > step;
      }
      for (const edge of edges) {
        edge.face = factAt(edge.history, step, QUIET);
        edge.ghost = edge.born > step;
      }
    },
    nodeAt(x, y) {
      for (let index = nodes.length - 1; index >= 0; index -= 1) {
        const { left, right, top, bottom } = nodes[index].box;
        if (x >= left && x <= right && y >= top && y <= bottom) return nodes[index];
      }
      return null;
    },
  };
}

/** Smallest box around all boxes, or null for none. */
export function union(boxes) {
  if (boxes.length === 0) return null;
  const all = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
  for (const box of boxes) {
    all.left = Math.min(all.left, box.left);
    all.top = Math.min(all.top, box.top);
    all.right = Math.max(all.right, box.right);
    all.bottom = Math.max(all.bottom, box.bottom);
  }
  return all;
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
    born: node.born ?? -1,
    history,
    box: boxOf(node),
    names: [node.title ?? '', ...names],
    face: BLANK,
    ghost: false,
  };
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
    history,
    strongest: Math.max(0, ...history.map(([, face]) => (Number.isFinite(face.norm) ? face.norm : 0))),
    face: QUIET,
    ghost: false,
  };
}
