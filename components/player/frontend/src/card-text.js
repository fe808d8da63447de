/** What is written on cards and pills: names, and rows of values and gradients with their curves. */

import { CARD, PILL, ROWS, SPARK } from './design.js';
import { WORD } from './letters.js';
import { paintSpark, troubleAt } from './sparks.js';
import { clean, fitArguments, fitBadge, fitEnd, fitMiddle, fitNumber, isNumber, namedValue, shorterNumbers, textWidth, write } from './text.js';

/** What stands between what has come of a gradient and what is still on its way. */
const PENDING = ' + …';

/** The colour of a text that says NaN or Inf, or null. */
export function troubleColour(text, palette) {
  if (text == null) return null;
  if (/nan/i.test(text)) return palette.red;
  return /\binf/i.test(text) ? palette.amber : null;
}

/** What stands between a name and its number, and how many letters must be left of the name where both do not fit. */
const [NAMED, NAME] = [' = ', 4];

const nameOf = (node) => clean(node.face.title ?? node.title);

/** "× 64", or nothing. */
const timesText = ({ times }) => (times > 1 ? ` × ${times}` : '');

/** "NaN begins here", at the node that the first NaN or Inf of a run came from, in the iteration in which it did. */
function beginsText(node, { origins }) {
  const kind = origins?.has(node.id) && node.spark && node.spark.first === node.iteration && !node.ghost ? troubleAt(node.spark, node.iteration) : undefined;
  return kind ? `${kind === 'inf' ? 'Inf' : 'NaN'} begins here` : '';
}

/** A pill's name and value, its curve, and what stands under it. */
export function pillText(ctx, node, glows, view) {
  const { palette, fonts } = view;
  pillSpark(ctx, node, view);
  const { face } = node;
  const space = node.w - 2 * PILL.padding;
  const times = timesText(node);
  const title = fitArguments(fonts.pill, nameOf(node), space - textWidth(fonts.pill, times)) + times;
  const used = textWidth(fonts.pill, title);
  const value = face.value && space - used > PILL.least ? fitNumber(fonts.row, clean(face.value), space - used - PILL.gap) : '';
  const trouble = node.spark && !node.old ? troubleColour(face.value, palette) : null;
  const left = node.x - (used + (value ? PILL.gap + textWidth(fonts.row, value) : 0)) / 2;
  const base = node.y + PILL.base;
  write(ctx, title, left, base, { font: fonts.pill, fill: palette.ink });
  write(ctx, value, left + used + PILL.gap, base, { font: fonts.row, fill: trouble ?? (node.old ? palette.faint : palette.mute) });
  const below = node.box.bottom + (glows ? PILL.belowHalo : PILL.below);
  const begins = trouble ? beginsText(node, view) : '';
  const room = node.w + 2 * PILL.spill;
  write(ctx, begins, node.x, below, { font: fonts.name, fill: palette.red, align: 'center' });
  if (face.flow != null && !node.ghost) write(ctx, clean(face.flow), node.x, below, { font: fonts.small, fill: palette.orangeText, room, align: 'center' });
  else if (node.some && !begins) write(ctx, node.some, node.x, below, { font: fonts.small, fill: palette.mute, room, align: 'center' });
}

/** The share that what stands beside a name may always take: none for a word, more for the name of a tensor. */
const badgeLeast = ({ tone, badge }) => (tone === 'accumulate' ? CARD.badgeNamed : Array.from(clean(badge)).length <= WORD ? 0 : CARD.badgeLeast);

/** A card's name and badge, the line under them, and its rows. */
export function cardText(ctx, node, view) {
  const { palette, fonts } = view;
  const left = node.box.left + CARD.padding;
  const room = node.w - 2 * CARD.padding;
  const { top } = node.box;
  const name = nameOf(node);
  const badge = fitBadge(fonts.small, clean(node.badge), Math.max(room - textWidth(fonts.title, name) - CARD.gap, room * badgeLeast(node)));
  const taken = badge ? textWidth(fonts.small, badge) + CARD.gap : 0;
  const times = timesText(node);
  const title = fitMiddle(fonts.title, name, room - taken - textWidth(fonts.row, times));
  const used = write(ctx, title, left, top + fonts.lines.title, { font: fonts.title, fill: palette.ink });
  write(ctx, times, left + used, top + fonts.lines.title, { font: fonts.row, fill: palette.mute });
  write(ctx, badge, node.box.right - CARD.padding, top + CARD.badge, { font: fonts.small, fill: node.tone === 'leaf' ? palette.blueText : palette.mute, align: 'right' });
  const begins = beginsText(node, view);
  const { lines } = fonts;
  if (begins) write(ctx, begins, left, top + (lines.sub ?? lines.first), { font: fonts.name, fill: palette.red, room });
  else if (lines.sub !== null) write(ctx, subText(clean(node.sub), node.some, room, fonts.small), left, top + lines.sub, { font: fonts.small, fill: palette.mute });
  if (!node.ghost) rows(ctx, node, left, room, view);
}

