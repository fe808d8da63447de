/** Draws one node: the card of a named tensor, the pill of an intermediate, or a plain block when seen from afar. */

import { SPARK_LEAST, paintRows, pillSpark, rowSpark, sparkRoom, timesText, troubleColour, writeSub } from './paint-rolled.js';
import { troubleAt } from './sparks.js';
import { fitMiddle, fitNumber, fitText, isNumber, shorterNumbers, textWidth, write } from './text.js';

/** Zooms below which text is dropped: first everything but the title, then the title. */
export const FAR = 0.44;
export const VERY_FAR = 0.15;

/** Down to this zoom no text gets smaller than it may: it grows on its card. Opening a graph never goes further out by itself. */
export const READABLE = 0.8;
const LEAST = 11;
export const STACK = 8;
const PADDING = 12;
const RADIUS = 9;
const FIRST_ROW = 53;
const ROW = 17;

/** The fonts at a zoom; there are few sizes, because every one is measured anew. */
export function fontsOf(family, scale = 1) {
  const step = Math.min(1, Math.max(READABLE, Math.floor(scale * 20 + 1e-6) / 20));
  const size = (usual) => Math.max(usual, Math.round((LEAST / step) * 10 + 0.5) / 10);
  return {
    title: `700 ${size(14.5)}px ${family}`,
    small: `${size(11.5)}px ${family}`,
    name: `600 ${size(11.5)}px ${family}`,
    row: `${size(12.5)}px ${family}`,
    strong: `600 ${size(12.5)}px ${family}`,
    pill: `500 ${size(13)}px ${family}`,
    mark: `700 10px ${family}`,
    family,
  };
}

/**
 * @param {CanvasRenderingContext2D} ctx
 * @param {object} node   from the model, its face up to date
 * @param {object} view   palette, fonts, scale, selected, hovered, found, focus, focusKind
 */
export function paintNode(ctx, node, view, dimmed = false) {
  const { palette, scale } = view;
  const look = lookOf(node, view);
  const radius = node.pill ? Math.min(node.h / 2, 16) : RADIUS;
  const { left, top } = node.box;
  const aside = view.kept !== null && !view.kept.has(node.id);
  ctx.globalAlpha = aside ? 0.14 : node.ghost ? (scale < FAR ? 0.22 : 0.34) : dimmed ? 0.5 : node.some && node.old ? 0.6 : 1;

  if (look.halo) {
    // From afar the halo is what shows where the step is, so it keeps its size on the screen.
    const width = Math.max(7, 5 / scale);
    outline(ctx, node, radius, width / 2, width, look.halo);
  }
  if (!node.ghost && scale >= FAR) {
    ctx.fillStyle = palette.shadow;
    ctx.beginPath();
    ctx.roundRect(left, top + 1.5, node.w, node.h, radius);
    ctx.fill();
  }
  if (node.group && !node.ghost) stack(ctx, node, look, radius);
  ctx.beginPath();
  ctx.roundRect(left, top, node.w, node.h, radius);
  ctx.fillStyle = scale < FAR ? look.block : look.fill;
  ctx.fill();
  ctx.lineWidth = Math.max(look.width, 0.9 / scale);
  ctx.strokeStyle = look.stroke;
  ctx.setLineDash(look.dash);
  ctx.stroke();
  ctx.setLineDash([]);

  if (scale < FAR) {
    if (scale >= VERY_FAR) blockTitle(ctx, node, look, view);
  } else if (node.pill) {
    pillText(ctx, node, look, view);
  } else {
    cardText(ctx, node, view);
    paintRows(ctx, node, view);
  }
  ctx.globalAlpha = 1;
  if (view.found.has(node.id) || view.linked === node.id) outline(ctx, node, radius, 5, 2, palette.blue, [3, 3]);
  if (view.selected === node.id) outline(ctx, node, radius, 4.5, 2 / Math.min(1, scale), palette.ink);
  if (view.ringed?.id === node.id) outline(ctx, node, radius, 7.5, 2.5 / Math.min(1, scale), view.ringed.good ? palette.tones.good : palette.red);
  if (look.mark && scale >= FAR) mark(ctx, node, look.mark, view);
  if (!node.ghost && !aside) warning(ctx, node, view);
  if (node.group && !node.ghost && scale >= FAR) plus(ctx, node, view);
}

