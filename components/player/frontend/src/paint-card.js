/** Draws one node: the card of a named tensor, the pill of an intermediate, or a plain block when seen from afar. */

import { fitText, textWidth, write } from './text.js';

/** Zooms below which text is dropped: first everything but the title, then the title. */
export const FAR = 0.44;
export const VERY_FAR = 0.15;

const PADDING = 12;
const RADIUS = 9;
const FIRST_ROW = 53;
const ROW = 17;

export function fontsOf(family) {
  return {
    title: `700 14.5px ${family}`,
    small: `11.5px ${family}`,
    row: `12.5px ${family}`,
    strong: `600 12.5px ${family}`,
    pill: `500 13px ${family}`,
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
  ctx.globalAlpha = aside ? 0.14 : node.ghost ? (scale < FAR ? 0.22 : 0.34) : dimmed ? 0.5 : 1;

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
  }
  ctx.globalAlpha = 1;
  if (view.found.has(node.id)) outline(ctx, node, radius, 5, 2, palette.blue, [3, 3]);
  if (view.selected === node.id) outline(ctx, node, radius, 4.5, 2 / Math.min(1, scale), palette.ink);
  if (look.mark && scale >= FAR) mark(ctx, node, look.mark, view);
  if (!node.ghost && !aside) warning(ctx, node, view);
  if (node.group && !node.ghost && scale >= FAR) plus(ctx, node, view);
}

/** Two cards peep out behind a group's. */
function stack(ctx, node, look, radius) {
  ctx.fillStyle = look.fill;
  ctx.strokeStyle = look.stroke;
  ctx.lineWidth = 1;
  for (const gap of [8, 4]) {
    ctx.beginPath();
    ctx.roundRect(node.box.left + gap, node.box.top + gap, node.w, node.h, radius);
    ctx.fill();
    ctx.stroke();
  }
}

/** A red sign where there is NaN or Inf, for a group anywhere in it, an orange one where there is a finding. */
function warning(ctx, node, { palette, fonts, scale, step }) {
  const bad = node.alarm !== null && node.alarm <= step;
  const told = bad ? 'NaN' : node.findings.length > 0 ? '!' : '';
  if (!told) return;
  const size = Math.max(1, 0.55 / scale);
  const width = (told.length * 7 + 10) * size;
  ctx.fillStyle = bad ? palette.red : palette.orange;
  ctx.beginPath();
  ctx.roundRect(node.box.left - 6, node.box.top - 9 * size, width, 17 * size, 8.5 * size);
  ctx.fill();
  write(ctx, told, node.box.left - 6 + width / 2, node.box.top + 3.2 * size, { font: `700 ${11 * size}px ${fonts.family}`, fill: palette.onColour, align: 'center' });
}

/** A plus that says it can be opened. */
function plus(ctx, node, { palette }) {
  const x = node.box.right - 15;
  const y = node.box.bottom - 14;
  ctx.beginPath();
  ctx.arc(x, y, 8, 0, 2 * Math.PI);
  ctx.moveTo(x - 4, y);
  ctx.lineTo(x + 4, y);
  ctx.moveTo(x, y - 4);
  ctx.lineTo(x, y + 4);
  ctx.lineWidth = 1.5;
  ctx.strokeStyle = palette.blueText;
  ctx.stroke();
}

/**
 * Nodes from so far away that only colour and place can be told: blocks without borders, all of one colour at once. Returns those
 * that need more than that.
 */
