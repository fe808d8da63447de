/** Draws one node: the card of a named tensor, the pill of an intermediate, or a plain block when seen from afar. */

import { cardText, pillText } from './card-text.js';
import { CARD, LOOKS } from './design.js';
import { scaled } from './fonts.js';
import { paintMark, paintSign } from './paint-signs.js';
import { paintRows } from './paint-parameters.js';
import { troubleAt } from './sparks.js';
import { clean, fitEnd, write } from './text.js';

/** Zooms below which text is dropped: first everything but the title, then the title. */
export const FAR = 0.44;
export const VERY_FAR = 0.15;

/** The least that a border, a halo and the ring around a chosen card take on the screen. */
const LEAST = { border: 0.9, halo: 5 };

/**
 * @param {CanvasRenderingContext2D} ctx
 * @param {object} node   from the model, its face up to date
 * @param {object} view   palette, fonts, scale, selected, hovered, found, focus, focusKind
 */
export function paintNode(ctx, node, view, dimmed = false) {
  const { palette, scale } = view;
  const look = lookOf(node, view);
  const aside = isAside(node, view);
  ctx.globalAlpha = aside ? 0.14 : node.ghost ? (scale < FAR ? 0.22 : CARD.ghost) : dimmed ? 0.5 : node.some && node.old ? CARD.old : 1;
  if (!node.ghost && scale >= FAR) {
    shape(ctx, node, 0, 0, CARD.shadow);
    ctx.fillStyle = palette.shadow;
    ctx.fill();
  }
  if (node.group && !node.ghost) stack(ctx, node, look);
  shape(ctx, node);
  ctx.fillStyle = scale < FAR ? palette.chosen[node.colour] ?? look.block : look.fill;
  ctx.fill();
  ctx.lineWidth = Math.max(look.width, LEAST.border / scale);
  ctx.strokeStyle = look.stroke;
  ctx.setLineDash(look.dash);
  ctx.stroke();
  ctx.setLineDash([]);
  if (node.colour !== null && scale >= FAR) stripe(ctx, node, palette.chosen[node.colour]);

  if (scale < FAR) {
    if (scale >= VERY_FAR) blockTitle(ctx, node, look, view);
  } else if (node.pill) {
    pillText(ctx, node, look.halo !== null, view);
  } else {
    cardText(ctx, node, view);
    paintRows(ctx, node, view);
  }
  ctx.globalAlpha = 1;
  if (look.mark && scale >= FAR) paintMark(ctx, node, look.mark, view);
  if (!node.ghost && !aside) paintSign(ctx, node, view);
}

const isAside = (node, { kept }) => kept !== null && !kept.has(node.id);

/** The glow of a card that the step is about; it lies under the edges, whose arrows would not be seen. */
export function paintHalo(ctx, node, view) {
  if (!node.face.state && !node.queue && !isAbout(node, view.focus)) return;
  const { halo } = lookOf(node, view);
  if (!halo || isAside(node, view)) return;
  // From afar it is what shows where the step is, so it keeps its size on the screen.
  shape(ctx, node, Math.max(CARD.halo, LEAST.halo / view.scale));
  ctx.fillStyle = halo;
  ctx.fill();
}

/** What is there for the pointer: what was found, what is chosen or gone to, and a plus that says that a group can be opened. */
export function paintHandles(ctx, node, { palette, found, linked, selected, ringed, scale }) {
  const ring = 1 / Math.min(1, scale);
  if (found.has(node.id) || linked === node.id) outline(ctx, node, 5, 2, palette.blue, [3, 3]);
  if (selected === node.id) outline(ctx, node, 4.5, 2 * ring, palette.ink);
  if (ringed?.id === node.id) outline(ctx, node, 7.5, 2.5 * ring, ringed.good ? palette.tones.good : palette.red);
  if (node.group && !node.ghost && scale >= FAR) plus(ctx, node, palette);
}

