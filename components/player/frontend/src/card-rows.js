/** Parameters that stand in the card of the operation that uses them: a row each, which can be selected as a node of its own. */

import { ROWS } from './design.js';

/**
 * Boxes of a card's rows, the lowest at its lower edge; those for which there is no room are only counted.
 *
 * @returns {{boxes: object[], more: number, rest: object | null}}   `rest` is where "3 more" is written
 */
export function rowBoxes({ left, right, top, bottom }, count) {
  const pitch = ROWS.height + ROWS.gap;
  const room = Math.max(0, Math.floor((bottom - ROWS.below - top - ROWS.head + ROWS.gap) / pitch));
  const used = Math.min(count, room, ROWS.most + 1);
  const shown = used < count ? Math.max(0, used - 1) : used;
  const box = (at) => {
    const y = bottom - ROWS.below - (used - at) * pitch + ROWS.gap;
    return { left: left + ROWS.aside, right: right - ROWS.aside, top: y, bottom: y + ROWS.height };
  };
  return {
    boxes: Array.from({ length: shown }, (_, at) => box(at)),
    more: count - shown,
    rest: shown < used ? box(shown) : null,
  };
}