/** Two cards peep out behind a group's, the lower one so far. */
function stack(ctx, node, look, radius) {
  ctx.fillStyle = look.fill;
  ctx.strokeStyle = look.stroke;
  ctx.lineWidth = 1;
  for (const gap of [STACK, STACK / 2]) {
    ctx.beginPath();
    ctx.roundRect(node.box.left + gap, node.box.top + gap, node.w, node.h, radius);
    ctx.fill();
    ctx.stroke();
  }
}

/** A red sign where there is NaN or Inf, for a group anywhere in it, an orange one where there is a finding. */
function warning(ctx, node, { palette, fonts, scale, step, origins }) {
  // In a rolled run a sign on every card would say no more than the first one does: where it begins.
  const told = origins?.size > 0 ? origins.has(node.id) : true;
  const begins = node.spark && told && node.spark.first === node.iteration ? troubleAt(node.spark, node.iteration) : undefined;
  const bad = node.spark ? begins !== undefined : node.alarm !== null && node.alarm <= step;
  const sign = bad ? (begins === 'inf' ? 'Inf' : 'NaN') : node.findings.length > 0 ? '!' : '';
  if (!sign) return;
  const size = Math.max(1, 0.55 / scale);
  const width = (sign.length * 7 + 10) * size;
  ctx.fillStyle = begins === 'inf' ? palette.tones.warn : bad ? palette.red : palette.orange;
  ctx.beginPath();
  ctx.roundRect(node.box.left - 6, node.box.top - 9 * size, width, 17 * size, 8.5 * size);
  ctx.fill();
  write(ctx, sign, node.box.left - 6 + width / 2, node.box.top + 3.2 * size, { font: `700 ${11 * size}px ${fonts.family}`, fill: palette.onColour, align: 'center' });
}

/** A plus that says it can be opened. */
function plus(ctx, node, { palette }) {
  // Where parameters stand in the card it is on its corner, so that it covers none of them.
  const onCorner = node.rows.length > 0;
  const [x, y] = onCorner ? [node.box.right + 1, node.box.bottom + 1] : [node.box.right - 15, node.box.bottom - 14];
  ctx.beginPath();
  ctx.arc(x, y, 8, 0, 2 * Math.PI);
  if (onCorner) {
    ctx.fillStyle = palette.card;
    ctx.fill();
  }
  ctx.moveTo(x - 4, y);
  ctx.lineTo(x + 4, y);
  ctx.moveTo(x, y - 4);
  ctx.lineTo(x, y + 4);
  ctx.lineWidth = 1.5;
  ctx.strokeStyle = palette.blueText;
  ctx.stroke();
}

/**
 * Nodes from so far away that only colour and position can be told: blocks without borders, all of one colour at once. Returns those
 * that need more than that.
 */
export function paintBlocks(ctx, nodes, view) {
  const least = 1.6 / view.scale;
  const blocks = new Map();
  const rest = [];
  if (view.kept !== null || view.overlay !== null) return nodes;
  for (const node of nodes) {
    const look = lookOf(node, view);
    if (look.halo || look.solid || view.selected === node.id || view.found.has(node.id) || view.linked === node.id) rest.push(node);
    const colour = node.ghost ? view.palette.line : look.stroke;
    if (!blocks.has(colour)) blocks.set(colour, []);
    blocks.get(colour).push(node);
  }
  for (const [colour, same] of blocks) {
    ctx.fillStyle = colour;
    ctx.beginPath();
    for (const { x, y, w, h } of same) {
      const [width, height] = [Math.max(least, w), Math.max(least, h)];
      ctx.rect(x - width / 2, y - height / 2, width, height);
    }
    ctx.fill();
  }
  return rest;
}

