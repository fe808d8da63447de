/**
 * Text on the canvas: how wide it is, shortened, and drawn. Widths are those of the picture's typeface, whatever font the browser has.
 * Files are written with the same letters (`engine/export/shortening.py`); `tests/engine/export/texts.json` holds both to it.
 */

import { BADGE, ELLIPSIS, FRONT, MISSING, RUNS, WORD } from './letters.js';

const LIMIT = 20_000;
const known = [0, 1].map((weight) => new Map(RUNS.flatMap(([first, ...widths]) => widths[weight].split(' ').map((width, at) => [first + at, Number(width) / 1000]))));
const ems = [new Map(), new Map()];
const fits = new Map();

/** Control characters, surrogates, and marks that turn the direction of text or hide in it. */
const UNPRINTABLE = /[\0-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufdd0-\ufdef\ufeff\ufff0-\uffff]+/gu;

/** A program's text on one line, without characters that are no text. */
export const clean = (text) => text.replace(UNPRINTABLE, ' ').trim();

/**
 * @typedef {object} Font
 * @property {number} size
 * @property {boolean} bold
 * @property {string} css
 */

/** @param {Font} font */
export function textWidth({ size, bold }, text) {
  const seen = ems[Number(bold)];
  let width = seen.get(text);
  if (width === undefined) {
    if (seen.size > LIMIT) seen.clear();
    const letters = known[Number(bold)];
    width = 0;
    for (const letter of text) width += letters.get(letter.codePointAt(0)) ?? MISSING / 1000;
    seen.set(text, width);
  }
  return width * size;
}

/** `text`, cut with an ellipsis so that it is no wider than `room`; '' where nothing of it fits. */
export const fitEnd = (font, text, room) => cut('end', font, text, room, (letters, kept) => `${letters.slice(0, kept).join('').trimEnd()}${ELLIPSIS}`);

/**
 * `text` without its middle, so that it is no wider than `room`; of a path its end, from the beginning of a part on where that
 * keeps most of it: what paths have in common stands before that.
 */
export const fitMiddle = (font, text, room) => cut('middle', font, text, room, PATH.test(text) ? (letters, kept) => {
  const end = letters.slice(letters.length - kept);
  const dot = end.indexOf('.');
  return `${ELLIPSIS}${end.slice(dot >= 0 && 2 * (dot + 1) <= kept ? dot + 1 : 0).join('')}`;
} : (letters, kept) => {
  const front = frontOf(letters, kept);
  return `${letters.slice(0, front).join('').trimEnd()}${ELLIPSIS}${letters.slice(letters.length - (kept - front)).join('').trimStart()}`;
});

/** How much of a text's beginning is kept; where its middle is missing already, what stands before that, if there is room for it. */
function frontOf(letters, kept) {
  const missing = letters.indexOf(ELLIPSIS);
  return missing > 0 && missing <= kept * (1 - FRONT) ? missing : Math.floor(kept * FRONT);
}

/** Text with a dot inside and without a space is a path: "model.0.weight". */
const PATH = /^[^ …]*[^ .…]\.[^ .…][^ …]*$/u;

/** What stands beside a title: an operation's name without what all have in common, a path without its beginning, a word whole or not at all. */
export function fitBadge(font, badge, room) {
  const way = [badge, badge.replace(ENDING, '')].find((one) => one && textWidth(font, one) <= room);
  if (way !== undefined) return way;
  const short = PATH.test(badge) ? fitMiddle(font, badge, room) : fitEnd(font, badge, room);
  return Array.from(badge).length <= WORD || Array.from(short).length < BADGE ? '' : short;
}

const ENDING = /Backward\d*$/;

/** An operation and its arguments: as many of these as fit whole, with an ellipsis for the others. */
export function fitArguments(font, text, room) {
  if (textWidth(font, text) <= room) return text;
  const parts = text.split(ARGUMENT);
  for (let count = parts.length - 1; count > 0; count -= 1) {
    const way = `${parts.slice(0, count).join(' ')} ${ELLIPSIS}`;
    if (textWidth(font, way) <= room) return way;
  }
  return fitMiddle(font, parts[0], room);
}

