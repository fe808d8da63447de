/** The background behind the nodes that a backward pass recorded of itself (`create_graph=True`), with the pass's name. */

import { CARD, REGION, VEIL } from './design.js';
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
export function paintRegions(ctx, { regions, rolled, nodes }, { palette, fonts, scale, area }) {
  for (const region of regions) {
    if (!overlaps(region.box, { ...area, top: area.top - 30 })) continue;
    const line = Math.max(REGION.line, 1 / scale);
    shape(ctx, region, line, palette.regionLine);
    shape(ctx, region, 0, palette.region);
    if (scale < 0.3) continue;
    const text = rolled?.on ? 'made by backward passes' : `backward pass ${region.pass}`;
    const wide = textWidth(fonts.small, text);
    if (region.spot?.wide !== wide) region.spot = { wide, at: labelAt(region.nodes, wide, nodes) };
    const [x, y] = region.spot.at;
    ctx.globalAlpha = VEIL.opacity;
    ctx.fillStyle = palette.stage;
    ctx.fillRect(x - VEIL.aside, y - VEIL.up, wide + 2 * VEIL.aside, VEIL.height);
    ctx.globalAlpha = 1;
    write(ctx, text, x, y, { font: fonts.small, fill: palette.orangeText });
  }
}

/** Where a region's name stands: over the first of its cards, from the upper left on, over which it covers no other. */
function labelAt(members, wide, nodes) {
  const over = ({ box }) => [box.left - REGION.margin + REGION.labelRight, box.top - REGION.margin - REGION.labelUp];
  const sorted = members.length > REGION.most ? [members[0]] : [...members].sort((one, other) => one.box.left + one.box.top - other.box.left - other.box.top);
  const free = ([x, y]) => {
    const place = { left: x - VEIL.aside, top: y - VEIL.up, right: x + wide + VEIL.aside, bottom: y - VEIL.up + VEIL.height };
    return !nodes.some(({ box, group }) => overlaps(group ? { ...box, right: box.right + CARD.stack, bottom: box.bottom + CARD.stack } : box, place));
  };
  return over(sorted.find((node) => free(over(node))) ?? sorted[0]);
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
