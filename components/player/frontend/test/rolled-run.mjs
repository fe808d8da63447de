/**
 * A training run as the player is sent it when it is rolled: `while`, in it `for bx, by in loader` with a model of three layers, in
 * one iteration a logarithm of a negative number, and NaN from there on. Made here, with numbers that only look like chance.
 */

const OPERATIONS = [
  // line, kind of segment, node that the step is about
  [47, 'forward', 'bx'], [48, 'forward', 'p1'], [48, 'forward', 'p2'], [48, 'forward', 'p3'], [48, 'forward', 'p4'], [49, 'forward', 'p5'],
  [52, 'other', 'opt'], [53, 'backward', 'p5'], [53, 'backward', 'p4'], [53, 'backward', 'p3'], [53, 'backward', 'p2'], [53, 'backward', 'p1'],
  [54, 'step', 'opt'],
];
const TROUBLE = [[51, 'forward', 'p6'], [51, 'forward', 'p7']];

/** A number between 0 and 1 that is always the same for a place. */
const noise = (seed) => {
  const value = Math.sin(seed * 12.9898) * 43758.5453;
  return value - Math.floor(value);
};

/**
 * @param {object} size   iterations in all, iterations of the inner loop in one of the outer, the one where the NaN begins (or null),
 *                        the steps whose histories come along (or null for all), further cards
 */
