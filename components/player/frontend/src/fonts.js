/** The picture's fonts at a zoom: text that would get too small to be read grows on its card. */

import { CARD, FONTS, ROWS, WEIGHTS } from './design.js';

/** Down to this zoom no text gets smaller than it may. Opening a graph never goes further out by itself. */
export const READABLE = 0.54;
const LEAST = 11;
/** Baselines on a card: of its title, of the line under it, of its first row, from one row to the next, and in a parameter's own card. */
const LINES = { title: CARD.title, sub: CARD.sub, first: CARD.firstRow, row: CARD.row, parameter: ROWS.base };
/** From one line of text to the next, as a share of its size; where that is more than a row the line under the title is left out. */
const LEADING = 1.13;
/** Those of cards; signs and tabs have sizes of their own. */
const GROWING = new Set(['title', 'small', 'name', 'row', 'strong', 'pill']);

/** @returns {Record<string, import('./text.js').Font> & {family: string, lines: object}} */
export function fontsOf(family, scale = 1) {
  // There are few sizes, so that what fits is worked out seldom.
  const step = Math.min(1, Math.max(READABLE, Math.floor(scale * 20 + 1e-6) / 20));
  const size = (usual) => Math.max(usual, Math.round((LEAST / step) * 10 + 0.5) / 10);
  const fonts = Object.entries(FONTS).map(([name, font]) => [name, fontOf(family, { ...font, size: GROWING.has(name) ? size(font.size) : font.size })]);
  return { ...Object.fromEntries(fonts), family, lines: linesOf(size(FONTS.row.size)) };
}

function linesOf(size) {
  const row = Math.ceil(LEADING * size);
  return row <= LINES.row ? LINES : { title: LINES.title, sub: null, first: LINES.title + row + 2, row, parameter: LINES.parameter + 2 };
}

export const fontOf = (family, { size, bold }) => ({ size, bold, css: `${WEIGHTS[Number(bold)]} ${size}px ${family}` });

/** A font some times as large. */
export const scaled = (family, font, by) => fontOf(family, { ...font, size: font.size * by });
