import assert from 'node:assert/strict';
import { test } from 'node:test';

import { beginningOf } from '../src/camera.js';
import { rowBoxes } from '../src/card-rows.js';
import { badRanges, between, curveLines, moved, scaleOf, ticksOf, zoomed } from '../src/curve-scale.js';
import { tonesOf } from '../src/curves.js';
import { anchorIn, lossOf } from '../src/iterations.js';
import { createModel } from '../src/model.js';
import { tabTexts } from '../src/paint-frame.js';
import { isRepeated, openedCard, readRolled, shortTitle, twinOf } from '../src/rolled.js';
import { brief, readSpark, sparkLines, troubleAt, valueAt } from '../src/sparks.js';
import { stopFrom } from '../src/step-targets.js';
import { createStore, held, take } from '../src/store.js';
import { besideKnob, cutOut } from '../src/timeline.js';
import { createWindows } from '../src/windows.js';
import { messageOf, rolledRun } from './rolled-run.mjs';

const loop = (id, starts, more = {}) => ({ id, title: `for ${id} in data`, where: 'line 3', kind: 'time', parent: '', starts, outer: starts.map(() => -1), total: starts.length, ...more });
const steps = (lines) => lines.map((line) => ({ cell: 0, span: [line, 0, line, 9], phase: 0 }));
const read = (loops, lines, more = {}) => readRolled({ main: loops[0].id, on: true, loops, ...more }, { steps: steps(lines), segments: [{ kind: 'forward', from: 0 }], last: lines.length - 1 });

test('a run that says nothing of loops is none, and one that is not to be rolled is not', () => {
  assert.equal(readRolled(undefined), null);
  assert.equal(readRolled({ on: true, main: 'gone', loops: [] }).on, false);
  assert.equal(createModel({ ...rolledRun({ on: false }) }).rolled.on, false);
});

test('the iteration of a step is the last that has begun, and its steps go to where the next one or the one around it ends', () => {
  const rolled = read([loop('outer', [2, 8]), loop('inner', [3, 5, 9, 10], { parent: 'outer', outer: [0, 0, 1, 1] })], Array(14).fill(1));
  const [outer, inner] = rolled.loops.values();
  assert.deepEqual([0, 2, 7, 8, 13].map((step) => rolled.at(outer, step)), [-1, 0, 0, 1, 1]);
  assert.deepEqual([0, 1, 2, 3].map((row) => rolled.range(inner, row)), [{ from: 3, to: 4 }, { from: 5, to: 7 }, { from: 9, to: 9 }, { from: 10, to: 13 }]);
  assert.deepEqual(rolled.within(inner, 3), { first: 2, at: 1, of: 2 });
  assert.deepEqual(rolled.chain(9).map(({ id }) => id), ['outer', 'inner']);
  assert.deepEqual([rolled.called(outer, 1), rolled.called(inner, 3)], [{ first: 0, at: 1, of: 2 }, { first: 2, at: 1, of: 2 }]);
});

test('a card for many of an iteration can be opened, and its group says which card it was', () => {
  const model = createModel(rolledRun({ iterations: 4, inner: 2, nan: null }));
  assert.deepEqual(model.nodes.filter(isRepeated).map(({ id }) => id), ['pt64'], 'what has no key of a card cannot');
  assert.equal(openedCard('D0:3/pt64'), 'pt64');
  assert.equal(openedCard('Mmodel/Mpt'), undefined);
  assert.equal(openedCard('pt64/pt12–'), undefined, 'a range of its members is an ordinary group');
});

test('a node is found under the name that it has where a loop is turned', () => {
  assert.deepEqual([twinOf('pt12'), twinOf('t12'), twinOf('pn3')], ['t12', 'pt12', 'n3']);
  const model = createModel(rolledRun({ iterations: 4, inner: 2, nan: null }));
  assert.equal(model.stand('t64'), 'pt64');
  assert.equal(model.stand('t65'), null);
});

