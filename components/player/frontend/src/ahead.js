/** What is fetched of a long run: what is wanted now at once, then what is likely to be wanted next, one thing at a time. */

/** Milliseconds of quiet after which what is only likely is fetched: what else the page does comes first. */
const IDLE_MS = 250;

/**
 * @param {(range: number[]) => Promise<boolean>} load   fetches the steps from one to another; false where nothing came
 * @param {(range: number[]) => boolean} has             are they here?
 */
export function createAhead(load, has) {
  let waiting = [];
  let busy = false;
  let timer = null;

  async function go() {
    if (busy) return;
    busy = true;
    for (let range = waiting.shift(); range; range = waiting.shift()) if (!has(range) && !(await load(range))) ahead.stop();
    busy = false;
  }

  const ahead = {
    /** What is to be here now, and what when things are quiet; it takes the place of what was wanted before and has not been asked for. */
    want(now, later) {
      clearTimeout(timer);
      waiting = now;
      timer = setTimeout(() => {
        waiting.push(...later);
        go();
      }, IDLE_MS);
      return go();
    },

    stop() {
      clearTimeout(timer);
      waiting = [];
    },
  };
  return ahead;
}
