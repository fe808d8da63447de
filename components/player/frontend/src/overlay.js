/**
 * Marks that Python or a part of the page lays over the graph: a path and its cut, errors of a numerical check, differences
 * between two runs. Changing them touches neither camera nor step.
 * Keys that the graph on show does not have are passed over; unless it is said otherwise, the rest steps back if there is a path.
 */

export const TONES = new Set(['path', 'cut', 'good', 'bad', 'warn', 'added', 'removed', 'changed', 'error']);

/** The data as plain lookups for one graph, or null for none.  @param {import('./protocol').Overlay | null | undefined} data */
export function readOverlay(data, model) {
  if (!data) return null;
  const nodes = new Map();
  for (const [key, mark] of Object.entries(data.nodes ?? {})) if (model.node.has(key)) nodes.set(key, readMark(mark));
  const edges = new Map();
  for (const [name, mark] of Object.entries(data.edges ?? {})) {
    for (const edge of model.edges) if (edge.id === name || `${edge.from}>${edge.to}` === name) edges.set(edge.id, readMark(mark));
  }
  const links = [];
  for (const { from, to, ...mark } of data.links ?? []) {
    if (!model.node.has(from) || !model.node.has(to)) continue;
    const between = model.edges.filter((edge) => joins(edge, from, to));
    if (between.length === 0) links.push({ from: model.node.get(from), to: model.node.get(to), ...readMark(mark) });
    for (const edge of between) edges.set(edge.id, readMark(mark));
  }
  const marks = [...nodes.values(), ...edges.values(), ...links];
  if (marks.length === 0) return null;
  return {
    nodes,
    edges,
    links,
    dim: data.dim ?? marks.some((mark) => mark.tone === 'path'),
    legend: (data.legend ?? []).filter((entry) => TONES.has(entry.tone)).map(({ tone, label }) => ({ mark: tone, label })),
  };
}

/** Does this node or edge step back? */
export const isDimmed = (overlay, marks, id) => Boolean(overlay?.dim && !overlay[marks].has(id));

/** An overlay from what "show the path" holds: node keys, and pairs of keys over which no gradient passes. */
export function overlayOfPath({ nodes = [], cut = [] }, model) {
  // What is hidden in a closed group is marked by its card.
  const on = new Set(nodes.map((key) => model.stand?.(key) ?? key));
  const data = { nodes: {}, edges: {}, links: [], legend: [] };
  for (const key of on) data.nodes[key] = { tone: 'path' };
  for (const edge of model.edges) if (on.has(edge.from) && on.has(edge.to)) data.edges[edge.id] = { tone: 'path' };
  for (const [from, to] of cut) data.links.push({ from, to, tone: 'cut' });
  if (on.size > 0) data.legend.push({ tone: 'path', label: 'the path' });
  if (cut.length > 0) data.legend.push({ tone: 'cut', label: 'no gradient passes here' });
  return data;
}

function joins(edge, a, b) {
  return (edge.from === a && edge.to === b) || (edge.from === b && edge.to === a);
}

function readMark({ tone, label = '', value = null }) {
  return {
    tone: TONES.has(tone) ? tone : 'path',
    label: String(label ?? ''),
    value: Number.isFinite(value) ? Math.min(1, Math.max(0, value)) : null,
  };
}