test('what stays where it is when a loop is turned is in sight', () => {
  const model = createModel(rolledRun({ iterations: 4, inner: 2, nan: null }));
  const seen = (left, selected) => anchorIn({ model, view: { selected, area: { left, right: left + 400, top: 0, bottom: 700 } } }, 'inner');
  assert.equal(seen(0, null), 'p1', 'the leftmost of the loop, not what stands before it');
  assert.equal(seen(0, 'bx'), 'bx');
  assert.equal(seen(400, 'bx'), 'p2', 'what is selected is out of sight');
  assert.equal(anchorIn({ model, view: { selected: null, area: null } }, 'pt64'), 'pt64');
});

test('the bar has the iteration of a step, or what lies between two, before the first or after the last', () => {
  const rolled = read([loop('a', [2, 6], { ends: [4, 8] })], Array(11).fill(1));
  assert.deepEqual([0, 3, 5, 8, 10].map((step) => rolled.spanAt(step)), [
    { from: 0, to: 1, row: -1 }, { from: 2, to: 4, row: 0 }, { from: 5, to: 5, row: -1 }, { from: 6, to: 8, row: 1 }, { from: 9, to: 10, row: -1 },
  ]);
});

test('another iteration is seen at the same moment: the same line, as often as it was there before', () => {
  const rolled = read([loop('a', [0, 4, 9])], [5, 6, 6, 7, 5, 6, 8, 6, 7, 5, 7, 9]);
  const [a] = rolled.loops.values();
  assert.equal(rolled.stepOf(a, 1, 0), 4);
  assert.equal(rolled.stepOf(a, 1, 1), 5);
  assert.equal(rolled.stepOf(a, 1, 2), 7, 'the second time on line 6, although it is later there');
  assert.equal(rolled.stepOf(a, 1, 3), 8, 'the end is the end');
  assert.equal(rolled.stepOf(a, 2, 3), 11, 'even if its line comes earlier there');
  assert.equal(rolled.stepOf(a, 2, 2), 11, 'what is not there is the end');
  assert.equal(rolled.stepOf(a, 0, 7), 2);
  assert.equal(rolled.beside(a, 0, -1), undefined);
  assert.equal(rolled.beside(a, 2, 1), 7);
});

test('a moment of the same kind at the same distance may be another one', () => {
  const rolled = read([loop('a', [0, 4])], [5, 6, 6, 7, 5, 8, 6, 6, 7]);
  assert.equal(rolled.stepOf(rolled.main, 1, 2), 7);
});

test('from before the loop an iteration is seen at its end', () => {
  const rolled = read([loop('a', [2, 4])], [1, 1, 5, 6, 5, 6]);
  assert.equal(rolled.stepOf(rolled.main, 0, 0), 3);
});

test('a step of one iteration goes to the next, and to the end after the last', () => {
  const model = createModel(rolledRun({ iterations: 4, inner: 2, nan: null }));
  assert.equal(stopFrom(model, 3, 1, 'iteration'), 16);
  assert.equal(stopFrom(model, 3 + 3 * 13, 1, 'iteration'), model.last);
  assert.equal(stopFrom(model, 3, -1, 'iteration'), 0);
});

test('jumps go to the first mark of a kind, changes of shape to the next', () => {
  const marks = [['shape', 9], ['nan', 7], ['shape', 4], ['nan', 5]].map(([kind, step]) => ({ kind, step, iteration: 0 }));
  const rolled = read([loop('a', [0, 4])], Array(11).fill(1), { marks });
  assert.equal(rolled.jump('nan', 9).step, 5);
  assert.deepEqual([0, 4, 9].map((step) => rolled.jump('shape', step).step), [4, 9, 4]);
  assert.equal(rolled.jump('inf', 0), undefined);
  assert.deepEqual(rolled.jumps().map(({ kind }) => kind), ['nan', 'shape']);
});

test('loops that are around each other are bad data, not an end without end', () => {
  const rolled = read([loop('a', [0], { parent: 'b', kind: 'depth' }), loop('b', [0], { parent: 'a', kind: 'depth' })], [1]);
  assert.equal(rolled.around(rolled.main), null);
});

