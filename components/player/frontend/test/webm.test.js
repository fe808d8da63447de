/** Recorded WebM files are given a duration, sizes and cues. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { finished } from '../src/film.js';
import { seekable } from '../src/webm.js';

const UNKNOWN = [0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff];
const element = (id, ...content) => {
  const bytes = content.flat();
  return [...id, 0x40 | (bytes.length >> 8), bytes.length & 0xff, ...bytes];
};
const open = (id, ...content) => [...id, ...UNKNOWN, ...content.flat()];
const [CLUSTER, DURATION, CUE_CLUSTER] = [[0x1f, 0x43, 0xb6, 0x75], [0x44, 0x89], [0xf1]];
const time = (value) => element([0xe7], [value >> 8, value & 0xff]);
const block = (at, key) => element([0xa3], [0x81, at >> 8, at & 0xff, key ? 0x80 : 0, 1, 2, 3]);
const group = (at, lasts) => element([0xa0], element([0xa1], [0x81, at >> 8, at & 0xff, 0, 9]), element([0x9b], [lasts]));
const HEAD = element([0x1a, 0x45, 0xdf, 0xa3], element([0x42, 0x82], [...'webm'].map((letter) => letter.charCodeAt(0))));
const info = (...more) => element([0x15, 0x49, 0xa9, 0x66], element([0x2a, 0xd7, 0xb1], [0x0f, 0x42, 0x40]), ...more);
const TRACKS = element([0x16, 0x54, 0xae, 0x6b], [1, 2, 3]);
const VOID = element([0xec], [0, 0]);

const recorded = (facts, ...clusters) => Uint8Array.from([...HEAD, ...open([0x18, 0x53, 0x80, 0x67], facts, VOID, TRACKS, ...clusters)]);
const file = (old, { parts }) => Uint8Array.from(parts.flatMap((part) => [...(Array.isArray(part) ? old.subarray(...part) : part)]));
const find = (bytes, wanted, from = 0) => bytes.findIndex((_, at) => at >= from && wanted.every((byte, k) => bytes[at + k] === byte));
const views = (bytes) => new DataView(bytes.buffer);

test('what a browser leaves open is filled in', () => {
  const old = recorded(info(), open(CLUSTER, time(0), block(0, true), block(33, false)), open(CLUSTER, time(1000), block(0, true), block(40, false)));
  const made = seekable(old);
  assert.equal(made.seconds, 1.08);
  const bytes = file(old, made);
  const duration = find(bytes, [...DURATION, 0x01]) + 2;
  assert.equal(views(bytes).getFloat64(duration + 8), 1080);
  const segment = find(bytes, [0x18, 0x53, 0x80, 0x67]) + 4;
  assert.equal(Number(views(bytes).getBigUint64(segment) - 2n ** 56n), bytes.length - segment - 8, 'the segment says how large it is');
  let cue = 0;
  for (let cluster = find(bytes, CLUSTER); cluster >= 0; cluster = find(bytes, CLUSTER, cluster + 1)) {
    cue = find(bytes, [...CUE_CLUSTER, 0x01], cue + 1);
    assert.equal(Number(views(bytes).getBigUint64(cue + 9)), cluster - segment - 8, 'a cue says where the cluster is');
  }
  assert.equal(find(bytes, [...CUE_CLUSTER, 0x01], cue + 1), -1);
});

test('a file that is made twice stays as it is', () => {
  const old = recorded(info(element(DURATION, [0, 0, 0, 0])), open(CLUSTER, time(0), group(0, 20), group(20, 25)));
  const once = file(old, seekable(old));
  const again = seekable(once);
  assert.equal(again.seconds, 0.045, 'a block that says for how long it stands is believed');
  assert.deepEqual(file(once, again), once);
});

test('a recording that breaks off in the middle lasts until there', () => {
  const old = recorded(info(), open(CLUSTER, time(0), block(0, true), block(50, false), block(100, false)));
  assert.equal(seekable(old.subarray(0, old.length - 4)).seconds, 0.1);
});

test('what is no film stays as it is', async () => {
  for (const bytes of [[], [1, 2, 3], HEAD, [...HEAD, ...open([0x18, 0x53, 0x80, 0x67], info())], Array(64).fill(0xff), Array(64).fill(0)]) {
    assert.equal(seekable(Uint8Array.from(bytes)), null);
    const blob = new Blob([Uint8Array.from(bytes)], { type: 'video/webm' });
    assert.deepEqual(await finished(blob, 7), { file: blob, seconds: 7 });
  }
});