export function paintBlocks(ctx, nodes, view) {
  const least = 1.6 / view.scale;
  const blocks = new Map();
  const rest = [];
  if (view.kept !== null || view.overlay !== null) return nodes;
  for (const node of nodes) {
    const look = lookOf(node, view);
    if (look.halo || look.solid || view.selected === node.id || view.found.has(node.id)) rest.push(node);
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
function lookOf(node, { palette, hovered, focus, focusKind }) {
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

function pillText(ctx, node, look, { palette, fonts }) {
  const { face } = node;
  const room = node.w - 16;
  const title = fitText(ctx, fonts.pill, face.title ?? node.title, room);
  const used = textWidth(ctx, fonts.pill, title);
  const value = face.value && room - used > 26 ? fitText(ctx, fonts.row, face.value, room - used - 8) : '';
  const left = node.x - (used + (value ? 8 + textWidth(ctx, fonts.row, value) : 0)) / 2;
  write(ctx, title, left, node.y + 4.3, { font: fonts.pill, fill: palette.ink, align: 'left' });
  if (value) write(ctx, value, left + used + 8, node.y + 4.3, { font: fonts.row, fill: palette.mute, align: 'left' });
  if (face.flow != null && !node.ghost) {
    const below = node.box.bottom + (look.halo ? 19 : 14);
    write(ctx, face.flow, node.x, below, { font: fonts.small, fill: palette.orangeText, room: node.w + 30, align: 'center' });
  }
}

function cardText(ctx, node, { palette, fonts }) {
  const { face } = node;
  const left = node.box.left + PADDING;
  const room = node.w - 2 * PADDING;
  const top = node.box.top;
  const title = face.title ?? node.title;
  const wanted = textWidth(ctx, fonts.title, title);
  const badge = node.badge ? fitText(ctx, fonts.small, node.badge, Math.max(room - wanted - 8, room * 0.35)) : '';
  const badgeWidth = badge ? textWidth(ctx, fonts.small, badge) + 8 : 0;
  write(ctx, title, left, top + 20, { font: fonts.title, fill: palette.ink, room: room - badgeWidth });
  if (badge) {
    const fill = node.tone === 'leaf' ? palette.blueText : palette.mute;
    write(ctx, badge, node.box.right - PADDING, top + 19.5, { font: fonts.small, fill, align: 'right' });
  }
  write(ctx, node.sub, left, top + 36, { font: fonts.small, fill: palette.mute, room });
  if (!node.ghost) rows(ctx, node, left, room, { palette, fonts });
}

/** value, grad and flow lines; the last two share a line when the card is too low for three. */
function rows(ctx, node, left, room, { palette, fonts }) {
  const { face, h } = node;
  const places = Math.max(0, Math.floor((h - FIRST_ROW - 6) / ROW) + 1);
  const lines = [];
  if (face.value != null) lines.push({ label: 'value', text: face.value, labelFill: palette.mute, fill: palette.ink, font: fonts.row });
  if (face.grad != null) {
    lines.push({ label: face.gradLabel ?? 'grad', text: face.grad, labelFill: palette.orangeText, fill: palette.orangeText, font: fonts.strong });
  }
  const shares = face.flow != null && face.grad != null && lines.length >= places;
  if (face.flow != null && !shares) {
    lines.push({ label: 'flowing', text: face.flow, labelFill: palette.orangeText, fill: palette.orangeText, font: fonts.strong, note: face.flowNote });
  }
  const shown = lines.slice(0, places);
  const column = Math.max(0, ...shown.filter((line) => !line.note).map((line) => textWidth(ctx, fonts.row, line.label))) + 9;
  shown.forEach((line, index) => {
    const y = node.box.top + FIRST_ROW + index * ROW;
    const labelWidth = write(ctx, line.label, left, y, { font: fonts.row, fill: line.labelFill });
    const x = Math.max(line.note ? labelWidth + 6 : column, labelWidth + 6);
    let end = room;
    if (shares && index === shown.length - 1) {
      const flow = fitText(ctx, fonts.strong, `← ${face.flow}`, room * 0.45);
      end -= write(ctx, flow, left + room, y, { font: fonts.strong, fill: palette.orangeText, align: 'right' }) + 8;
    }
    // "42 + …": the part still on its way is paler than what is there.
    const [settled, pending] = splitPending(line.text);
    const used = write(ctx, settled, left + x, y, { font: line.font, fill: line.fill, room: end - x });
    if (pending) write(ctx, pending, left + x + used, y, { font: fonts.row, fill: palette.orangeMute, room: end - x - used });
    if (line.note) write(ctx, ` · ${line.note}`, left + x + used, y, { font: fonts.small, fill: palette.mute, room: end - x - used });
  });
}

function splitPending(text) {
  const at = text.lastIndexOf(' + …');
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at)];
}

/**
 * A small orange sign on the corner. Waiting: a dashed ring that fills as gradients come; ready: the place in the queue;
 * done: a tick.
 */
function mark(ctx, node, { state, place = 0, have = 0, total = 1 }, { palette, fonts }) {
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
  if (state === 'ready' && place > 0) write(ctx, String(place), x, y + 3.6, { font: fonts.mark, fill: palette.orangeText, align: 'center' });
  if (!done) return;
  ctx.beginPath();
  ctx.moveTo(x - 2.9, y + 0.2);
  ctx.lineTo(x - 0.8, y + 2.3);
  ctx.lineTo(x + 3, y - 2.1);
  ctx.strokeStyle = palette.onColour;
  ctx.lineWidth = 1.7;
  ctx.stroke();
}