const ARGUMENT = / (?=\w+=)/;

function cut(how, font, text, room, shorter) {
  if (textWidth(font, text) <= room) return text;
  const key = `${how}\n${font.size}\n${font.bold}\n${room}\n${text}`;
  let fitted = fits.get(key);
  if (fitted === undefined) {
    if (fits.size > LIMIT) fits.clear();
    const letters = Array.from(text);
    let low = 0;
    let high = letters.length;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (textWidth(font, shorter(letters, middle)) <= room) low = middle;
      else high = middle - 1;
    }
    fitted = low === 0 ? '' : shorter(letters, low);
    fits.set(key, fitted);
  }
  return fitted;
}

const NUMBER = String.raw`-?(?:\d+\.?\d*(?:e[+-]?\d+)?|inf|nan)`;
const SPREAD = new RegExp(`^(?:mean )?(${NUMBER}) ± (${NUMBER})$`, 'i');
const NAMED = /^(.+ = )(.+)$/;
const SINGLE = new RegExp(`^(mean |≤ )?(${NUMBER})$`, 'i');

/** Of "1024 NaN", cut at its end, the number 1024 would be left. */
const FAULTS = /^\d+ (NaN|Inf)(?:, \d+ (Inf))?$/;

/** Is it a number, a mean and a deviation, or a count of NaN and Inf, which must not be cut? */
export const isNumber = (text) => SPREAD.test(text) || SINGLE.test(text) || FAULTS.test(text);

/**
 * Shorter and shorter ways to write a number: a deviation with two digits and the mean to the same place, then the mean alone; of
 * a count of NaN and Inf which there are. Text that is no number has but itself.
 */
export function shorterNumbers(text) {
  const spread = SPREAD.exec(text);
  if (spread) {
    const [mean, deviation] = [Number(spread[1]), Number(spread[2])];
    if (!Number.isFinite(mean) || !Number.isFinite(deviation)) return [text.replace(/^mean /, ''), spread[1]];
    return [`${toTheSamePlace(mean, deviation)} ± ${rounded(deviation)}`, rounded(mean)];
  }
  const faults = FAULTS.exec(text);
  if (faults) return [text, faults.slice(1).filter(Boolean).join(', ')];
  const single = SINGLE.exec(text);
  if (!single) return [text];
  const number = Number(single[2]);
  return Number.isFinite(number) ? [text, `${single[1] === '≤ ' ? '≤ ' : ''}${rounded(number)}`] : [text];
}

/** Two digits, or all before the point. */
function rounded(value) {
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e4)) return value.toExponential(1).replace('e+', 'e').replace('.0e', 'e');
  return size >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(2)));
}

/** A mean to the place that its deviation is known to. */
function toTheSamePlace(mean, deviation) {
  const place = deviation === 0 ? -1 : 1 - Math.floor(Math.log10(deviation));
  if (place < 0 || place > 3 || Math.abs(mean) >= 1e4 || deviation < 1e-3) return rounded(mean);
  return mean.toFixed(place).replace(/^-(0\.?0*)$/, '$1');
}

/** "loss = 0.25", a value with the name of what it is of, as the name and the value; null for anything else. */
export function namedValue(text) {
  const named = NAMED.exec(text);
  return named ? [named[1], named[2]] : null;
}

/** The longest way to write a number, or text that may be cut, in the room; '' where no number fits whole. */
export function fitNumber(font, text, room) {
  if (!isNumber(text)) return fitEnd(font, text, room);
  return [text, ...shorterNumbers(text)].find((way) => textWidth(font, way) <= room) ?? '';
}

/** Draw `text` at a baseline, no wider than it is in the picture's typeface, nor than `room`; returns the width used. */
export function write(ctx, text, x, y, { font, fill, room = Infinity, align = 'left' }) {
  const shown = room === Infinity ? text : fitEnd(font, text, room);
  if (!shown) return 0;
  const width = textWidth(font, shown);
  ctx.font = font.css;
  ctx.fillStyle = fill;
  ctx.textAlign = align;
  ctx.textBaseline = 'alphabetic';
  ctx.fillText(shown, x, y, width);
  return width;
}
