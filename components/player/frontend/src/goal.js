/** Where one may go by typing it: a step, a line of the program, an iteration. */

const STEP = /^(?:step\s*)?#?([\d,]+)$/i;
const LINE = /^(?:(?:cell|c)\s*(\d+)\s*,?\s*)?(?:line|l|:)\s*(\d+)$/i;
const ITERATION = /^(?:iteration|iter|it|i)\s*(\d+)$/i;

/** What one is told who wonders what can be typed. */
export const GOALS = '120 · line 12 · iteration 7';

/** @returns {{kind: 'step' | 'line' | 'iteration', number: number, cell?: number | null} | null} null for what names nothing */
export function readGoal(text) {
  const typed = text.trim();
  const step = STEP.exec(typed);
  if (step) return { kind: 'step', number: Number(step[1].replaceAll(',', '')) };
  const line = LINE.exec(typed);
  if (line) return { kind: 'line', number: Number(line[2]), cell: line[1] === undefined ? null : Number(line[1]) - 1 };
  const iteration = ITERATION.exec(typed);
  return iteration && { kind: 'iteration', number: Number(iteration[1]) };
}

/** The next step after `from` that happens on a line, around the end; undefined if there is none. */
export function stepOnLine(steps, cell, line, from) {
  const total = steps.length;
  for (let ahead = 1; ahead <= total; ahead += 1) {
    const at = (from + ahead) % total;
    const { cell: its = 0, span } = steps.at(at) ?? {};
    if (its === cell && span && span[0] <= line && line <= Math.max(span[0], span[2])) return at;
  }
  return undefined;
}

/**
 * Go where the text says, or say why not.
 * @param {string} text
 * @param {import('./state.js').State} state
 * @param {object} parts   seeking, iterations
 */
export function goTo(text, { model, step }, { seeking, iterations }) {
  const goal = readGoal(text);
  seeking.byUser(() => {});
  if (!goal) return seeking.say(`“${text.trim()}” names no place: ${GOALS}.`);
  const { kind, number } = goal;
  if (kind === 'step') {
    if (number < 1 || number > model.steps.length) return seeking.say(`The steps of this run are 1 to ${model.steps.length}.`);
    return seeking.userSeeks(number - 1);
  }
  if (kind === 'line') {
    const cell = goal.cell ?? model.steps.at(step)?.cell ?? 0;
    const there = stepOnLine(model.steps, cell, number, step);
    return there === undefined ? seeking.say(`Nothing happens on line ${number}.`) : seeking.userSeeks(there);
  }
  const { rolled } = model;
  if (!rolled?.on) return seeking.say('There are iterations to go to where the run is rolled.');
  const { first, of } = rolled.called(rolled.main, rolled.at(rolled.main, step));
  if (number >= of) return seeking.say(`The iterations of this loop are 0 to ${of - 1}.`);
  return iterations.seek(rolled.main, first + number);
}