test('a loop is called by its word and line, its tab says as much as there is room for', () => {
  assert.equal(shortTitle({ title: 'for bx, by in loader', where: 'line 47' }), 'for, line 47');
  const { rolled, frames } = createModel(rolledRun());
  const step = rolled.main.starts[137];
  assert.deepEqual(tabTexts(frames[0], rolled, step), ['line 47 · iteration 137 of 200 · 58 operations', 'line 47 · iteration 137 of 200', 'iteration 137 of 200', '137 of 200']);
  assert.equal(tabTexts(frames[0], rolled, 0)[2], '200 iterations');
});

test('a sparkline knows where it is odd, and breaks where there is no number', () => {
  const spark = readSpark({ value: [1, 2, null, 4], grad: null, bad: [[2, 'nan'], [5, 'nan'], [6, 'inf'], [7, 'inf']] }, 8);
  assert.deepEqual(spark.ranges, [[2, 2, 'nan'], [5, 5, 'nan'], [6, 7, 'inf']]);
  assert.deepEqual([spark.first, troubleAt(spark, 6), troubleAt(spark, 4)], [2, 'inf', undefined]);
  assert.deepEqual(sparkLines(spark.value, { left: 0, top: 0, width: 3, height: 3 }), [[[0, 3], [1, 2]], [[3, 0]]]);
  assert.deepEqual([0, 2, 7, -1].map((iteration) => valueAt(spark, 'value', iteration)), [1, 2, 4, null]);
  assert.equal(spark.grad, null);
  assert.equal(readSpark(null, 3), null);
});

test('from afar a sparkline has few points, the last one among them', () => {
  const { value } = readSpark({ value: Array.from({ length: 100 }, (_, at) => at), bad: [] }, 100);
  const [line] = sparkLines(value, { left: 0, top: 0, width: 99, height: 1 }, true);
  assert.ok(line.length <= 26, `${line.length} points`);
  assert.deepEqual(line.at(-1), [99, 0]);
});

test('a series over many decades is logarithmic, one that never changes is in the middle', () => {
  const at = (values) => sparkLines(readSpark({ value: values, bad: [] }, values.length).value, { left: 0, top: 0, width: 2, height: 4 })[0].map(([, y]) => Math.round(y * 100) / 100);
  assert.deepEqual(at([1, 100, 10000]), [4, 2, 0]);
  assert.deepEqual(at([7, 7, 7]), [2, 2, 2]);
});

test('numbers are written briefly', () => {
  assert.deepEqual([0, 0.123456, 1234567, 0.00001, null].map(brief), ['0', '0.1235', '1.23e+6', '1.00e-5', null]);
});

test('rows of a card stand at its lower edge, those without room are counted', () => {
  const box = { left: 0, right: 176, top: 0, bottom: 142 };
  const { boxes, more, rest } = rowBoxes(box, 2);
  assert.deepEqual([boxes.at(-1), more, rest], [{ left: 9, right: 167, top: 114, bottom: 136 }, 0, null]);
  assert.ok(boxes[0].bottom < boxes[1].top && boxes[0].top > 70, 'below value and gradient');
  const crowded = rowBoxes(box, 9);
  assert.deepEqual([crowded.boxes.length, crowded.more], [1, 8]);
  assert.ok(crowded.rest.bottom <= 136);
  assert.deepEqual(rowBoxes({ ...box, bottom: 40 }, 2), { boxes: [], more: 2, rest: null });
});

test('a parameter in a card is found under the pointer and by its key, and is no card of its own', () => {
  const model = createModel(rolledRun());
  const row = model.node.get('w1');
  assert.equal(model.nodeAt(row.x, row.y).id, 'w1');
  assert.equal(model.nodeAt(row.x, row.host.box.top + 5).id, 'p1');
  assert.equal(model.nodes.some(({ id }) => id === 'w1'), false);
  model.show(model.rolled.range(model.rolled.main, 20).to);
  assert.match(row.face.grad, /^0\.\d+$/);
});

test('what a card shows of an earlier iteration is told apart', () => {
  const model = createModel(rolledRun());
  const { starts } = model.rolled.main;
  model.show(starts[20]);
  assert.deepEqual([model.node.get('p1').old, model.node.get('p1').iteration], [true, 20]);
  model.show(starts[20] + 1);
  assert.deepEqual([model.node.get('p1').old, model.node.get('p2').old], [false, true]);
});