export const radiusOf = (node) => (node.pill ? Math.min(node.h / 2, CARD.pillRadius) : CARD.radius);

/** The path around a card, so far from it, or moved. */
export function shape(ctx, node, gap = 0, right = 0, down = 0) {
  ctx.beginPath();
  ctx.roundRect(node.box.left - gap + right, node.box.top - gap + down, node.w + 2 * gap, node.h + 2 * gap, radiusOf(node) + gap);
}

function outline(ctx, node, gap, width, colour, dash = []) {
  shape(ctx, node, gap);
  ctx.lineWidth = width;
  ctx.strokeStyle = colour;
  ctx.setLineDash(dash);
  ctx.stroke();
  ctx.setLineDash([]);
}

/** The colour that the user has given to a card, along its left edge. */
function stripe(ctx, node, colour) {
  const away = Math.max(CARD.stripeIn, radiusOf(node) / 2);
  ctx.beginPath();
  ctx.roundRect(node.box.left + CARD.stripeIn, node.box.top + away, CARD.stripe, node.h - 2 * away, CARD.stripe / 2);
  ctx.fillStyle = colour;
  ctx.fill();
}

/** Two cards peep out behind a group's. */
function stack(ctx, node, look) {
  ctx.fillStyle = look.fill;
  ctx.strokeStyle = look.stroke;
  ctx.lineWidth = CARD.stackLine;
  for (const gap of [CARD.stack, CARD.stack / 2]) {
    shape(ctx, node, 0, gap, gap);
    ctx.fill();
    ctx.stroke();
  }
}

function plus(ctx, node, palette) {
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
    if (look.halo || look.runs || view.selected === node.id || view.found.has(node.id) || view.linked === node.id || node.colour !== null) rest.push(node);
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

/** Is the step about it, or about a parameter in it? */
const isAbout = (node, focus) => focus.has(node.id) || node.rows.some(({ id }) => focus.has(id));

/** Border, fill and halo from the tone of the node and its state at this step. */
function lookOf(node, { palette, hovered, focus, focusKind, origins }) {
  const coloured = ({ stroke, line, fill, dash, block }) => ({ stroke: palette[stroke], width: line, fill: palette[fill], dash, block: palette[block] });
  const look = { ...coloured(LOOKS[node.tone] ?? LOOKS.usual), halo: null, mark: null, runs: false };
  if (node.some) look.dash = CARD.someDash;
  // Where the first NaN of the run came from.
  if (origins?.has(node.id) && troubleAt(node.spark, node.iteration)) Object.assign(look, coloured(LOOKS.begins), { dash: look.dash });
  if (node.ghost) return { ...look, stroke: node.tone === 'leaf' ? palette.blue : palette.border, dash: CARD.ghostDash, width: CARD.ghostLine };
  const { state } = node.face;
  const { dash, fill } = look;
  if (node.queue) look.mark = node.queue;
  else if (state === 'waiting' || state === 'done') look.mark = { state };
  look.runs = state === 'running' || node.queue?.state === 'running';
  if (look.runs) Object.assign(look, coloured(LOOKS.running), { dash, halo: palette.orangeHalo });
  else if (state === 'receiving') Object.assign(look, coloured(LOOKS.receiving), { dash, fill });
  if (!look.halo && (state === 'written' || isAbout(node, focus))) look.halo = focusKind === 'backward' ? palette.orangeHalo : palette.blueHalo;
  if (hovered === node.id) look.width += 0.8;
  return look;
}

function blockTitle(ctx, node, look, { palette, fonts, scale }) {
  const font = scaled(fonts.family, fonts.title, Math.round(Math.min(node.h * 0.5, 13 / scale)) / fonts.title.size);
  const title = fitEnd(font, clean(node.face.title ?? node.title), node.w - 8);
  write(ctx, title, node.x, node.y + font.size * 0.36, { font, fill: look.runs ? palette.onColour : palette.ink, align: 'center' });
}
