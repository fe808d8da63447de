/**
 * What the editors and the player tell each other, in the browser alone: events on `window` named `gradtape:<type>`, whose
 * `detail` is the message. Lines count from 1, columns from 0 in UTF-8 bytes, both in the text that ran last.
 *
 * player → editors
 *   moment       {step, cell, span: [line, column, endLine, endColumn] | null, total}     the step on show
 *   span         {cell, line, column, endLine, endColumn, kind: "hover" | "select"}       where a node was made; `line: 0` takes
 *                                                                                         the mark of that kind away
 *   drag         {cell, line, column, endLine, endColumn, x}   a number in there is dragged from `x` on; the editor that does so
 *                                                         prevents the default
 * editors → player
 *   cursor       {cell, line, column}                 the user put the cursor there; not told inside text that has not run
 *   goto         {cell, line}                         go to the next step on this line
 *
 * either way
 *   breakpoints  {from: "editor" | "player", lines: [{cell, line}, …]}     all breakpoints on lines
 *   hello        {from: "editor" | "player"}          somebody was mounted: the other tells again what still holds (`moment`,
 *                                                     `span` of kind "select", `breakpoints`)
 */

/** The newest moment and marks, for editors that are mounted after they were told. */
const newest = { moment: null, spans: { hover: null, select: null } };
const listeners = { moment: new Set(), span: new Set(), drag: new Set(), breakpoints: new Set() };
/** Cell -> lines with a breakpoint, of all editors on the page. */
const breakpoints = new Map();

const tell = (type, detail) => window.dispatchEvent(new CustomEvent(`gradtape:${type}`, { detail }));

window.addEventListener('gradtape:moment', ({ detail }) => {
  newest.moment = detail;
  for (const listener of listeners.moment) listener(detail);
});

window.addEventListener('gradtape:span', ({ detail }) => {
  if (!(detail?.kind in newest.spans)) return;
  newest.spans[detail.kind] = detail;
  for (const listener of listeners.span) listener(detail);
});

window.addEventListener('gradtape:drag', (event) => {
  for (const listener of listeners.drag) if (listener(event.detail)) event.preventDefault();
});

window.addEventListener('gradtape:breakpoints', ({ detail }) => {
  if (detail?.from !== 'player' || !Array.isArray(detail.lines)) return;
  breakpoints.clear();
  for (const { cell = 0, line } of detail.lines) breakpoints.set(cell, [...(breakpoints.get(cell) ?? []), line]);
  for (const listener of listeners.breakpoints) listener();
});

window.addEventListener('gradtape:hello', ({ detail }) => {
  if (detail?.from === 'player' && breakpoints.size > 0) tellAll();
});

export const newestMoment = () => newest.moment;
export const newestSpans = () => Object.values(newest.spans).filter(Boolean);

/** The spans told so far belong to a run that is no longer on show; the player tells those of the new one. */
export function forgetSpans() {
  newest.spans.hover = newest.spans.select = null;
}

/** @returns {() => void} ends it */
function listen(type, listener) {
  listeners[type].add(listener);
  return () => listeners[type].delete(listener);
}

export const onMoment = (listener) => listen('moment', listener);
/** The listener says whether it is taken. */
export const onDrag = (listener) => listen('drag', listener);
export const onSpan = (listener) => listen('span', listener);
export const onBreakpoints = (listener) => listen('breakpoints', listener);

export const tellHello = () => tell('hello', { from: 'editor' });
export const tellCursor = (cell, { line, column }) => tell('cursor', { cell, line, column });

export const tellGoto = (cell, line) => tell('goto', { cell, line });

export const breakpointsOf = (cell) => breakpoints.get(cell) ?? [];

export function tellBreakpoints(cell, lines) {
  const sorted = [...lines].sort((a, b) => a - b);
  if (String(sorted) === String(breakpointsOf(cell))) return;
  if (sorted.length > 0) breakpoints.set(cell, sorted);
  else breakpoints.delete(cell);
  tellAll();
}

function tellAll() {
  const lines = [...breakpoints].flatMap(([cell, numbers]) => numbers.map((line) => ({ cell, line })));
  tell('breakpoints', { from: 'editor', lines });
}
