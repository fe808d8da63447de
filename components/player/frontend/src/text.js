/** Text on the canvas: fonts, widths and shortening, remembered because measuring is the slowest part of a card. */

const LIMIT = 20_000;
const widths = new Map();
const fits = new Map();

export function forgetText() {
  widths.clear();
  fits.clear();
}

export function textWidth(ctx, font, text) {
  const key = `${font}\n${text}`;
  let width = widths.get(key);
  if (width === undefined) {
    if (widths.size > LIMIT) widths.clear();
    ctx.font = font;
    width = ctx.measureText(text).width;
    widths.set(key, width);
  }
  return width;
}

/** `text`, cut with an ellipsis so that it is no wider than `room`. */
export function fitText(ctx, font, text, room) {
  if (textWidth(ctx, font, text) <= room) return text;
  const key = `${font}\n${Math.round(room)}\n${text}`;
  let fitted = fits.get(key);
  if (fitted === undefined) {
    if (fits.size > LIMIT) fits.clear();
    const letters = Array.from(text);
    let low = 0;
    let high = letters.length;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (textWidth(ctx, font, `${letters.slice(0, middle).join('').trimEnd()}…`) <= room) low = middle;
      else high = middle - 1;
    }
    fitted = low === 0 ? '' : `${letters.slice(0, low).join('').trimEnd()}…`;
    fits.set(key, fitted);
  }
  return fitted;
}

/** `text` without its middle, so that it is no wider than `room`: of a path the end says most, and the beginning where it is. */
export function fitMiddle(ctx, font, text, room) {
  if (textWidth(ctx, font, text) <= room) return text;
  const key = `${font}\n${Math.round(room)}\nmiddle\n${text}`;
  let fitted = fits.get(key);
  if (fitted === undefined) {
    if (fits.size > LIMIT) fits.clear();
    const letters = Array.from(text);
    const cut = (kept) => {
      const front = Math.floor(kept * 0.4);
      return `${letters.slice(0, front).join('').trimEnd()}…${letters.slice(letters.length - (kept - front)).join('').trimStart()}`;
    };
    let low = 0;
    let high = letters.length;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (textWidth(ctx, font, cut(middle)) <= room) low = middle;
      else high = middle - 1;
    }
    fitted = low === 0 ? '' : cut(low);
    fits.set(key, fitted);
  }
  return fitted;
}

const NUMBER = String.raw`-?(?:\d+\.?\d*(?:e[+-]?\d+)?|inf|nan)`;
const SPREAD = new RegExp(`^(?:mean )?(${NUMBER}) ± (${NUMBER})$`, 'i');
const SINGLE = new RegExp(`^(?:mean |≤ )?${NUMBER}$`, 'i');

/** Is it a number, or a mean and a deviation, which must not be cut? */
export const isNumber = (text) => SPREAD.test(text) || SINGLE.test(text);

/**
 * Shorter and shorter ways to write a number: a deviation with two digits and the mean to the same place, then the mean alone. Text
 * that is no number has but itself.
 */
export function shorterNumbers(text) {
  const spread = SPREAD.exec(text);
  if (spread) {
    const [mean, deviation] = [Number(spread[1]), Number(spread[2])];
    if (!Number.isFinite(mean) || !Number.isFinite(deviation)) return [text.replace(/^mean /, ''), spread[1]];
    return [`${brief(mean, deviation)} ± ${rounded(deviation)}`, rounded(mean)];
  }
  if (!SINGLE.test(text)) return [text];
  const [, sign, number] = /^(mean |≤ )?(.*)$/.exec(text);
  return Number.isFinite(Number(number)) ? [text, `${sign === '≤ ' ? sign : ''}${rounded(Number(number))}`] : [text];
}

function rounded(value) {
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e4)) return value.toExponential(1).replace('e+', 'e').replace('.0e', 'e');
  return size >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(2)));
}

/** A mean to the place that its deviation is known to. */
function brief(mean, deviation) {
  const place = deviation === 0 ? null : 1 - Math.floor(Math.log10(deviation));
  const size = Math.abs(mean);
  if (place === null || place < 0 || place > 3 || size >= 1e4 || deviation < 1e-3) return rounded(mean);
  return mean.toFixed(place).replace(/^-(0\.?0*)$/, '$1');
}

/** The longest way to write a number, or text that may be cut, in the room; nothing where no number fits whole. */
export function fitNumber(ctx, font, text, room, { spread = true } = {}) {
  if (!isNumber(text)) return fitText(ctx, font, text, room);
  const ways = spread ? [text, ...shorterNumbers(text)] : shorterNumbers(text).slice(-1);
  return ways.find((way) => textWidth(ctx, font, way) <= room) ?? '';
}

/** Draw `text` at a baseline, shortened to `room`; returns the width used. */
export function write(ctx, text, x, y, { font, fill, room = Infinity, align = 'left' }) {
  const shown = room === Infinity ? text : fitText(ctx, font, text, room);
  if (!shown) return 0;
  ctx.font = font;
  ctx.fillStyle = fill;
  ctx.textAlign = align;
  ctx.textBaseline = 'alphabetic';
  ctx.fillText(shown, x, y);
  return textWidth(ctx, font, shown);
}
