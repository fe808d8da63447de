/** The order in which a picture is painted: what is behind the cards, the cards one by one, and what is in front of them. */

import { paintHalo } from './paint-card.js';
import { overlaps, paintEdgeLabels, paintEdges } from './paint-edge.js';
import { paintFrames, paintTabs } from './paint-frame.js';
import { paintRegions } from './regions.js';

/** Zoom below which edges have no labels. */
const LABELS_FROM = 0.35;

const inSight = ({ nodes }, { area }) => nodes.filter((node) => overlaps(node.box, area));

/** Frames, regions, halos and edges; returns the edges over which a gradient passes. While cards move there are no edges. */
export function paintBehind(ctx, model, view) {
  paintFrames(ctx, model, view);
  paintRegions(ctx, model, view);
  if (view.glide) return [];
  for (const node of inSight(model, view)) paintHalo(ctx, node, view);
  return paintEdges(ctx, model, view, view.area);
}

/** The numbers on those edges, and the tabs of frames. */
export function paintInFront(ctx, model, lively, view) {
  if (view.scale >= LABELS_FROM) paintEdgeLabels(ctx, lively, inSight(model, view), view);
  paintTabs(ctx, model, view);
}
