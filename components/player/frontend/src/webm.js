/**
 * WebM files as browsers record them, made such that players can seek: with how long they last, how large their parts are, and
 * where one can begin to look. A recorder knows none of it while it writes, and does not come back to it.
 *
 * Of the libraries that do this mediabunny, which writes all of it, would add 150 to 400 kB to a bundle of 750, and
 * fix-webm-duration, 31 kB, says how long a film is, but not where one can begin to look. This is 3 kB of it.
 *
 * A file is a tree of elements: an id, a size, and bytes or more elements (EBML, RFC 8794; what they mean, RFC 9559).
 */

const [HEAD, SEGMENT, INFO, TRACKS, TAGS, CLUSTER, CUES] = [0x1a45dfa3, 0x18538067, 0x1549a966, 0x1654ae6b, 0x1254c367, 0x1f43b675, 0x1c53bb6b];
const [SCALE, DURATION] = [0x2ad7b1, 0x4489];
const [TIME, SIMPLE_BLOCK, BLOCK_GROUP, BLOCK, BLOCK_DURATION, REFERENCE] = [0xe7, 0xa3, 0xa0, 0xa1, 0x9b, 0xfb];
const [CUE, CUE_TIME, CUE_PLACE, CUE_TRACK, CUE_CLUSTER] = [0xbb, 0xb3, 0xb7, 0xf7, 0xf1];
/** What ends a cluster that does not say how large it is. */
const ABOVE = new Set([SEGMENT, INFO, TRACKS, TAGS, CLUSTER, CUES, 0x114d9b74, 0x1941a469, 0x1043a770]);
/** Nanoseconds of a tick, where the file does not say. */
const USUAL_SCALE = 1_000_000;

/**
 * The parts of a file that players can seek in, one after the other: new bytes, or where in the old ones they are ([from, to]).
 *
 * @param {Uint8Array} bytes
 * @returns {{parts: (Uint8Array | [number, number])[], seconds: number} | null}   null for what is no such file
 */
export function seekable(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [head, segment] = [...elements(view, 0, bytes.length)];
  if (head?.id !== HEAD || segment?.id !== SEGMENT) return null;
  const inside = [...elements(view, segment.from, segment.to)];
  const [info] = inside.filter(({ id }) => id === INFO);
  const clusters = inside.filter(({ id }) => id === CLUSTER).map((cluster) => ({ ...cluster, ...timesOf(view, cluster) }));
  if (!info || clusters.length === 0) return null;

  const facts = [...elements(view, info.from, info.to)];
  const scale = facts.filter(({ id }) => id === SCALE).map((each) => unsigned(view, each))[0] || USUAL_SCALE;
  const ticks = lastsFor(clusters.flatMap(({ blocks }) => blocks));
  const kept = facts.filter(({ id }) => id !== DURATION).map(({ at, to }) => bytes.subarray(at, to));
  const before = [
    element(INFO, ...kept, element(DURATION, float(ticks))),
    ...inside.filter(({ id }) => id === TRACKS || id === TAGS).map(({ id, from, to }) => element(id, bytes.subarray(from, to))),
  ];
  const starts = clusters.map(({ blocks }) => blocks.find(({ key }) => key));
  const written = clusters.map(({ from, to }) => opening(CLUSTER, to - from));
  // All numbers in it have the same length, so that it is as long as it will be before it is known where the clusters are.
  const cuesAt = (places) => element(CUES, ...starts.flatMap((start, k) => (start ? [cue(start, places[k])] : [])));
  let place = sizeOf(before) + cuesAt(clusters.map(() => 0)).length;
  const places = clusters.map(({ from, to }, k) => {
    const here = place;
    place += written[k].length + to - from;
    return here;
  });
  return {
    parts: [
      [head.at, head.to], opening(SEGMENT, place), ...before, cuesAt(places),
      ...clusters.flatMap(({ from, to }, k) => [written[k], [from, to]]),
    ],
    seconds: (ticks * scale) / 1e9,
  };
}

// --- reading -----------------------------------------------------------------------------------------------------------------