test('outside the window of the histories only the curves are known, and nothing old is shown', () => {
  const payload = rolledRun({ window: [1000, 1100] });
  const model = createModel(payload);
  model.show(1050);
  assert.equal(model.known, true);
  assert.match(model.node.get('p1').face.value, /±/);
  model.show(1500);
  const { face, old } = model.node.get('p1');
  assert.deepEqual([model.known, old], [false, true]);
  assert.equal(face.value, brief(valueAt(model.node.get('p1').spark, 'value', model.node.get('p1').iteration)));
  model.show(model.last);
  assert.equal(model.node.get('p1').face.value, 'nan', 'that it was NaN is known');
  model.show(1050);
  assert.match(model.node.get('p1').face.value, /±/);
});

test('windows that came are kept: a later one is the same as everything at once', () => {
  const [all, parts] = [createModel(rolledRun()), createModel(rolledRun({ window: [1000, 1100] }))];
  parts.learn([1090, 1200], rolledRun({ window: [1090, 1200] }));
  for (const step of [1000, 1050, 1100, 1101, 1150, 1200, 1020]) {
    all.show(step);
    parts.show(step);
    assert.deepEqual(parts.nodes.map(({ face, old }) => [face, old]), all.nodes.map(({ face, old }) => [face, old]), `step ${step}`);
  }
});

test('what was made in an iteration before is old, whatever else happened to it since, and what was made again is not', () => {
  const run = rolledRun({ window: [1000, 1100] });
  const model = createModel(run);
  const loop = model.rolled.main;
  const [from, to] = [loop.starts[5], loop.starts[6] - 1];
  const { id, history } = run.nodes.find((each) => each.loop === loop.id);
  const same = history[0][1];
  model.learn([from, to], { nodes: [{ id, history: [[from - 1, same], [from + 1, { ...same, grad: '1' }]], made: [from - 9, from + 3] }], edges: [] });
  const card = model.node.get(id);
  const told = [from, from + 1, from + 3].map((step) => {
    model.show(step);
    return card.old;
  });
  assert.deepEqual(told, [true, true, false], 'though its value is the same as before');
});

test('windows are asked for their steps, and the oldest go', () => {
  const windows = createWindows();
  windows.add([0, 9], [{ id: 'a', history: [[0, 1]], rows: [{ key: 'r', history: [[0, 2]] }] }], [{ id: 'e', history: [] }]);
  windows.add([8, 20], [{ id: 'a', history: [[8, 3]], made: [8] }], []);
  const kept = [{ history: [[0, 2]], made: null }, { history: [[8, 3]], made: [8] }, null];
  assert.deepEqual([windows.at(5).nodes.get('r'), windows.at(20).nodes.get('a'), windows.at(21)], kept);
  assert.deepEqual([windows.cover(3, 20), windows.cover(3, 21), windows.cover(21, 22)], [true, false, false]);
  windows.add([21, 25], [], []);
  assert.equal(windows.cover(3, 25), true);
  assert.deepEqual(windows.add([100, 11_000], [], []), []);
  windows.at(5);
  assert.deepEqual(windows.add([20_000, 21_100], [], []), [[8, 20], [21, 25], [100, 11_000]], 'not what was looked at since');
  assert.deepEqual([windows.size, windows.at(200)], [2, null]);
  assert.deepEqual(windows.add([30_000, 50_000], [], []), [[0, 9], [20_000, 21_100]], 'but never the last one');
  assert.equal(windows.size, 1);
});

test('captions go with the last window that they are in, details of gradients come with theirs', () => {
  const run = rolledRun({ window: [1000, 1100] });
  const steps = Object.assign([...run.steps], { forget: (step) => forgotten.push(step) });
  const forgotten = [];
  const model = createModel({ ...run, steps });
  const edge = run.edges[0].id;
  model.learn([1090, 1110], { nodes: [], edges: [{ id: edge, history: [], details: { 1105: ['a line'] } }] });
  model.show(1105);
  assert.deepEqual(model.edges[0].details, { 1105: ['a line'] });
  model.show(1020);
  assert.deepEqual(model.edges[0].details, {});
  model.learn([2000, 13_890], { nodes: [], edges: [] });
  assert.deepEqual([forgotten.length, forgotten.at(0), forgotten.at(-1)], [10, 1101, 1110]);
});