/** Border, fill and halo from the tone of the node and its state at this step. */
function lookOf(node, { palette, hovered, focus, focusKind, origins }) {
  const backward = focusKind === 'backward';
  const tones = {
    leaf: { stroke: palette.blue, width: 2, block: palette.blueBlock },
    accumulate: { stroke: palette.blue, width: 1.6, fill: palette.blueTint, block: palette.blueBlock },
    root: { stroke: palette.ink, width: 2.2 },
    constant: { stroke: palette.line, width: 1.2, fill: palette.constant },
    cut: { stroke: palette.cut, width: 1.4, dash: [4, 4] },
    group: { stroke: palette.blueText, width: 1.5, block: palette.blueBlock },
    removed: { stroke: palette.tones.removed, width: 1.4, dash: [2, 3], fill: palette.constant },
  };
  const look = {
    stroke: palette.border, width: 1.4, fill: palette.card, block: palette.block, dash: [], halo: null, mark: null, ...tones[node.tone],
  };
  if (node.some) look.dash = [6, 4];
  // Where the first NaN of the run came from.
  if (origins?.has(node.id) && troubleAt(node.spark, node.iteration)) {
    Object.assign(look, { stroke: palette.red, width: 2.2, fill: palette.redTint, block: palette.redTint });
  }
  if (node.ghost) return { ...look, stroke: node.tone === 'leaf' ? palette.blue : palette.border, dash: [4, 4], width: 1.2 };
  const { state } = node.face;
  if (node.queue) look.mark = node.queue;
  else if (state === 'waiting' || state === 'done') look.mark = { state };
  if (state === 'running' || node.queue?.state === 'running') {
    Object.assign(look, { stroke: palette.orange, width: 2.8, fill: palette.orangeTint, block: palette.orange, halo: palette.orangeHalo });
    look.solid = true;
  } else if (state === 'receiving') {
    Object.assign(look, { stroke: palette.orange, width: 2.4, block: palette.orangeBlock });
  } else if (state === 'written') {
    look.halo = backward ? palette.orangeHalo : palette.blueHalo;
  }
  if (!look.halo && focus.has(node.id)) look.halo = backward ? palette.orangeHalo : palette.blueHalo;
  if (hovered === node.id) look.width += 0.8;
  return look;
}

function outline(ctx, node, radius, gap, width, colour, dash = []) {
  const { left, top } = node.box;
  ctx.beginPath();
  ctx.roundRect(left - gap, top - gap, node.w + 2 * gap, node.h + 2 * gap, radius + gap);
  ctx.lineWidth = width;
  ctx.strokeStyle = colour;
  ctx.setLineDash(dash);
  ctx.stroke();
  ctx.setLineDash([]);
}

function blockTitle(ctx, node, look, { palette, fonts, scale }) {
  const size = Math.round(Math.min(node.h * 0.5, 13 / scale));
  const font = `700 ${size}px ${fonts.family}`;
  const title = fitText(ctx, font, node.face.title ?? node.title, node.w - 8);
  write(ctx, title, node.x, node.y + size * 0.36, { font, fill: look.solid ? palette.onColour : palette.ink, align: 'center' });
}

function pillText(ctx, node, look, view) {
  const { palette, fonts } = view;
  pillSpark(ctx, node, view);
  const { face } = node;
  const room = node.w - 16;
  const times = timesText(node);
  const title = fitText(ctx, fonts.pill, face.title ?? node.title, room - (times ? textWidth(ctx, fonts.pill, times) : 0)) + times;
  const used = textWidth(ctx, fonts.pill, title);
  const value = face.value && room - used > 26 ? fitNumber(ctx, fonts.row, face.value, room - used - 8) : '';
  const trouble = node.spark && !node.old ? troubleColour(face.value, palette) : null;
  const left = node.x - (used + (value ? 8 + textWidth(ctx, fonts.row, value) : 0)) / 2;
  write(ctx, title, left, node.y + 4.3, { font: fonts.pill, fill: palette.ink, align: 'left' });
  if (value) write(ctx, value, left + used + 8, node.y + 4.3, { font: fonts.row, fill: trouble ?? (node.old ? palette.faint : palette.mute), align: 'left' });
  const below = node.box.bottom + (look.halo ? 19 : 14);
  const begins = trouble && beginsText(node, view);
  if (begins) write(ctx, begins, node.x, below, { font: fonts.name, fill: palette.red, align: 'center' });
  if (node.some && face.flow == null) {
    write(ctx, node.some, node.x, below + (begins ? 15 : 0), { font: fonts.small, fill: palette.mute, room: node.w + 30, align: 'center' });
  }
  if (face.flow != null && !node.ghost) {
    write(ctx, face.flow, node.x, below, { font: fonts.small, fill: palette.orangeText, room: node.w + 30, align: 'center' });
  }
}

