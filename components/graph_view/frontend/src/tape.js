/** What a payload says of the whole recording, which is sent once and kept while the graph is folded and unfolded. */

const PARTS = ['steps', 'segments', 'lines', 'queues', 'index'];

/** A payload as Python sent it: plain data, or for large ones the bytes of its JSON. */
export function read(data) {
  return data instanceof Uint8Array || data instanceof ArrayBuffer ? JSON.parse(new TextDecoder().decode(data)) : data;
}

/** The payload with the kept parts that it leaves out; null if they are not here. Keeps those that it brings. */
export function complete(payload, memory) {
  if (payload.tape === undefined) return payload;
  if (payload.steps !== undefined) {
    memory.tape = { id: payload.tape, parts: Object.fromEntries(PARTS.map((part) => [part, payload[part]])) };
    return payload;
  }
  return memory.tape?.id === payload.tape ? { ...payload, ...memory.tape.parts } : null;
}