/** The line under a title: shape and line, and in how many iterations the node is there, which goes first. */
function subText(sub, whole, room, font) {
  if (!whole) return fitEnd(font, sub, room);
  const some = fitMiddle(font, whole, room);
  const both = `${sub} · ${some}`;
  return sub && textWidth(font, both) <= room ? both : some;
}

/** value, grad and flow lines; the last two share a line when the card is too low for three. */
function rows(ctx, node, left, room, view) {
  const { palette, fonts } = view;
  const { face, spark } = node;
  const below = node.rows[0]?.box ?? node.unseen?.box;
  const end = below ? below.top - ROWS.over : node.box.bottom - CARD.below;
  const pitch = fonts.lines.row;
  // Where the line under the title is left out, "NaN begins here" stands in its row.
  const first = fonts.lines.first + (fonts.lines.sub === null && beginsText(node, view) ? pitch : 0);
  const slots = Math.max(0, Math.floor((end - node.box.top - first) / pitch) + 1);
  const lines = linesOf(node, view);
  const shares = face.flow != null && face.grad != null && lines.length >= slots;
  if (face.flow != null && !shares) {
    const fill = palette.orangeText;
    lines.push({ label: 'flowing', text: clean(face.flow), labelFill: fill, fill, font: fonts.strong, series: '', note: face.flowNote ?? '' });
  }
  const shown = lines.slice(0, slots);
  const column = Math.max(0, ...shown.filter(({ note }) => !note).map(({ label }) => textWidth(fonts.row, label))) + (spark ? CARD.labelTight : CARD.label);
  const plans = shown.map((line) => planOf(node, line, column, room, view));
  // The curves of a card are equally wide, so that they can be compared.
  const least = Math.min(...plans.map(({ curve }) => curve || Infinity));
  shown.forEach((line, index) => {
    const { label, text, curve } = plans[index];
    const y = node.box.top + first + index * pitch;
    const labelled = write(ctx, label, left, y, { font: fonts.row, fill: line.labelFill }) + CARD.labelTight;
    const x = !label ? 0 : line.note ? labelled : Math.max(column, labelled);
    let free = room - (curve ? least + SPARK.gap : 0);
    if (curve) paintSpark(ctx, node.spark, line.series, { left: left + room - least, top: y - SPARK.up, width: least, height: SPARK.height }, node.iteration, view);
    if (shares && index === shown.length - 1) {
      const flow = fitEnd(fonts.strong, `← ${clean(face.flow)}`, free * CARD.flow);
      free -= write(ctx, flow, left + free, y, { font: fonts.strong, fill: palette.orangeText, align: 'right' }) + CARD.gap;
    }
    writeParts(ctx, line, text, left + x, y, left + free, view);
  });
}

/** Whether a card stands for a leaf that requires a gradient, or has one as a row: where no `.grad` is told, it is None. */
const keepsGrad = ({ tone, rows }) => [tone, ...(rows ?? []).map((row) => row.tone)].includes('leaf');

