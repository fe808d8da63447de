/** What the colours mean: only entries for what is on screen now. */

import { h } from '../../../browser/dom.mjs';
import { overlaps } from './paint-edge.js';

export function createLegend() {
  const element = h('ul', { class: 'legend', 'aria-label': 'Legend' });
  let entries = [];
  return {
    element,

    setEntries(legend) {
      entries = legend.map((entry) => {
        const kind = entry.mark ? 'mark' : entry.tone ? 'tone' : 'edge';
        const sign = h('i', { class: kind, 'data-sign': entry.mark ?? entry.tone ?? entry.edge, 'aria-hidden': 'true' });
        return { ...entry, item: h('li', { hidden: '' }, sign, String(entry.label)) };
      });
      // Gradients come and go with the steps: last, so that nothing else moves.
      entries.sort((a, b) => Number(a.edge === 'grad') - Number(b.edge === 'grad'));
      element.replaceChildren(...entries.map((entry) => entry.item));
    },

    update(model, area) {
      const shown = new Set();
      for (const node of model.nodes) if (!node.ghost && overlaps(node.box, area)) shown.add(`tone ${node.tone}`);
      for (const edge of model.edges) {
        if (edge.ghost || !overlaps(edge.curve.bounds, area)) continue;
        shown.add(`edge ${edge.kind}`);
        if (edge.face.active) shown.add('edge grad');
      }
      for (const { mark, tone, edge, item } of entries) item.hidden = !mark && !shown.has(tone ? `tone ${tone}` : `edge ${edge}`);
    },
  };
}
