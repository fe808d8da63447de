/** Paints what a player is sent, at zoom 1 and with nothing chosen: `node scene.mjs FILE`, where FILE holds [{message, step, dark}] as JSON. */

import { readFileSync } from 'node:fs';

import { RecordingCanvas } from './recording-canvas.mjs';
import { fontsOf } from '../src/fonts.js';
import { createModel } from '../src/model.js';
import { paletteOf } from '../src/palette.js';
import { paintNode } from '../src/paint-card.js';
import { paintBehind, paintInFront } from '../src/paint-scene.js';
import { createState } from '../src/state.js';
import { createStore, take } from '../src/store.js';

const EVERYWHERE = { left: -1e6, top: -1e6, right: 1e6, bottom: 1e6 };

function painted({ message, step, dark }) {
  const store = createStore();
  const { view } = createState(store);
  const model = createModel(take(message, store));
  model.show(step);
  const palette = paletteOf(dark, 'sans');
  const first = model.rolled?.marks.find(({ kind }) => kind === 'nan' || kind === 'inf');
  Object.assign(view, {
    palette,
    fonts: fontsOf(palette.font),
    area: EVERYWHERE,
    step,
    focus: new Set(model.focusAt(step)),
    focusKind: model.segments[model.steps.at(step)?.phase]?.kind ?? 'other',
    origins: new Set(model.rolled?.on && first ? model.rolled.origins?.map(model.stand) : []),
  });
  const ctx = new RecordingCanvas();
  const lively = paintBehind(ctx, model, view);
  for (const node of model.nodes) paintNode(ctx, node, view);
  paintInFront(ctx, model, lively, view);
  return ctx.drawn;
}

const wanted = JSON.parse(readFileSync(process.argv[2], 'utf8'));
process.stdout.write(JSON.stringify(wanted.map(painted)));