/** Value and gradient. What is of an earlier iteration is paler. */
function linesOf(node, { palette, fonts }) {
  const { face, spark, old } = node;
  const line = (label, given, usual, pale, labelFill, labelPale, series) => {
    // Beside a curve there is no room for the word: what stands there is always a mean.
    const text = spark ? clean(given ?? '').replace(/^mean /, '') : clean(given ?? '');
    const fill = old ? pale : ((spark && troubleColour(text, palette)) || usual);
    return { label, text, labelFill: text ? labelFill : labelPale, fill, font: !old && (series === 'grad' || spark) ? fonts.strong : fonts.row, series, note: '' };
  };
  const lines = [];
  if (face.value || spark?.value) lines.push(line(face.valueLabel ?? 'value', face.value, palette.ink, palette.faint, palette.mute, palette.faint, 'value'));
  if (face.grad != null || spark?.grad) {
    lines.push(line(face.gradLabel ?? 'grad', face.grad, palette.orangeText, palette.orangeMute, old ? palette.orangeMute : palette.orangeText, palette.orangeMute, 'grad'));
  }
  if (face.grad == null && face.flow == null && face.value && keepsGrad(node)) {
    const none = { label: 'grad', text: 'None', labelFill: palette.mute, fill: palette.mute, font: fonts.row, series: 'grad', note: '' };
    lines.splice(1, 1, none);
  }
  return lines;
}

/**
 * How a row is written: with its label if there is room, its number whole, and the curve at its usual width or, where that makes
 * the number fit, at its least. Of a group's value the name goes first.
 */
function planOf(node, line, column, room, { fonts }) {
  const usual = curveRoom(node, line.series, room);
  const { label, text } = line;
  const named = line.note ? null : namedValue(text);
  if (named) {
    const free = room - (usual ? usual + SPARK.gap : 0) - Math.max(column, textWidth(fonts.row, label) + CARD.labelTight);
    if (textWidth(line.font, text) <= free) return { label, text, curve: usual };
    const least = shorterNumbers(named[1])[0];
    const name = fitMiddle(line.font, named[0].slice(0, -NAMED.length), free - textWidth(line.font, NAMED + least));
    if (Array.from(name).length >= NAME) return { label, text: name + NAMED + least, curve: usual };
    return planOf(node, { ...line, text: named[1] }, column, room, { fonts });
  }
  if (!isNumber(text) || line.note) return { label, text, curve: usual };
  const start = Math.max(column, textWidth(fonts.row, label) + CARD.labelTight);
  const small = Math.min(usual, SPARK.least);
  const shorter = shorterNumbers(text);
  const [first, last] = [shorter[0], shorter.at(-1)];
  // Beside a curve a mean is written no more exactly than its deviation.
  const plain = usual && text.includes('±') ? [] : [[label, text, usual]];
  const ways = [...plain, [label, first, usual], [label, first, small], ['', first, small], [label, last, small], ['', last, small]];
  const fits = ([labelled, number, curve]) => textWidth(line.font, number) <= room - (curve ? curve + SPARK.gap : 0) - (labelled ? start : 0);
  const way = ways.find(fits) ?? [label, '', usual];
  return { label: way[0], text: way[1], curve: way[2] };
}

/** What stands behind a label; of "42 + …" the part still on its way is paler than what is there. */
function writeParts(ctx, line, text, from, y, end, { palette, fonts }) {
  const at = text.lastIndexOf(PENDING);
  const parts = [[at < 0 ? text : text.slice(0, at), line.font, line.fill]];
  if (at >= 0) parts.push([`+ …${text.slice(at + PENDING.length)}`, fonts.row, palette.orangeMute]);
  if (line.note) parts.push([`· ${line.note}`, fonts.small, palette.mute]);
  let x = from;
  for (const [part, font, fill] of parts) {
    const used = write(ctx, part, x, y, { font, fill, room: end - x });
    if (used) x += used + CARD.word;
  }
}

/** How much of a row a curve takes. */
const curveRoom = (node, which, room) => (node.spark?.[which] && room >= SPARK.narrow ? Math.min(SPARK.width, Math.max(SPARK.least, room - SPARK.words)) : 0);

/** A pill has its curve along its lower edge. */
function pillSpark(ctx, node, view) {
  const which = node.spark?.value ? 'value' : node.spark?.grad ? 'grad' : null;
  if (which === null || node.w < SPARK.pillLeast) return;
  const alpha = ctx.globalAlpha;
  ctx.globalAlpha = alpha * SPARK.pillOpacity;
  const box = { left: node.box.left + SPARK.pillAside, top: node.box.bottom - SPARK.pillUp, width: node.w - 2 * SPARK.pillAside, height: SPARK.pillHeight };
  paintSpark(ctx, node.spark, which, box, node.iteration, view);
  ctx.globalAlpha = alpha;
}