test('a picture that is kept is that of its own window, and Python is told which', () => {
  const memory = createStore();
  const first = take(messageOf({ iterations: 3, window: [0, 20] }), memory);
  const { rev, tape, total } = first;
  assert.deepEqual(held(first, memory).window, [0, 20]);
  const told = { window: [20, 40], nodes: [], edges: [] };
  const again = take({ rev, tape, total, told }, memory);
  assert.deepEqual([again.rolled.window, again.told.window], [[0, 20], [20, 40]]);
  assert.deepEqual([again.nodes, again.legend, again.sites], [first.nodes, first.legend, first.sites]);
  assert.deepEqual(held(again, memory).window, [20, 40]);
  assert.equal(held(again, memory).found, false);
  const found = { marks: [], nodes: {} };
  take({ rev, tape, total, found }, memory);
  assert.deepEqual([held(again, memory).found, take({ rev, tape, total }, memory).found], [true, found], 'a player that is put in its place has them, too');
});

test('the structure of a very long run comes first, with its loops and frames', () => {
  const { run, drawn, moments, ...message } = messageOf({ iterations: 3 });
  const bare = drawn.nodes.map(({ history, spark, rows, ...card }) => card);
  const { main, on, worth, file, loops, frames } = drawn.rolled;
  const outline = { ...drawn, nodes: bare, rolled: { main, on, worth, file, loops, frames, curves: [], marks: [], window: null, origins: [] } };
  const store = createStore();
  const model = createModel(take({ ...message, drawn: outline, sketch: { segments: run.segments, focus: ['p5'] } }, store));
  model.show(model.last);
  assert.deepEqual([model.sketch, model.frames.length, model.rolled.loops.size, model.focusAt(model.last)], [true, 1, 3, ['p5']]);
  assert.equal(model.nodes.every(({ face }) => face.value === null), true);
  assert.equal(held({ ...message, focus: [] }, store).sketch, message.rev);
  assert.notEqual(take({ ...message, run, drawn, moments }, store), null);
});

test('captions come for a window of steps', () => {
  const memory = createStore();
  const steps = [1, 2, 3].map((line) => ({ span: [line], caption: [] }));
  const moments = { captions_from: 1, captions: [[['two', 'plain']], [['three', 'plain']]] };
  take({ tape: 'r', rev: 'a', run: { steps }, drawn: { nodes: [], edges: [] }, moments }, memory);
  assert.deepEqual(steps.map(({ caption }) => caption.length), [0, 1, 1]);
});

test('segments are cut at the ends of an iteration', () => {
  const segments = [[0, 4], [5, 9], [10, 14], [15, 19]].map(([from, to]) => ({ from, to, kind: 'forward' }));
  const model = { segments, starts: segments.map(({ from }) => from) };
  assert.deepEqual(cutOut(model, { from: 7, to: 15 }).map(({ from, to }) => [from, to]), [[0, 2], [3, 7], [8, 8]]);
  assert.deepEqual(cutOut(model, { from: 0, to: 19 }).length, 4);
});

test('curves zoom around a point, move, and stay within the run', () => {
  assert.deepEqual(zoomed({ from: 0, to: 99 }, 100, 0.5, 0), { from: 0, to: 49.5 });
  assert.deepEqual(zoomed({ from: 40, to: 60 }, 100, 100, 0.5), { from: 0, to: 99 });
  assert.deepEqual(zoomed({ from: 40, to: 60 }, 100, 0.001, 0.5), { from: 46, to: 54 });
  assert.deepEqual(moved({ from: 10, to: 30 }, 100, -50), { from: 0, to: 20 });
  assert.deepEqual(between(70, 20, 100), { from: 20, to: 70 });
});

