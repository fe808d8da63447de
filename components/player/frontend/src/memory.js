/**
 * What outlives a player: Streamlit takes it out of the page and puts another one in its place, which goes on where the last one was.
 * It is also how a new payload of the same run goes on where that was, and what parts of it need not be sent again.
 */

/**
 * @typedef {object} Memory
 *
 * What is on show
 * @property {string | undefined} rev          the revision of the payload; undefined before the first
 * @property {string | undefined} picture      which picture of the recording, whatever is open in it
 * @property {number | undefined} total        how many steps it has
 * @property {number | undefined} step
 * @property {string | null | undefined} selected   the node's id
 * @property {object | undefined} camera       as the camera's `state()` gives it
 * @property {object | undefined} breakpoints  {lines, tensors}
 *
 * What was asked for, so that it is done once
 * @property {string | undefined} keptRun      the run that was last told to go on where another was
 * @property {number} command                  the number of Python's last command
 * @property {string | undefined} overlayGiven       the marks that Python gave last, as JSON
 * @property {string | undefined} breakpointsGiven   the breakpoints that Python gave last, as JSON
 *
 * Until the picture comes in which groups are opened or closed
 * @property {{id: string, x: number, y: number} | null} anchor   what is to stay where it is on the screen
 * @property {string | null} wanted            the node that is to be selected there
 *
 * Parts of a large recording (`tape.js`)
 * @property {object | undefined} tape         what is known of the whole recording
 * @property {object | undefined} drawn        the picture
 *
 * Of a rolled run
 * @property {Map<string, object>} windows     revision → what the cards show, as far as it has come (`windows.js`)
 * @property {string[]} turned                 loops that the user has turned from time to depth or back
 *
 * @property {{open?: boolean}} legend         whether the legend is open where it is a chip
 */

/** @returns {Memory} of a player that was never there before */
export function createMemory() {
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
    tape: undefined,
    drawn: undefined,
    windows: new Map(),
    turned: [],
    legend: {},
  };
}
