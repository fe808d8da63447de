/** Sparklines: a value or a gradient over all iterations of a loop, where it is NaN or Inf, and which iteration is chosen. */

import { SPARK } from './design.js';

/** Points of a line that is seen from so far away that more of them would fall on one another, and from which zoom on it is. */
const COARSE = 24;
const FINE = 0.75;

/**
 * @param {import('./protocol').Spark | null | undefined} data
 * @param {number} total                     iterations of the loop
 */
export function readSpark(data, total) {
  if (!data) return null;
  const bad = (data.bad ?? []).filter(([iteration]) => Number.isFinite(iteration)).sort((a, b) => a[0] - b[0]);
  return {
    total: Math.max(1, total),
    value: readSeries(data.value),
    grad: readSeries(data.grad),
    ranges: rangesOf(bad, Math.max(1, Math.ceil(total / 100))),
    kinds: new Map(bad),
    first: bad[0]?.[0] ?? null,
  };
}

function readSeries(values) {
  const finite = (values ?? []).filter(Number.isFinite);
  if (finite.length === 0) return null;
  const [low, high] = [Math.min(...finite), Math.max(...finite)];
  return { values, low, high, log: low > 0 && high / low > SPARK.wide, paths: new Map() };
}

/** Neighbouring iterations with the same trouble as one stretch each: [from, to, kind]. */
function rangesOf(bad, gap) {
  const found = [];
  for (const [iteration, kind] of bad) {
    const before = found.at(-1);
    if (before && before[2] === kind && iteration - before[1] <= gap) before[1] = iteration;
    else found.push([iteration, iteration, kind]);
  }
  return found;
}

/** What a series says of one iteration, or null. */
export function valueAt(spark, which, iteration) {
  const values = spark?.[which]?.values;
  if (!values || iteration < 0) return null;
  const value = values[Math.round(shareOf(spark, iteration) * (values.length - 1))];
  return Number.isFinite(value) ? value : null;
}

/** "nan", "inf" or undefined. */
export const troubleAt = (spark, iteration) => spark?.kinds.get(iteration);

const shareOf = ({ total }, iteration) => (total < 2 ? 0 : Math.min(1, Math.max(0, iteration / (total - 1))));

/** The line as stretches of points in a box; where there is no number, it is broken. */
export function sparkLines({ values, low, high, log }, { left, top, width, height }, coarse = false) {
  const scale = log ? Math.log : (value) => value;
  const [from, span] = [scale(low), scale(high) - scale(low)];
  const stride = coarse ? Math.max(1, Math.ceil(values.length / COARSE)) : 1;
  const lines = [];
  let line = null;
  const last = values.length - 1;
  for (let next = 0; next < last + stride; next += stride) {
    const at = Math.min(next, last);
    const value = values[at];
    if (!Number.isFinite(value)) {
      line = null;
      continue;
    }
    if (line === null) lines.push((line = []));
    const share = span === 0 ? 0.5 : (scale(value) - from) / span;
    line.push([left + (last < 1 ? 0 : (width * at) / last), top + height * (1 - share)]);
  }
  return lines;
}

/** Draw one series of a sparkline into a box that never changes. */
export function paintSpark(ctx, spark, which, box, iteration, { palette, scale }) {
  const series = spark[which];
  const { left, top, width, height } = box;
  for (const [from, to, kind] of spark.ranges) {
    const start = left + width * shareOf(spark, from);
    const end = left + width * shareOf(spark, to + 1);
    ctx.fillStyle = kind === 'inf' ? palette.infTint : palette.nanTint;
    ctx.fillRect(start, top, Math.max(SPARK.bad, end - start), height);
  }
  const coarse = scale < FINE;
  const key = `${coarse} ${left} ${top}`;
  if (!series.paths.has(key)) {
    const path = new Path2D();
    for (const points of sparkLines(series, box, coarse)) {
      path.moveTo(points[0][0], points[0][1]);
      // One number between gaps is a dot.
      if (points.length === 1) path.lineTo(points[0][0] + SPARK.dot, points[0][1]);
      for (let at = 1; at < points.length; at += 1) path.lineTo(points[at][0], points[at][1]);
    }
    series.paths.set(key, path);
  }
  ctx.lineWidth = SPARK.line;
  ctx.strokeStyle = which === 'grad' ? palette.orange : palette.blue;
  ctx.stroke(series.paths.get(key));
  if (iteration < 0) return;
  ctx.fillStyle = palette.ink;
  const alpha = ctx.globalAlpha;
  ctx.globalAlpha = alpha * SPARK.cursorOpacity;
  ctx.fillRect(left + width * shareOf(spark, iteration) - SPARK.cursor / 2, top - SPARK.cursorReach, SPARK.cursor, height + 2 * SPARK.cursorReach);
  ctx.globalAlpha = alpha;
}

/** A number as cards write them. */
export function brief(value) {
  if (value === null) return null;
  const size = Math.abs(value);
  return size !== 0 && (size >= 1e5 || size < 1e-3) ? value.toExponential(2) : String(Number(value.toPrecision(4)));
}