function cardText(ctx, node, view) {
  const { palette, fonts } = view;
  const { face } = node;
  const left = node.box.left + PADDING;
  const room = node.w - 2 * PADDING;
  const top = node.box.top;
  const title = face.title ?? node.title;
  const wanted = textWidth(ctx, fonts.title, title);
  const badge = node.badge ? fitText(ctx, fonts.small, node.badge, Math.max(room - wanted - 8, room * 0.35)) : '';
  const badgeWidth = badge ? textWidth(ctx, fonts.small, badge) + 8 : 0;
  const times = timesText(node);
  const begins = beginsText(node, view);
  const own = room - badgeWidth - (times ? textWidth(ctx, fonts.row, times) : 0);
  const used = write(ctx, node.spark ? fitMiddle(ctx, fonts.title, title, own) : title, left, top + 20, { font: fonts.title, fill: palette.ink, room: own });
  if (times) write(ctx, times, left + used, top + 20, { font: fonts.row, fill: palette.mute });
  if (badge) {
    const fill = node.tone === 'leaf' ? palette.blueText : palette.mute;
    write(ctx, badge, node.box.right - PADDING, top + 19.5, { font: fonts.small, fill, align: 'right' });
  }
  if (begins) write(ctx, begins, left, top + 36, { font: fonts.name, fill: palette.red, room });
  else writeSub(ctx, node, left, top + 36, room, view);
  if (!node.ghost) rows(ctx, node, left, room, view);
}

/** value, grad and flow lines; the last two share a line when the card is too low for three. */
function rows(ctx, node, left, room, view) {
  const { palette, fonts } = view;
  const { face } = node;
  const below = node.rows[0]?.box ?? node.unseen?.box;
  const h = below ? below.top - node.box.top : node.h;
  const slots = Math.max(0, Math.floor((h - FIRST_ROW - (below ? 2 : 6)) / ROW) + 1);
  const lines = [];
  const { spark, old } = node;
  const [ink, orange] = old ? [palette.faint, palette.orangeMute] : [palette.ink, palette.orangeText];
  // Beside a curve there is no room for the word: what stands there is always a mean.
  const short = (text) => (spark ? (text ?? '').replace(/^mean /, '') : text);
  const told = (text, fill) => (spark && !old && troubleColour(text, palette)) || fill;
  if (face.value != null || spark?.value) {
    const text = short(face.value) ?? '';
    lines.push({ label: face.valueLabel ?? 'value', text, labelFill: text ? palette.mute : palette.faint, fill: told(text, ink), font: spark && !old ? fonts.strong : fonts.row, series: 'value' });
  }
  if (face.grad != null || spark?.grad) {
    const text = short(face.grad) ?? '';
    lines.push({ label: face.gradLabel ?? 'grad', text, labelFill: text ? orange : palette.orangeMute, fill: told(text, orange), font: old ? fonts.row : fonts.strong, series: 'grad' });
  }
  const shares = face.flow != null && face.grad != null && lines.length >= slots;
  if (face.flow != null && !shares) {
    lines.push({ label: 'flowing', text: face.flow, labelFill: palette.orangeText, fill: palette.orangeText, font: fonts.strong, note: face.flowNote });
  }
  const shown = lines.slice(0, slots);
  const column = Math.max(0, ...shown.filter((line) => !line.note).map((line) => textWidth(ctx, fonts.row, line.label))) + (spark ? 6 : 9);
  const plans = shown.map((line) => planOf(ctx, node, line, column, room, view));
  // The curves of a card are equally wide, so that they can be compared.
  const least = Math.min(...plans.map(({ curve }) => curve || Infinity));
  shown.forEach((line, index) => {
    const plan = plans[index];
    const y = node.box.top + FIRST_ROW + index * ROW;
    const labelWidth = plan.label ? write(ctx, plan.label, left, y, { font: fonts.row, fill: line.labelFill }) : 0;
    const x = plan.label ? Math.max(line.note ? labelWidth + 6 : column, labelWidth + 6) : 0;
    const curve = plan.curve && least;
    let end = room - (curve ? curve + 7 : 0);
    if (curve) rowSpark(ctx, node, line.series, left + room, y, curve, view);
    if (shares && index === shown.length - 1) {
      const flow = fitText(ctx, fonts.strong, `← ${face.flow}`, end * 0.45);
      end -= write(ctx, flow, left + end, y, { font: fonts.strong, fill: palette.orangeText, align: 'right' }) + 8;
    }
    // "42 + …": the part still on its way is paler than what is there.
    const [settled, pending] = splitPending(plan.text);
    const used = write(ctx, settled, left + x, y, { font: line.font, fill: line.fill, room: end - x });
    if (pending) write(ctx, pending, left + x + used, y, { font: fonts.row, fill: palette.orangeMute, room: end - x - used });
    if (line.note) write(ctx, ` · ${line.note}`, left + x + used, y, { font: fonts.small, fill: palette.mute, room: end - x - used });
  });
}

