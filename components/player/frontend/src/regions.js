/** The background behind the nodes that a backward pass recorded of itself (`create_graph=True`), with the pass's name. */

import { overlaps } from './paint-edge.js';
import { boxOf, tracePath, union } from './route.js';
import { textWidth, write } from './text.js';

const MARGIN = 13;
const RADIUS = 18;
/** Beyond so many nodes the bands along the edges are left out. */
const MANY = 400;

/** One region per pass: its nodes, and the edges between them. */
export function readRegions(nodes, edges) {
  const regions = new Map();
  for (const node of nodes) {
    if (!node.pass) continue;
    if (!regions.has(node.pass)) regions.set(node.pass, { pass: node.pass, nodes: [], edges: [] });
    regions.get(node.pass).nodes.push(node);
  }
  for (const region of regions.values()) {
    const inside = new Set(region.nodes.map((node) => node.id));
    if (region.nodes.length <= MANY) region.edges = edges.filter((edge) => inside.has(edge.from) && inside.has(edge.to));
    region.box = union(region.nodes.map((node) => boxOf({ ...node, w: node.w + 2 * MARGIN, h: node.h + 2 * MARGIN })));
  }
  return [...regions.values()];
}

/** A border and a fill, each drawn once around everything, melt into one shape. */
export function paintRegions(ctx, regions, { palette, fonts, scale, area }) {
  for (const region of regions) {
    if (!overlaps(region.box, { ...area, top: area.top - 30 })) continue;
    const line = Math.max(1.2, 1 / scale);
    shape(ctx, region, line, palette.regionLine);
    shape(ctx, region, 0, palette.region);
    if (scale < 0.3) continue;
    const first = region.nodes.reduce((best, node) => (node.box.left + node.box.top < best.box.left + best.box.top ? node : best));
    const text = `backward pass ${region.pass}`;
    const [x, y] = [first.box.left - MARGIN + 4, first.box.top - MARGIN - 7];
    ctx.fillStyle = palette.veil;
    ctx.fillRect(x - 3, y - 12, textWidth(ctx, fonts.small, text) + 6, 16);
    write(ctx, text, x, y, { font: fonts.small, fill: palette.orangeText });
  }
}

function shape(ctx, { nodes, edges }, grown, colour) {
  const margin = MARGIN + grown;
  ctx.fillStyle = colour;
  ctx.strokeStyle = colour;
  ctx.lineWidth = 2 * (MARGIN - 2 + grown);
  ctx.beginPath();
  for (const { box, w, h } of nodes) ctx.roundRect(box.left - margin, box.top - margin, w + 2 * margin, h + 2 * margin, RADIUS + grown);
  ctx.fill();
  for (const edge of edges) ctx.stroke((edge.path ??= tracePath(edge.curve, false)));
}
