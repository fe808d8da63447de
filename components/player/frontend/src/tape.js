/**
 * Parts of a payload that are kept because Python does not send them again: what it says of the whole recording, however that is
 * folded, and the picture. Of a large one a sketch comes first, the picture without what happens in it; captions and details come
 * last.
 */

import { readTape, tellSteps } from './steps.js';

const TAPE = ['steps', 'segments', 'lines', 'queues', 'passes', 'index'];
const PICTURE = ['nodes', 'edges', 'network'];
/** What else belongs to a rolled picture. What its cards show in another window, and what was found, come without all this. */
const ROLLED = ['running', 'picture', 'view', 'direction', 'fold', 'legend', 'sites', 'rolled'];

/** The payload with the kept parts that it leaves out; null if they are not here. Keeps those that it brings. */
export function complete(payload, memory) {
  if (payload.tape === undefined || isSketch(payload)) return payload;
  const tape = kept(payload, memory.tape, 'tape', TAPE);
  if (tape !== null && tape !== memory.tape) tape.parts = readTape(tape.parts);
  const drawn = kept(payload, memory.drawn, 'rev', payload.running === undefined ? PICTURE : [...PICTURE, ...ROLLED]);
  if (tape === null || drawn === null) return null;
  const window = payload.told?.window ?? (payload.nodes && payload.rolled?.window);
  if (window) drawn.window = window;
  Object.assign(memory, { tape, drawn });
  if (payload.captions !== undefined) {
    tellSteps(tape.parts.steps, payload);
    tape.more = true;
  }
  if (payload.details !== undefined) {
    drawn.parts.edges.forEach((edge) => { edge.details = payload.details[edge.id] ?? {}; });
    drawn.more = true;
  }
  return { ...payload, ...tape.parts, ...drawn.parts };
}

/** Is this the picture alone? */
export const isSketch = (payload) => payload.focus !== undefined;

/** Parts that a payload brings, or those kept under the same name; `more` is whether what comes later has come. */
function kept(payload, before, name, parts) {
  if (payload[parts[0]] === undefined) return before?.id === payload[name] ? before : null;
  return { id: payload[name], parts: Object.fromEntries(parts.filter((part) => part in payload).map((part) => [part, payload[part]])), more: false };
}

/** What Python is told that is here, so that it sends what is not. */
export const held = (payload, { tape, drawn }) => (
  isSketch(payload) ? { sketch: payload.rev } : { tape: tape.id, captions: tape.more, rev: drawn.id, details: drawn.more, ...(drawn.window ? { window: drawn.window } : {}) }
);
