/** Parameters that stand in the card of the operation that uses them: a row each, which can be selected as a node of its own. */

export const ROW = { height: 22, gap: 4, below: 6, aside: 9 };
/** What the card itself needs above them. */
const HEAD = 42;

/**
 * Boxes of a card's rows, the lowest at its lower edge; those for which there is no room are only counted.
 *
 * @returns {{boxes: object[], more: number, rest: object | null}}   `rest` is where "3 more" is written
 */
export function rowBoxes({ left, right, top, bottom }, count) {
  const pitch = ROW.height + ROW.gap;
  const room = Math.max(0, Math.floor((bottom - ROW.below - top - HEAD + ROW.gap) / pitch));
  const used = Math.min(count, room);
  const shown = used < count ? Math.max(0, used - 1) : used;
  const box = (at) => {
    const y = bottom - ROW.below - (used - at) * pitch + ROW.gap;
    return { left: left + ROW.aside, right: right - ROW.aside, top: y, bottom: y + ROW.height };
  };
  return {
    boxes: Array.from({ length: shown }, (_, at) => box(at)),
    more: count - shown,
    rest: shown < used ? box(shown) : null,
  };
}
