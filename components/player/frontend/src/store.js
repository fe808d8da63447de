/**
 * The browser's memory. It outlives a player: Streamlit takes that out of the page and puts another one in its place, which goes on
 * where the last one was; and it has what Python has sent once and does not send again. Messages are taken in here alone.
 */

import { readTape, tellSteps } from './steps.js';
import { createWindows } from './windows.js';

/** Pictures whose windows are kept: the same run, opened otherwise. */
const PICTURES = 6;

/**
 * @typedef {import('./protocol').Message} Message
 * @typedef {import('./protocol').Run} Run
 * @typedef {import('./protocol').Drawn} Drawn
 * @typedef {import('./protocol').Holds} Holds
 * @typedef {import('./protocol').Breakpoints} Breakpoints
 */

/**
 * @typedef {object} Store
 *
 * What is on show
 * @property {string | undefined} rev          the revision of the picture; undefined before the first
 * @property {string | undefined} picture      which picture of the recording, whatever is open in it
 * @property {number | undefined} total        how many steps it has
 * @property {number | undefined} step
 * @property {string | null | undefined} selected   the node's id
 * @property {object | undefined} camera       as the camera's `state()` gives it
 * @property {Breakpoints | undefined} breakpoints
 *
 * What was asked for, so that it is done once
 * @property {string | undefined} keptRun      the run that was last told to go on where another was
 * @property {number} command                  the number of Python's last command
 * @property {string | undefined} overlayGiven       the marks that Python gave last, as JSON
 * @property {string | undefined} breakpointsGiven   the breakpoints that Python gave last, as JSON
 *
 * Until the picture comes in which groups are opened or closed
 * @property {{id: string, x: number, y: number, filled?: boolean} | null} anchor   what is to stay where it is on the screen
 * @property {string | null} wanted            the node that is to be selected there
 *
 * What Python does not send again
 * @property {{id: string, run: Run, captions: boolean} | null} tape   what is known of the run, and whether all captions have come
 * @property {{id: string, drawn: Drawn & {running?: object[], found?: object}, details: boolean, window: [number, number] | null} | null} shown
 *                                             the picture, whether its details have come, and the window that came last
 * @property {Map<string, object>} windows     revision → what the cards show, as far as it has come (`windows.js`)
 *
 * @property {string[]} turned                 loops that the user has turned from time to depth or back, and cards opened
 * @property {{open?: boolean}} legend         whether the legend is open where it is a chip
 */

/** @returns {Store} of a player that was never there before */
export function createStore() {
  return {
    rev: undefined,
    picture: undefined,
    total: undefined,
    step: undefined,
    selected: undefined,
    camera: undefined,
    breakpoints: undefined,
    keptRun: undefined,
    command: -Infinity,
    overlayGiven: undefined,
    breakpointsGiven: undefined,
    anchor: null,
    wanted: null,
    tape: null,
    shown: null,
    windows: new Map(),
    turned: [],
    legend: {},
  };
}

/**
 * A message with its parts' fields side by side, those that it leaves out from here; null if they are not here. Of a sketch nothing
 * is kept, of anything else all that it brings.
 *
 * @param {Message} message  @param {Store} store
 */
export function take({ run, drawn, sketch, moments, ...message }, store) {
  if (sketch) return { ...message, ...drawn, ...sketch };
  if (message.tape === undefined) return message; // nothing has come yet
  const { running, ...captions } = moments ?? {};
  // Sent twice, it is the one that is here, of which more may be known by now.
  if (run && store.tape?.id !== message.tape) store.tape = { id: message.tape, run: readTape(run), captions: false };
  if (drawn) store.shown = { id: message.rev, drawn: { ...drawn, running }, details: false, window: drawn.rolled?.window ?? null };
  const { tape, shown } = store;
  if (tape?.id !== message.tape || shown?.id !== message.rev) return null;
  if (moments) {
    tellSteps(tape.run.steps, captions);
    tape.captions = true;
  }
  if (message.found) shown.drawn.found = message.found;
  if (message.details && !message.told) {
    shown.drawn.edges.forEach((edge) => { edge.details = message.details[edge.id] ?? {}; });
    shown.details = true;
  }
  const told = message.told && { ...message.told, running };
  if (told) shown.window = told.window;
  return { ...message, ...captions, ...tape.run, ...shown.drawn, ...(told && { told }) };
}

/** Is this the picture alone? */
export const isSketch = (payload) => payload.focus !== undefined;

/** What Python is told that is here, so that it sends what is not.  @returns {Holds} */
export const held = (payload, { tape, shown }) => (
  isSketch(payload) ? { sketch: payload.rev } : {
    tape: tape.id, captions: tape.captions, rev: shown.id, details: shown.details, window: shown.window, found: Boolean(shown.drawn.found),
  }
);

/** What the cards of a picture show, as far as it has come; that of the pictures on show last is kept.  @param {Store} store */
export function windowsOf(rev, { windows }) {
  const found = windows.get(rev) ?? createWindows();
  windows.delete(rev);
  windows.set(rev, found);
  for (const other of [...windows.keys()].slice(0, -PICTURES)) windows.delete(other);
  return found;
}