/**
 * How a row is written: with its label if there is room, its number whole, and the curve at its usual width or, where that makes
 * the number fit, at its least.
 */
function planOf(ctx, node, line, column, room, { fonts }) {
  const usual = line.series ? sparkRoom(node, line.series, room) : 0;
  const plan = { label: line.label, text: line.text, curve: usual };
  const fits = (text, from, curve) => from + textWidth(ctx, line.font, text) <= room - (curve ? curve + 6 : 0);
  if (!isNumber(line.text) || line.note) return plan;
  const from = Math.max(column, textWidth(ctx, fonts.row, line.label) + 6);
  const small = usual && SPARK_LEAST;
  const [exact, ...shorter] = [line.text, ...shorterNumbers(line.text)];
  // Beside a curve a mean is written no more exactly than its deviation.
  const plain = usual && exact.includes('±') ? [] : [[line.label, exact, usual]];
  const ways = [...plain, [line.label, shorter[0], usual], [line.label, shorter[0], small], ['', shorter[0], small], [line.label, shorter.at(-1), small], ['', shorter.at(-1), small]];
  const way = ways.find(([label, text, curve]) => text !== undefined && fits(text, label ? from : 0, curve)) ?? [line.label, '', usual];
  return { label: way[0], text: way[1], curve: way[2] };
}

/** "NaN begins here", at the node that the first NaN or Inf of a run came from, in the iteration in which it did. */
function beginsText(node, { origins }) {
  const kind = origins?.has(node.id) && node.spark && node.spark.first === node.iteration && !node.ghost ? troubleAt(node.spark, node.iteration) : undefined;
  return kind ? `${kind === 'inf' ? 'Inf' : 'NaN'} begins here` : '';
}

function splitPending(text) {
  const at = text.lastIndexOf(' + …');
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at)];
}

/**
 * A small orange sign on the corner. Waiting: a dashed ring that fills as gradients come; ready: the position in the queue;
 * done: a tick.
 */
function mark(ctx, node, { state, position = 0, have = 0, total = 1 }, { palette, fonts }) {
  if (state === 'running') return;
  const x = node.box.right - (node.pill ? 8 : 5);
  const y = node.box.top + (node.pill ? 2 : 5) - 3;
  const done = state === 'done' || state === 'captured';
  const radius = state === 'ready' ? 7.5 : 6;
  ctx.beginPath();
  ctx.arc(x, y, radius, 0, 2 * Math.PI);
  ctx.fillStyle = done ? palette.orange : palette.card;
  ctx.fill();
  if (state === 'waiting' && have > 0) {
    ctx.beginPath();
    ctx.moveTo(x, y);
    ctx.arc(x, y, radius - 1.6, -Math.PI / 2, -Math.PI / 2 + (2 * Math.PI * have) / Math.max(total, have + 1));
    ctx.fillStyle = palette.orange;
    ctx.fill();
  }
  ctx.beginPath();
  ctx.arc(x, y, radius, 0, 2 * Math.PI);
  ctx.lineWidth = 1.6;
  ctx.strokeStyle = state === 'waiting' && have === 0 ? palette.orangeMute : palette.orange;
  ctx.setLineDash(state === 'waiting' ? [2.4, 2] : []);
  ctx.stroke();
  ctx.setLineDash([]);
  if (state === 'ready' && position > 0) write(ctx, String(position), x, y + 3.6, { font: fonts.mark, fill: palette.orangeText, align: 'center' });
  if (!done) return;
  ctx.beginPath();
  ctx.moveTo(x - 2.9, y + 0.2);
  ctx.lineTo(x - 0.8, y + 2.3);
  ctx.lineTo(x + 3, y - 2.1);
  ctx.strokeStyle = palette.onColour;
  ctx.lineWidth = 1.7;
  ctx.stroke();
}
