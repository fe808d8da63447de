/**
 * What a payload says of the whole recording, which is sent once and kept while the graph is folded and unfolded. The captions
 * of a large one come by themselves, when its picture is there.
 */

const PARTS = ['steps', 'segments', 'lines', 'queues', 'index'];
const CAPTIONED = '|captions';

/** A payload as it comes: the bytes of its JSON from the page, plain data in a replay. */
export function read(data) {
  return data instanceof Uint8Array || data instanceof ArrayBuffer ? JSON.parse(new TextDecoder().decode(data)) : data;
}

/** The payload with the kept parts that it leaves out; null if they are not here. Keeps those that it brings. */
export function complete(payload, memory) {
  if (payload.tape === undefined) return payload;
  if (payload.steps !== undefined) {
    memory.tape = { id: payload.tape, parts: Object.fromEntries(PARTS.map((part) => [part, payload[part]])), captioned: false };
  } else if (memory.tape?.id !== payload.tape) {
    return null;
  }
  if (payload.captions !== undefined) {
    memory.tape.parts.steps.forEach((step, at) => { step.caption = payload.captions[at]; });
    memory.tape.captioned = true;
  }
  return payload.steps !== undefined ? payload : { ...payload, ...memory.tape.parts };
}

/** What Python is told that is here, so that it need not send it again. */
export const held = ({ id, captioned }) => (captioned ? id + CAPTIONED : id);
