/**
 * Parts of a payload that are kept because Python does not send them again: what it says of the whole recording, however that is
 * folded, and the picture. Of a large one a sketch comes first, the picture without what happens in it; captions and details come
 * last.
 */

const TAPE = ['steps', 'segments', 'lines', 'queues', 'index'];
const PICTURE = ['nodes', 'edges', 'network'];

/** The payload with the kept parts that it leaves out; null if they are not here. Keeps those that it brings. */
export function complete(payload, memory) {
  if (payload.tape === undefined || isSketch(payload)) return payload;
  const tape = kept(payload, memory.tape, 'tape', TAPE);
  const drawn = kept(payload, memory.drawn, 'rev', PICTURE);
  if (tape === null || drawn === null) return null;
  Object.assign(memory, { tape, drawn });
  if (payload.captions !== undefined) {
    tape.parts.steps.forEach((step, at) => { step.caption = payload.captions[at]; });
    tape.more = true;
  }
  if (payload.details !== undefined) {
    drawn.parts.edges.forEach((edge) => { edge.details = payload.details[edge.id]; });
    drawn.more = true;
  }
  return { ...payload, ...tape.parts, ...drawn.parts };
}

/** Is this the picture alone? */
export const isSketch = (payload) => payload.focus !== undefined;

/** Parts that a payload brings, or those kept under the same name; `more` is whether what comes later has come. */
function kept(payload, before, name, parts) {
  if (payload[parts[0]] === undefined) return before?.id === payload[name] ? before : null;
  return { id: payload[name], parts: Object.fromEntries(parts.map((part) => [part, payload[part]])), more: false };
}

/** What Python is told that is here, so that it sends what is not. */
export const held = (payload, { tape, drawn }) => (
  isSketch(payload) ? { sketch: payload.rev } : { tape: tape.id, captions: tape.more, rev: drawn.id, details: drawn.more }
);
