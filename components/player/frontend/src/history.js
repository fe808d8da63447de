/** What held at step t: lookups in lists of `[step, fact]` pairs sorted by step. */

/** Position of the last entry at or before `step`, or -1. */
export function indexAt(history, step) {
  let low = 0;
  let high = history.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (history[middle][0] <= step) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The fact in force at `step`, or `fallback` before the first one. */
export function factAt(history, step, fallback) {
  const index = indexAt(history, step);
  return index < 0 ? fallback : history[index][1];
}

/** How many of the sorted numbers are at most `value`. */
export function bisect(sorted, value) {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}
