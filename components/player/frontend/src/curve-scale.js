/** The geometry of the curves over a run: what is in view, where an iteration and a value stand, where there are no numbers. */

/** The least part of a run that can be in view. */
const LEAST = 8;

/** A view of the iterations `from` to `to` of `count`, made wider or narrower around a share of it. */
export function zoomed({ from, to }, count, factor, share) {
  const width = Math.min(count - 1, Math.max(Math.min(LEAST, count - 1), (to - from) * factor));
  const fixed = from + (to - from) * share;
  return within({ from: fixed - width * share, to: fixed + width * (1 - share) }, count);
}

/** A view that is moved by so many iterations. */
export const moved = ({ from, to }, count, by) => within({ from: from + by, to: to + by }, count);

/** A view between two iterations, however they were picked. */
export function between(a, b, count) {
  const [from, to] = a < b ? [a, b] : [b, a];
  return zoomed(within({ from, to }, count), count, 1, 0.5);
}

function within({ from, to }, count) {
  const last = count - 1;
  const width = Math.min(last, to - from);
  const start = Math.min(last - width, Math.max(0, from));
  return { from: start, to: start + width };
}

/** Where a curve stands between 0 (low) and 1 (high): by its finite values in view. */
export function scaleOf({ values, log }, { from, to }) {
  let [low, high] = [Infinity, -Infinity];
  const end = Math.min(values.length - 1, Math.ceil(to));
  for (let at = Math.max(0, Math.floor(from)); at <= end; at += 1) {
    const value = values[at];
    if (!Number.isFinite(value) || (log && value <= 0)) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  if (low > high) return null;
  const bend = log ? Math.log10 : (value) => value;
  const [base, span] = [bend(low), bend(high) - bend(low)];
  return (value) => (Number.isFinite(value) && !(log && value <= 0) ? (span === 0 ? 0.5 : (bend(value) - base) / span) : null);
}

/**
 * A curve as stretches of points [x, share of the height] over `width` pixels. Where several iterations fall on one pixel, the
 * lowest and the highest of them are kept.
 */
export function curveLines(values, share, { from, to }, width) {
  const lines = [];
  let line = null;
  const span = Math.max(1e-9, to - from);
  const start = Math.max(0, Math.floor(from));
  const end = Math.min(values.length - 1, Math.ceil(to));
  const dense = (end - start) / Math.max(1, width) > 2;
  let pixel = null;
  const close = () => {
    if (pixel === null) return;
    line.push([pixel.x, pixel.low]);
    if (pixel.high !== pixel.low) line.push([pixel.x, pixel.high]);
    pixel = null;
  };
  for (let at = start; at <= end; at += 1) {
    const y = share(values[at]);
    const x = (width * (at - from)) / span;
    if (y === null) {
      close();
      line = null;
      continue;
    }
    if (line === null) lines.push((line = []));
    if (!dense) line.push([x, y]);
    else if (pixel !== null && Math.round(x) === Math.round(pixel.x)) {
      pixel.low = Math.min(pixel.low, y);
      pixel.high = Math.max(pixel.high, y);
    } else {
      close();
      pixel = { x, low: y, high: y };
    }
  }
  close();
  return lines;
}

/** Round iterations for the axis, at most about `most` of them. */
export function ticksOf({ from, to }, most) {
  const rough = Math.max(1, (to - from) / Math.max(1, most));
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= rough);
  const found = [];
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) found.push(at);
  return found;
}

/**
 * Stretches of a run without numbers, from the first mark of NaN or Inf on: [from, to, kind, whether it goes on to the end].
 *
 * @param {object[]} curves   the first one is the loss
 */
export function badRanges(curves, marks, count) {
  const values = curves[0]?.values ?? [];
  const first = marks.filter(({ kind }) => kind === 'nan' || kind === 'inf').sort((a, b) => a.iteration - b.iteration);
  if (first.length === 0) return [];
  const found = [];
  // What went wrong before the first iteration is in none of them.
  for (let at = Math.max(0, first[0].iteration); at < Math.min(count, values.length); at += 1) {
    if (Number.isFinite(values[at])) continue;
    const { kind } = first.findLast((mark) => mark.iteration <= at);
    const before = found.at(-1);
    if (before && before[1] === at - 1 && before[2] === kind) before[1] = at;
    else found.push([at, at, kind, false]);
  }
  const end = found.at(-1);
  if (end && end[1] === count - 1) end[3] = true;
  return found;
}
