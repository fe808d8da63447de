/** Says at the edges of the stage how many cards there are beyond: "3 more →". */

import { h } from '../../../browser/dom.mjs';
import { CARD } from './design.js';
import { overlaps } from './paint-edge.js';

/** In the strip the notes stand from right to left. */
const SIDES = ['right', 'bottom', 'top', 'left'];
/** The words, and where several notes stand in the strip. */
const WORDS = { left: (n) => `← ${n} more`, right: (n) => `${n} more →`, top: (n) => `↑ ${n} more`, bottom: (n) => `↓ ${n} more` };
const SHORT = { left: (n) => `← ${n}`, right: (n) => `${n} →`, top: (n) => `↑ ${n}`, bottom: (n) => `↓ ${n}` };
/** Where along an edge a note may stand, the first one first that no card is in. */
const SPOTS = [0.5, 0.4, 0.6, 0.3, 0.7, 0.22, 0.78, 0.14, 0.86, 0.06, 0.94];
/** The room that the tools and the legend take, and that of a note, in pixels. */
const [BELOW, STRIP, BESIDE] = [60, 34, 4];
const NOTE = { width: 84, short: 42, height: 22 };

export function createMore() {
  const notes = Object.fromEntries(SIDES.map((side) => [side, h('span', { hidden: '' })]));
  return {
    element: h('div', { class: 'more', 'aria-hidden': 'true' }, ...Object.values(notes)),

    /**
     * @param {{left: number, top: number, right: number, bottom: number}} area   what is in view
     * @param {{above: number, crowded: boolean, clear: object | null}} room   what the tools take above, whether there is a strip for notes
     *                                                     below, and what else is to be kept clear of
     * @returns {number} how much of the strip the notes take, in pixels
     */
    update(model, area, scale, room) {
      const counts = beyond(model.nodes, room.crowded ? aboveStrip(area, scale) : area);
      const seen = [...obstacles(model), ...(room.clear ? [room.clear] : [])].filter((box) => overlaps(box, area));
      const wide = (area.right - area.left) * scale;
      const high = (area.bottom - area.top) * scale;
      const spots = new Map(SIDES.filter((side) => counts[side] > 0).map((side) => [side, spotOf(side, seen, area, scale, room)]));
      const short = [...spots.values()].filter((spot) => spot === null).length > 1;
      const width = short ? NOTE.short : NOTE.width;
      let taken = 0; // of the strip, from the right
      for (const [side, note] of Object.entries(notes)) {
        note.hidden = !spots.has(side);
        if (note.hidden) continue;
        const spot = spots.get(side);
        note.textContent = (spot === null && short ? SHORT : WORDS)[side](counts[side]);
        note.style.width = `${spot === null ? width : NOTE.width}px`;
        if (spot === null) taken += width + BESIDE;
        const { x, y } = spot ?? { x: wide - taken, y: high - STRIP + (STRIP - NOTE.height) / 2 };
        note.style.transform = `translate(${Math.round(x)}px, ${Math.round(y)}px)`;
      }
      return taken;
    },
  };
}

/** What must not be covered: the cards with what peeps out behind them, and the tabs of frames. */
export const obstacles = ({ nodes, frames = [] }) => [...nodes.map(({ box, group }) => (group ? { ...box, right: box.right + CARD.stack, bottom: box.bottom + CARD.stack } : box)), ...frames.flatMap(({ tab }) => tab ?? [])];

/** What is in view where the strip lies over the lower edge of the stage. */
export const aboveStrip = (area, scale) => ({ ...area, bottom: area.bottom - STRIP / scale });

/** How many cards are out of view, and to which side; those in a corner count to the left or right. */
export function beyond(nodes, area) {
  const counts = { left: 0, right: 0, top: 0, bottom: 0 };
  for (const { box } of nodes) {
    if (overlaps(box, area)) continue;
    counts[box.left >= area.right ? 'right' : box.right <= area.left ? 'left' : box.top >= area.bottom ? 'bottom' : 'top'] += 1;
  }
  return counts;
}

/** The upper left corner of a note, in pixels of the stage; null where it would cover a card and can stand in the strip. */
function spotOf(side, seen, area, scale, { above, crowded }) {
  const wide = (area.right - area.left) * scale;
  const high = (area.bottom - area.top) * scale;
  const below = crowded ? STRIP + NOTE.height + BESIDE : BELOW;
  const spots = SPOTS.map((share) => (side === 'left' || side === 'right'
    ? { x: side === 'left' ? BESIDE : wide - NOTE.width - BESIDE, y: above + share * (high - above - below) }
    : { x: share * (wide - NOTE.width), y: side === 'top' ? above : high - (crowded ? STRIP + BESIDE : BELOW) - NOTE.height }));
  const free = ({ x, y }) => {
    const [left, top] = [area.left + x / scale, area.top + y / scale];
    const box = { left, top, right: left + NOTE.width / scale, bottom: top + NOTE.height / scale };
    return !seen.some((each) => overlaps(each, box));
  };
  return spots.find(free) ?? (crowded ? null : spots[0]);
}
