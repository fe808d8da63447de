/** The background behind the nodes that a backward pass recorded of itself (`create_graph=True`), with the pass's name. */

import { REGION, VEIL } from './design.js';
import { overlaps } from './paint-edge.js';
import { boxOf, tracePath, union } from './route.js';
import { textWidth, write } from './text.js';


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
    if (region.nodes.length <= REGION.most) region.edges = edges.filter((edge) => inside.has(edge.from) && inside.has(edge.to));
    region.box = union(region.nodes.map((node) => boxOf({ ...node, w: node.w + 2 * REGION.margin, h: node.h + 2 * REGION.margin })));
  }
  return [...regions.values()];
}

/** A border and a fill, each drawn once around everything, melt into one shape. */
export function paintRegions(ctx, { regions, rolled }, { palette, fonts, scale, area }) {
  for (const region of regions) {
    if (!overlaps(region.box, { ...area, top: area.top - 30 })) continue;
    const line = Math.max(REGION.line, 1 / scale);
    shape(ctx, region, line, palette.regionLine);
    shape(ctx, region, 0, palette.region);
    if (scale < 0.3) continue;
    const first = region.nodes.reduce((best, node) => (node.box.left + node.box.top < best.box.left + best.box.top ? node : best));
    const text = rolled?.on ? 'made by backward passes' : `backward pass ${region.pass}`;
    const [x, y] = [first.box.left - REGION.margin + REGION.labelRight, first.box.top - REGION.margin - REGION.labelUp];
    ctx.globalAlpha = VEIL.opacity;
    ctx.fillStyle = palette.stage;
    ctx.fillRect(x - VEIL.aside, y - VEIL.up, textWidth(fonts.small, text) + 2 * VEIL.aside, VEIL.height);
    ctx.globalAlpha = 1;
    write(ctx, text, x, y, { font: fonts.small, fill: palette.orangeText });
  }
}

function shape(ctx, { nodes, edges }, grown, colour) {
  const margin = REGION.margin + grown;
  ctx.fillStyle = colour;
  ctx.strokeStyle = colour;
  ctx.lineWidth = 2 * (REGION.band + grown);
  ctx.beginPath();
  for (const { box, w, h } of nodes) ctx.roundRect(box.left - margin, box.top - margin, w + 2 * margin, h + 2 * margin, REGION.radius + grown);
  ctx.fill();
  for (const edge of edges) ctx.stroke((edge.band ??= tracePath(edge.curve, 'end')));
}
