/** Where stepping stops: at every event, at the end of every visit to a source line, or at the start of every segment. */

export const GRANULARITIES = [
  { id: 'event', label: 'Event', title: 'Step event by event (← →)' },
  { id: 'line', label: 'Line', title: 'Step source line by source line (Shift+← Shift+→)' },
  { id: 'pass', label: 'Pass', title: 'Step from one backward pass or forward part to the next ([ ])' },
];
/** For rolled runs. */
export const ITERATION = { id: 'iteration', label: 'Iteration', title: 'Step from one iteration to the same moment of the next (, .)' };

/** The step that one step in a direction (1 or -1) leads to; the same step at the end of the tape. */
export function stopFrom(model, step, direction, granularity) {
  if (granularity === 'line' && model.lines.length > 0) return neighbour(model.lines, step, direction) ?? (direction > 0 ? model.last : 0);
  if (granularity === 'pass') return neighbour(model.starts, step, direction) ?? (direction > 0 ? model.last : 0);
  if (granularity === 'iteration' && model.rolled?.on) return model.rolled.beside(model.rolled.main, step, direction) ?? (direction > 0 ? model.last : 0);
  return Math.min(model.last, Math.max(0, step + direction));
}

/** The nearest number in a sorted list beyond `step`, or undefined. */
export function neighbour(sorted, step, direction) {
  if (direction > 0) return sorted.find((each) => each > step);
  return sorted.findLast((each) => each < step);
}
