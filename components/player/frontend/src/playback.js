/** Plays the steps one after another. */

const STEP_MS = 600;
export const SPEEDS = [0.5, 1, 2, 5, 20];

/** @param {(last: number) => boolean} advance   go one step on; false at the end, or at the step `last` */
export function createPlayback(advance, onChange) {
  let timer = null;
  let last = Infinity;
  const playback = {
    speed: 1,
    playing: () => timer !== null,
    /** Up to a step, if one is named. */
    play(until = Infinity) {
      last = until;
      if (timer === null) timer = setTimeout(tick, 0);
      onChange(true);
    },
    pause() {
      if (timer === null) return;
      clearTimeout(timer);
      timer = null;
      onChange(false);
    },
    toggle: () => (timer === null ? playback.play() : playback.pause()),
  };
  function tick() {
    const started = performance.now();
    if (!advance(last)) {
      playback.pause();
      return;
    }
    // `advance` may have paused by itself (the last step).
    if (timer !== null) timer = setTimeout(tick, Math.max(0, STEP_MS / playback.speed - (performance.now() - started)));
  }
  return playback;
}