test('a curve is scaled by what is in view, and keeps extremes where many iterations fall on one pixel', () => {
  const share = scaleOf({ values: [-5, 1, 10, 1000, null, 5], log: true }, { from: 0, to: 3 });
  assert.deepEqual([share(1), Math.round(share(10) * 100), share(1000), share(null), share(-1)], [0, 33, 1, null, null]);
  assert.equal(scaleOf({ values: [null, null], log: false }, { from: 0, to: 1 }), null);
  const values = Array.from({ length: 10_000 }, (_, at) => (at === 5000 ? 1 : at % 2 ? 0.2 : 0.1));
  const [line] = curveLines(values, (value) => value, { from: 0, to: 9_999 }, 100);
  assert.ok(line.length <= 210);
  assert.ok(line.some(([, y]) => y === 1), 'a single peak is seen');
  assert.deepEqual(curveLines([0, null, 1], (value) => value, { from: 0, to: 2 }, 2), [[[0, 0]], [[2, 1]]]);
});

test('ticks are round, and as many as there is room for', () => {
  assert.deepEqual(ticksOf({ from: 0, to: 199 }, 5), [0, 50, 100, 150]);
  assert.deepEqual(ticksOf({ from: 0.5, to: 3 }, 10), [1, 2, 3]);
});

test('from the first NaN on, what has no number is marked, to the end if it stays so', () => {
  const marks = [{ kind: 'nan', iteration: 2 }, { kind: 'inf', iteration: 5 }];
  assert.deepEqual(badRanges([{ values: [1, null, null, null, 2, null] }], marks, 6), [[2, 3, 'nan', false], [5, 5, 'inf', true]]);
  assert.deepEqual(badRanges([{ values: [null, 1] }], [], 2), []);
  assert.deepEqual(badRanges([{ values: [1, 2] }], [{ kind: 'nan', iteration: -1 }], 2), [], 'what was before the loop');
});

test('every curve has a colour of its own', () => {
  const tones = tonesOf([{ tone: 'loss' }, { tone: '' }, { tone: 'grad' }, { tone: 'rate' }]);
  assert.deepEqual(tones.slice(0, 2), ['blue', 'orange']);
  assert.equal(new Set(tones).size, 4);
});

test('a rolled run is looked at from the beginning of its main loop', () => {
  const model = createModel(rolledRun());
  model.bounds = { left: -500, top: -200, right: 2000, bottom: 1200 };
  const seen = beginningOf(model, { width: 700, height: 300 });
  const [frame] = model.frames;
  assert.equal(seen.top, frame.around.top, 'with the title of the loop');
  const { box } = model.node.get('p1');
  assert.ok(seen.left < box.left && seen.right > model.node.get('p3').box.right, 'all layers');
  assert.ok(seen.left >= frame.box.left - 20);
  const unrolled = createModel(rolledRun({ on: false }));
  const begins = beginningOf(unrolled, { width: 700, height: 300 });
  assert.equal(begins.top, unrolled.bounds.top, 'without a loop, its upper edge');
  assert.ok(unrolled.nodes.some(({ box }) => box.left >= begins.left && box.right <= begins.right && box.top >= begins.top && box.bottom <= begins.bottom));
});

test('the loss of a mark is what it led to, else that of the run', () => {
  const run = rolledRun();
  for (const node of run.nodes) if (node.id === 'p5' || node.id === 'p7') node.tone = 'root';
  const model = createModel(run);
  assert.equal(lossOf(model, ['p6']).id, 'p7');
  assert.equal(lossOf(model, []).id, 'p5', 'not what one iteration has alone');
});

test('a label makes room for the knob', () => {
  const middle = { left: 0, right: 200, text: 'backward 1' };
  assert.deepEqual(besideKnob('backward 1', 0, 200, 300), middle, 'it stands elsewhere');
  assert.deepEqual(besideKnob('backward 1', 0, 200, 20), middle, 'or in the segment, but not in the text');
  assert.deepEqual(besideKnob('backward 1', 0, 200, 110), { left: 0, right: 105, text: 'backward 1' });
  assert.deepEqual(besideKnob('backward 1', 0, 200, 90), { left: 95, right: 200, text: 'backward 1' });
  assert.equal(besideKnob('backward 1', 0, 90, 50).text, 'bwd 1', 'shorter where there is less room');
  assert.equal(besideKnob('backward 12', 0, 30, 15).text, '', 'and none where there is none');
});