export function rolledRun({ iterations = 200, inner = 8, nan = 137, window = null, extra = 0, on = true } = {}) {
  const steps = [];
  const segments = [];
  const [starts, ends, outer] = [[], [], []];
  const [epochs, lasts] = [[], []];
  const put = (line, kind, focus, text) => {
    if (segments.at(-1)?.kind !== kind || segments.at(-1)?.cut) {
      if (segments.length) segments.at(-1).to = steps.length - 1;
      segments.push({ from: steps.length, to: 0, kind, label: kind === 'backward' ? `backward ${starts.length}` : kind === 'other' ? '' : kind });
    }
    steps.push({ phase: segments.length - 1, cell: 0, span: [line, 4, line, 30], caption: [[text, 'plain']], focus: [focus] });
  };
  put(45, 'forward', 'w1', 'The model is made');
  put(45, 'forward', 'w1', 'and its parameters');
  for (let at = 0; at < iterations; at += 1) {
    if (at % inner === 0) {
      if (epochs.length) lasts.push(steps.length - 1);
      epochs.push(steps.length);
    }
    starts.push(steps.length);
    outer.push(epochs.length - 1);
    segments.at(-1).cut = true;
    for (const [line, kind, focus] of OPERATIONS.toSpliced(6, 0, ...(at === nan ? TROUBLE : []))) put(line, kind, focus, `Iteration ${at}, line ${line}`);
    ends.push(steps.length - 1);
  }
  lasts.push(steps.length - 1);
  segments.at(-1).cut = true;
  put(58, 'forward', 'w1', 'The end');
  segments.at(-1).to = steps.length - 1;

  const bad = (at) => nan !== null && at >= nan;
  const falling = (seed, from, to) => Array.from({ length: iterations }, (_, at) => (
    bad(at) ? null : to + (from - to) * Math.exp((-4 * at) / iterations) * (0.85 + 0.3 * noise(seed * 1000 + at))));
  const loss = falling(1, 3.6, 0.4);
  const norm = falling(2, 8, 0.02);
  const rate = Array.from({ length: iterations }, (_, at) => 0.01 * 0.5 ** Math.floor((4 * at) / iterations));
  const troubles = Array.from({ length: iterations }, (_, at) => [at, 'nan']).filter(([at]) => bad(at));
  const spark = (seed, grad = true) => ({ value: sampled(falling(seed, 1, 0.1)), grad: grad ? sampled(falling(seed + 50, 0.5, 0.01)) : null, bad: troubles });
  const [first, last] = window ?? [0, steps.length - 1];

  /** What a card shows: its value from the step that makes it, its gradient from that of the pass, of each iteration. */
  function history(seed, made, came, scalar = false) {
    const found = [];
    for (let at = 0; at < iterations; at += 1) {
      const value = bad(at) ? 'nan' : scalar ? loss[at].toPrecision(4) : `${(0.6 * noise(seed + at)).toFixed(2)} ± ${(0.2 + noise(seed * 7 + at)).toFixed(2)}`;
      const shift = at === nan && made >= 6 ? 2 : 0;
      found.push([starts[at] + made + shift, { value, grad: null, state: '' }]);
      if (came !== null) found.push([starts[at] + came + (at === nan ? 2 : 0), { value, grad: bad(at) ? 'nan' : (0.4 * noise(seed * 3 + at)).toPrecision(3), state: '' }]);
    }
    const before = found.findLast(([step]) => step < first);
    return [...(before ? [before] : []), ...found.filter(([step]) => step >= first && step <= last)];
  }

  const parameter = (key, title, seed) => ({ key, title, tone: 'leaf', spark: spark(seed), history: history(seed, 0, 10) });
  const card = (id, x, y, h, title, badge, sub, seed, made, came, more = {}) => ({
    id, x, y, w: 186, h, shape: 'card', tone: 'result', title, badge, sub, op: badge, born: starts[0] + made, loop: 'inner', some: '', times: 1,
    rows: [], spark: spark(seed), history: history(seed, made, came, more.scalar), sites: [], ...more,
  });
  const nodes = [
    card('bx', 60, 152, 64, 'bx', '', 'float32 [32×8]', 5, 0, null, { w: 130, loop: '', spark: null, tone: 'constant', history: [[2, { value: null, grad: null, state: '' }]] }),
    card('by', 60, 462, 64, 'by', '', 'float32 [32]', 6, 0, null, { w: 130, loop: '', spark: null, tone: 'constant', history: [[2, { value: null, grad: null, state: '' }]] }),
    card('p1', 282, 174, 142, 'fc1', 'Linear 8→32', '[32×32] · line 22', 11, 1, 11, { rows: [parameter('w1', 'weight', 21), parameter('b1', 'bias', 22)] }),
    card('p2', 504, 174, 142, 'bn1', 'BatchNorm1d', '[32×32] · train mode', 12, 2, 10, { rows: [parameter('w2', 'weight', 23), parameter('b2', 'bias', 24)] }),
    card('p3', 726, 174, 142, 'relu, fc2', 'Linear 32→32', '[32×32] · line 24', 13, 3, 9, { rows: [parameter('w3', 'weight', 25), parameter('b3', 'bias', 26)] }),
    card('p4', 726, 392, 168, 'transformer.h.0.attn.c_attn.head', 'Head', '[32×1] · 4 operations', 14, 4, 8, {
      rows: [parameter('w4', 'transformer.h.0.attn.c_attn.weight', 27), parameter('b4', 'scale', 28), parameter('b5', 'out.bias', 29)], times: 4,
    }),
    card('p5', 504, 372, 88, 'loss', 'MseLossBackward0', '[] · line 49 · [32×1] and [32]', 15, 5, 7, { scalar: true }),
    card('p7', 282, 372, 88, 'loss', 'AddBackward0', 'line 51', 16, 7, null, { some: 'in 1 of 200 iterations', born: starts[nan ?? 0] + 7, history: nan === null ? [] : [[starts[nan] + 7, { value: 'nan', grad: '1', state: '' }]] }),
    card('p6', 282, 500, 70, 'log(bx[0, 1])', 'LogBackward0', 'line 51', 17, 6, null, {
      some: 'in 1 of 200 iterations', born: starts[nan ?? 0] + 6, history: nan === null ? [] : [[starts[nan] + 6, { value: 'nan', grad: null, state: '' }]], tone: 'result',
      spark: { value: null, grad: null, bad: nan === null ? [] : [[nan, 'nan']] },
    }),
    card('opt', 615, 545, 88, 'optimizer.step()', 'Adam · 11 parameters', 'line 54', 18, 12, null, {
      w: 408, spark: { value: sampled(rate), grad: sampled(falling(31, 1, 0.01)), bad: troubles },
      history: history(18, 12, null).map(([step, face]) => [step, { ...face, valueLabel: 'lr', value: '0.0025', grad: face.value === 'nan' ? 'nan' : '0.012', gradLabel: 'moved' }]),
    }),
    { ...card('pt64', 945, 174, 34, 'select', '', '', 19, 1, null), shape: 'pill', w: 118, times: 64, spark: spark(33, false) },
    ...Array.from({ length: extra }, (_, at) => card(`e${at}`, 282 + 222 * (at % 20), 760 + 170 * Math.floor(at / 20), 142, `layer ${at}`, 'Linear', '[32×32]', 100 + at, 1, 9, { rows: [parameter(`v${at}`, 'weight', 200 + at)] })),
  ];
  const edge = (from, to, route, more = {}) => ({ id: `${from}>${to}>0`, from, to, route, kind: 'data', born: 0, far: false, history: [], carried: false, some: '', ...more });
  const edges = [
    edge('bx', 'p1', [[125, 152], [189, 152]]), edge('p1', 'p2', [[375, 152], [411, 152]]), edge('p2', 'p3', [[597, 152], [633, 152]]),
    edge('p3', 'p4', [[726, 245], [726, 308]]), edge('p4', 'p5', [[633, 372], [597, 372]]), edge('p5', 'p7', [[411, 372], [375, 372]], { some: 'in 1 of 200 iterations' }),
    edge('p6', 'p7', [[282, 465], [282, 416]], { some: 'in 1 of 200 iterations' }), edge('by', 'p5', [[125, 462], [440, 440], [504, 416]]),
    edge('opt', 'p1', [[411, 545], [170, 600], [150, 330], [230, 245]], { carried: true }), edge('pt64', 'p3', [[886, 174], [819, 174]]),
  ];
  const main = { id: 'inner', title: 'for bx, by in loader', where: 'line 47', parent: 'outer', kind: 'time', total: iterations, starts, ends, outer, shown: true,
    reason: 'All 200 iterations use the same parameters: fc1.weight, fc1.bias and 9 more.' };
  const around = { id: 'outer', title: 'while step < 200:', where: 'line 46', parent: '', kind: 'time', total: epochs.length, starts: epochs, ends: lasts,
    outer: epochs.map(() => -1), shown: true, reason: 'Its iterations run the same loop over the same parameters.' };
  const depth = { id: 'layers', title: 'for layer in self.layers', where: 'line 20', parent: 'inner', kind: 'depth', total: 3, starts: [], outer: [], shown: true,
    reason: 'Each iteration uses parameters of its own, so the layers stand side by side.' };
  const mark = (kind, iteration, title, step = ends[iteration]) => ({ kind, loop: 'inner', iteration, step, title });
  return {
    rev: 'rolled', picture: 'rolled', tape: 'rolled', direction: 'LR', view: 'tensors', total: steps.length, nodes, edges,
    network: { nodes: [], edges: edges.map(({ id, from, to }) => ({ id, from, to })), options: {} },
    steps, segments, lines: ends, queues: [], sites: {}, legend: [{ tone: 'result', label: 'result' }, { tone: 'constant', label: 'no gradient' }, { edge: 'data', label: 'data' }], fold: { any: false, opened: [] },
    rolled: {
      main: 'inner', on, worth: true, file: 'train.py', loops: [around, main, depth],
      frames: [{ loop: 'inner', x: 597, y: 340, w: 850, h: 540, title: 'for bx, by in loader', nodes: 58 }],
      curves: [
        { name: 'loss', tone: 'loss', log: false, values: loss },
        { name: 'gradient norm', tone: 'grad', log: true, values: norm },
        { name: 'learning rate', tone: 'rate', log: false, values: rate },
      ],
      marks: [
        ...(nan === null ? [] : [
          mark('nan', nan, 'log of a negative number (−0.5451), line 51', starts[nan] + 6), mark('last-good', nan - 1, ''), mark('shape', nan, 'line 51 runs in this iteration only', starts[nan] + 6),
        ]),
        mark('largest', 3, 'the largest gradient: 7.61'), mark('finding', 20, 'loss broadcasts [32×1] with [32]'),
      ],
      window,
    },
  };
}

/** At most a hundred points of a curve. */
function sampled(values) {
  const points = Math.min(100, values.length);
  return Array.from({ length: points }, (_, at) => values[Math.round((at * (values.length - 1)) / Math.max(1, points - 1))]);
}

/** The same as Python sends it, in parts. */
export function messageOf(size) {
  const { rev, tape, total, steps, segments, lines, queues, ...drawn } = rolledRun(size);
  return { rev, tape, total, run: { steps, segments, lines, queues }, drawn, moments: { captions: [], captions_from: 0 } };
}