/** The elements between two places; one that does not say how large it is, or was cut off, goes as far as it can. */
function* elements(view, from, to, ends = () => false) {
  for (let at = from; at < to;) {
    const { value: id, length } = number(view, at, to, true) ?? {};
    const size = id === undefined ? null : number(view, at + length, to, false);
    if (!size || ends(id)) return;
    const start = at + length + size.length;
    const unknown = size.value === null;
    const end = !unknown ? start + size.value : id === CLUSTER ? endOf(view, start, to) : to;
    if (end > to && id !== SEGMENT) return;
    yield { id, at, from: start, to: Math.min(end, to) };
    at = end;
  }
}

/** Where a cluster ends whose size is unknown: where something begins that cannot be in it. */
function endOf(view, from, to) {
  let end = from;
  for (const inner of elements(view, from, to, (id) => ABOVE.has(id))) end = inner.to;
  return end;
}

/** A number whose first byte says how long it is: an id with that mark, a size without; null as value for an unknown size. */
function number(view, at, to, marked) {
  if (at >= to) return null;
  const first = view.getUint8(at);
  const length = Math.clz32(first) - 23;
  if (first === 0 || length > 8 || at + length > to) return null;
  let value = marked ? first : first & ((0x80 >> (length - 1)) - 1);
  let full = value === (0x80 >> (length - 1)) - 1;
  for (let k = 1; k < length; k += 1) {
    const byte = view.getUint8(at + k);
    full &&= byte === 0xff;
    value = value * 256 + byte;
  }
  return { value: !marked && full ? null : value, length };
}

function unsigned(view, { from, to }) {
  let value = 0;
  for (let at = from; at < to; at += 1) value = value * 256 + view.getUint8(at);
  return value;
}

/** When the pictures of a cluster are shown, in ticks, and which can be shown without those before them. */
function timesOf(view, { from, to }) {
  let time = 0;
  const blocks = [];
  const add = (block, key, lasts = 0) => {
    const track = number(view, block.from, block.to, false);
    const at = block.from + (track?.length ?? 0);
    if (!track || at + 3 > block.to) return;
    blocks.push({ track: track.value, time: time + view.getInt16(at), key: key ?? (view.getUint8(at + 2) & 0x80) !== 0, lasts });
  };
  for (const inner of elements(view, from, to)) {
    if (inner.id === TIME) time = unsigned(view, inner);
    else if (inner.id === SIMPLE_BLOCK) add(inner, null);
    else if (inner.id === BLOCK_GROUP) {
      const group = [...elements(view, inner.from, inner.to)];
      const [lasts] = group.filter(({ id }) => id === BLOCK_DURATION).map((each) => unsigned(view, each));
      for (const block of group.filter(({ id }) => id === BLOCK)) add(block, !group.some(({ id }) => id === REFERENCE), lasts);
    }
  }
  return { blocks };
}

/** Ticks until the last picture ends: where it does not say for how long it stands, that is as long as the one before it. */
function lastsFor(blocks) {
  const times = blocks.map(({ time }) => time).sort((a, b) => a - b);
  const last = times.at(-1) ?? 0;
  const before = times.findLast((time) => time < last) ?? last;
  const lasts = Math.max(0, ...blocks.filter(({ time }) => time === last).map((block) => block.lasts));
  return last + (lasts || last - before);
}

// --- writing -----------------------------------------------------------------------------------------------------------------

const sizeOf = (parts) => parts.reduce((sum, part) => sum + part.length, 0);

function joined(...parts) {
  const whole = new Uint8Array(sizeOf(parts));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

const element = (id, ...content) => joined(opening(id, sizeOf(content)), ...content);

/** An element's id and size, the latter in eight bytes. */
function opening(id, size) {
  const bytes = [];
  for (let rest = id; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return joined(Uint8Array.from(bytes), long(size, 0x01));
}

/** A whole number in eight bytes, the first of which may be a mark. */
function long(value, mark = 0) {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(value));
  bytes[0] |= mark;
  return bytes;
}

function float(value) {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setFloat64(0, value);
  return bytes;
}

const cue = ({ time, track }, place) => element(CUE, element(CUE_TIME, long(time)), element(CUE_PLACE, element(CUE_TRACK, long(track)), element(CUE_CLUSTER, long(place))));
