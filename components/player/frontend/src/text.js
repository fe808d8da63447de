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
