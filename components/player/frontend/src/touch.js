/**
 * What fingers do beyond drawing and pinching: two taps in one place, a finger that rests, a finger that is drawn along a line.
 * A single tap is a click, which the browser tells by itself.
 */

/** Milliseconds after which a finger rests, and within which a second tap belongs to the first. */
export const [RESTS, TWICE] = [500, 350];
/** Pixels a finger may wander and still rest, and how far apart two taps may be. */
const [STILL, NEAR] = [10, 32];
/** Pixels along a line that are one step. */
export const STRIDE = 22;

/**
 * @param {HTMLElement} element
 * @param {{rests: (event: PointerEvent) => void, twice: (event: PointerEvent) => void, begins: () => void}} on
 *   begins: the next touch, whatever it becomes
 * @param {AbortSignal} signal
 */
export function listenToFingers(element, on, signal) {
  const fingers = new Set();
  let press = null; // the finger that may become a tap, or rest
  let before = null; // the tap before
  let timer = null;
  let touched = false; // whether the last press was a finger's
  let rested = false; // whether it was a rest

  function forget() {
    clearTimeout(timer);
    press = null;
  }

  element.addEventListener('pointerdown', (event) => {
    touched = event.pointerType === 'touch';
    rested = false;
    if (!touched) return;
    forget();
    fingers.add(event.pointerId);
    on.begins();
    if (fingers.size > 1) {
      before = null;
      return;
    }
    press = event;
    timer = setTimeout(() => {
      forget();
      before = null;
      rested = true;
      on.rests(event);
    }, RESTS);
  }, { signal, capture: true });
  element.addEventListener('pointermove', (event) => {
    if (!press || event.pointerId !== press.pointerId || apart(event, press) <= STILL) return;
    forget();
    before = null;
  }, { signal, capture: true });
  const lift = (event) => {
    fingers.delete(event.pointerId);
    if (!press || event.pointerId !== press.pointerId) return;
    forget();
    if (event.type !== 'pointerup') return;
    const second = before && event.timeStamp - before.timeStamp < TWICE && apart(event, before) < NEAR;
    before = second ? null : event;
    if (second) on.twice(event);
  };
  for (const name of ['pointerup', 'pointercancel']) element.addEventListener(name, lift, { signal, capture: true });

  return {
    /** Whether what happens now comes from a finger, … */
    touched: () => touched,
    /** … and from one that has rested: no click then, and what it shows stays. */
    rested: () => rested,
  };
}

/**
 * A finger that is drawn sideways goes on or back by a step for each stride; one that does not move is a tap.
 *
 * @param {HTMLElement} element
 * @param {{takes?: (event: PointerEvent) => boolean, begins: () => void, step: (direction: number) => void, tap?: (event: PointerEvent) => void,
 *   ends: () => void}} on   takes: whether a touch is meant for it
 */
export function listenToSwipes(element, { takes = () => true, begins, step, tap = () => {}, ends }) {
  let from = null; // where the step was made last
  let moved = false;
  let finger = null;

  element.addEventListener('pointerdown', (event) => {
    if (event.pointerType !== 'touch' || finger !== null || !takes(event)) return;
    [finger, from, moved] = [event.pointerId, event.clientX, false];
    element.setPointerCapture(finger);
    event.stopImmediatePropagation();
    begins();
  });
  element.addEventListener('pointermove', (event) => {
    if (event.pointerId !== finger) return;
    event.stopImmediatePropagation();
    for (; Math.abs(event.clientX - from) >= STRIDE; moved = true) {
      const direction = Math.sign(event.clientX - from);
      from += direction * STRIDE;
      step(direction);
    }
  });
  for (const name of ['pointerup', 'pointercancel']) {
    element.addEventListener(name, (event) => {
      if (event.pointerId !== finger) return;
      finger = null;
      event.stopImmediatePropagation();
      if (!moved && name === 'pointerup') tap(event);
      ends();
    });
  }
}

const apart = (a, b) => Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
