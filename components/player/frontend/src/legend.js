/** What the colours mean: only entries for what is on screen now. */

import { h } from '../../../browser/dom.mjs';
import { overlaps } from './paint-edge.js';

const CARRIED = { edge: 'carried', label: 'to the next iteration' };

/** @param {{open?: boolean}} remembered   whether the user has opened it, where it is a chip */
export function createLegend(remembered = {}) {
  const element = h('ul', { class: 'legend', id: 'legend', 'aria-label': 'Legend' });
  const toggle = h('button', { type: 'button', class: 'chip key', 'aria-controls': 'legend', title: 'What the colours mean', click: () => open(!remembered.open) }, 'Legend');
  let entries = [];

  function open(wanted) {
    remembered.open = wanted;
    element.toggleAttribute('data-open', wanted);
    toggle.setAttribute('aria-expanded', String(wanted));
  }
  open(Boolean(remembered.open));

  return {
    element,
    /** The chip that opens it in pictures that need all their room. */
    toggle,

    /** `carried` is whether iterations hand anything on to the next. */
    setEntries(legend, carried = false) {
      entries = (carried ? [...legend, CARRIED] : legend).map((entry) => {
        const kind = entry.mark ? 'mark' : entry.tone ? 'tone' : 'edge';
        const sign = h('i', { class: kind, 'data-sign': entry.mark ?? entry.tone ?? entry.edge, 'aria-hidden': 'true' });
        return { ...entry, item: h('li', { hidden: '', class: kind === 'mark' ? 'marks' : 'usual' }, sign, String(entry.label)) };
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
        shown.add(`edge ${edge.carried ? 'carried' : edge.kind}`);
        if (edge.face.active) shown.add('edge grad');
      }
      for (const { mark, tone, edge, item } of entries) item.hidden = !mark && !shown.has(tone ? `tone ${tone}` : `edge ${edge}`);
    },
  };
}
