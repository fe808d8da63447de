/** What is under the pointer, in a few lines of text: a node's shape, type, operation and line, or the gradient of an edge. */

import { indexAt } from './history.js';
import { h } from '../../../browser/dom.mjs';
import { stateText } from './queue.js';
import { isRepeated } from './rolled.js';

const DELAY = 180;

export function createTooltip(stage) {
  const element = h('div', { class: 'hint', role: 'tooltip', hidden: '' });
  let timer = null;
  let shown = null;
  let pinned = false;
  let told = null; // the lines as they were asked for, and where they stand

  function put(lines, point) {
    told = { lines, point };
    tooltip.refresh();
  }

  function write(lines, { x, y }) {
    element.replaceChildren(...lines.map(([text, style]) => h('div', { class: style }, String(text))));
    element.hidden = false;
    const left = Math.min(stage.clientWidth - element.offsetWidth - 8, Math.max(8, x + 14));
    const below = y + 18 + element.offsetHeight < stage.clientHeight;
    element.style.transform = `translate(${Math.round(left)}px, ${Math.round(below ? y + 18 : Math.max(4, y - 12 - element.offsetHeight))}px)`;
  }

  const tooltip = {
    element,

    /** Point at something; `key` tells it apart from what is shown, null for nothing. */
    over(key, lines, point) {
      if (pinned || key === shown) return;
      clearTimeout(timer);
      const waits = shown === null ? DELAY : 0;
      if (key === null) tooltip.hide();
      else timer = setTimeout(() => {
        shown = key;
        put(lines, point);
      }, waits);
    },

    /** Keep it until the next click or step. */
    pin(key, lines, point) {
      tooltip.hide();
      [shown, pinned] = [key, true];
      put(lines, point);
    },

    /** More is known of what it stands on. */
    refresh() {
      if (told) write(told.lines(), told.point);
    },

    hide() {
      clearTimeout(timer);
      [shown, pinned, told] = [null, false, null];
      element.hidden = true;
    },
  };
  return tooltip;
}

/** A loop, and why its iterations share one picture. */
export function frameLines({ loop, title }) {
  const lines = [[title, 'title']];
  if (loop.reason) lines.push([loop.reason, 'plain']);
  return [...lines, ['click to go to an iteration, or to see them side by side', 'quiet']];
}

export function nodeLines(node, rolled = null) {
  const lines = [[node.face.title ?? node.title, 'title']];
  if (node.badge) lines.push([node.badge, 'quiet']);
  if (node.sub) lines.push([node.sub, 'quiet']);
  if (node.op && node.op !== node.title) lines.push([`made by ${node.op}`, 'quiet']);
  if (node.pass) lines.push([`recorded in backward pass ${node.pass}`, 'quiet']);
  if (node.some) lines.push([node.some, 'quiet']);
  if (node.times > 1) lines.push([`${node.times} times in one iteration${isRepeated(node) ? ': double-click shows each' : ''}`, 'quiet']);
  if (node.ghost) return [...lines, ['not made yet at this step', 'quiet']];
  if (node.face.value) lines.push([`value ${node.face.value}`, 'plain']);
  if (node.face.grad != null) lines.push([`${node.face.gradLabel ?? 'grad'} ${node.face.grad}`, 'grad']);
  if (node.face.flow != null) lines.push([`arriving ${node.face.flow}`, 'grad']);
  if (node.old && rolled) lines.push(['of an earlier iteration, or only from the curves', 'quiet']);
  if (node.queue) lines.push([stateText(node.queue), 'plain']);
  if (node.group) lines.push(...node.findings.map((title) => [title, 'plain']), ['double-click opens it', 'quiet']);
  return lines;
}

export function edgeLines(edge, model, step) {
  const title = (id) => model.node.get(id).face.title ?? model.node.get(id).title;
  const [from, to] = edge.kind === 'grad_fn' ? [edge.from, edge.to] : [edge.to, edge.from];
  const lines = [[edge.kind === 'grad_fn' ? `${title(from)} → ${title(to)}` : `${title(to)} → ${title(from)}`, 'title']];
  if (edge.carried) lines.push(['to the next iteration', 'quiet']);
  if (edge.some) lines.push([edge.some, 'quiet']);
  if (edge.kind === 'cut') return [...lines, ['no gradient passes here', 'plain']];
  const last = lastActive(edge, step);
  if (last === null) return [...lines, ['no gradient has passed yet', 'quiet']];
  const [at, face] = last;
  lines.push([`gradient to ${title(to)}: ${face.label ?? ''}`, 'grad'], ...plainLines(edge.details[at]));
  if (at !== step) lines.push([`at step ${at + 1}`, 'quiet']);
  return lines;
}

const plainLines = (detail) => (detail ?? []).map((line) => [line, 'code']);

function lastActive(edge, step) {
  for (let index = indexAt(edge.history, step); index >= 0; index -= 1) if (edge.history[index][1].active) return edge.history[index];
  return null;
}
