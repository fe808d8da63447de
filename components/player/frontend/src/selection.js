/** The selected node: what selects it, and what follows from it. */

import { tell, tellDrag, tellSpan } from './bus.js';
import { related } from './focus.js';
import { isRepeated } from './rolled.js';
import { markLinked } from './links.js';
import { selectedNode, titleOf } from './state.js';
import { edgeLines, frameLines, nodeLines } from './tooltip.js';

/**
 * @param {import('./state.js').State} state
 * @param {object} parts   viewport, graphCanvas, folds, iterations, focus, seeking, breakpoints, tooltip, reporter
 * @param {{root: HTMLElement}} elements
 */
export function createSelection(state, parts, { root }) {
  const { view, memory } = state;
  let held = null; // what a finger rested on last

  /** What is said of what is pointed at, and what tells it from others. */
  const said = (node, edge, frame) => ({
    key: frame ? `frame ${frame.loop.id}` : (node ?? edge)?.id ?? null,
    lines: () => (frame ? frameLines(frame) : node ? nodeLines(node, state.model.rolled) : edgeLines(edge, state.model, state.step)),
  });

  const selection = {
    select(id) {
      const changed = view.selected !== id;
      view.selected = id;
      memory.selected = id;
      view.near = new Set(parts.graphCanvas.edgesOf(id));
      root.dataset.selected = id ?? '';
      parts.reporter.flush();
      if (!changed) return;
      selection.showFocus(false);
      parts.folds.select(id);
      tell('gradtape:select', { id });
      selection.tellSelected();
      parts.breakpoints.show();
      parts.viewport.paint();
    },

    /** Select a node and bring it into view; what hides it is opened, or else stands for it. */
    show(wanted, open = true) {
      const { model } = state;
      // Where a run is rolled, Python knows which card stands for a node of an iteration, and at which moment.
      const elsewhere = model.rolled?.on && /^[tn]\d+$/.test(wanted) && !model.node.has(wanted);
      if (open && (elsewhere || model.hidden.has(wanted))) parts.folds.reveal(wanted);
      const id = open ? wanted : model.stand(wanted);
      if (open && model.away.has(wanted)) {
        memory.wanted = wanted;
        parts.choices.show(wanted);
      }
      if (!model.node.has(id)) return;
      selection.select(id);
      parts.viewport.bringIntoView(id);
    },

    /** Open what can be opened; whether it can. */
    openGroup(node) {
      if (node?.group) parts.folds.open(node.id);
      else if (node && isRepeated(node)) parts.iterations.turn(node);
      else return false;
      return true;
    },

    /** What is related to the selected node stays, the rest steps back; `move` brings all of it into view. */
    showFocus(move) {
      const { distance } = parts.focus;
      view.kept = distance === '' ? null : related(state.model, selectedNode(state)?.host?.id ?? view.selected, distance);
      if (distance !== '' && view.kept === null) parts.seeking.say('Select a node to focus on it.');
      root.dataset.kept = view.kept ? String(view.kept.size) : '';
      if (!parts.viewport.hasRoom()) return;
      if (move && view.kept) parts.viewport.reveal(view.kept);
      parts.viewport.paint();
    },

    /** Tell the editor where the selected node was made. */
    tellSelected() {
      tellSpan('select', state.model.sites[selectedNode(state)?.sites[0]]);
    },

    /** A click on the canvas: on a node, on an edge, or on nothing. */
    picked(id, edge, point) {
      held = null;
      if (edge) parts.tooltip.pin(edge.id, () => edgeLines(edge, state.model, state.step), point);
      else {
        parts.tooltip.hide();
        selection.select(id);
      }
    },

    /** What can be done with a card. */
    asked(node, point) {
      parts.tooltip.hide();
      selection.select(node.id);
      if (state.model.sketch) return;
      if (state.model.fixed) return parts.seeking.say(state.model.fixed);
      const { id, colour, pill, group } = node.host ?? node;
      parts.cardMenu.open({ id, colour, title: titleOf(state, id), named: !pill && !group }, view.palette.chosen, point, root);
    },

    /** The same of the selected one. */
    menu() {
      const node = selectedNode(state);
      if (!node) return parts.seeking.say('Select a card first.');
      selection.asked(node, parts.graphCanvas.network.canvasToDOM({ x: node.x, y: node.y }));
    },

    /** The number in the program that makes a card is dragged on it. */
    dragged(node, x) {
      const site = node.group ? null : state.model.sites[node.sites[0]];
      selection.select(node.id);
      if (!site || !tellDrag(site, x)) parts.seeking.say('No single number in the program as it ran makes this card: drag one in the code.');
    },

    hovered(node, edge, point, frame = null) {
      const { key, lines } = said(node, edge, frame);
      parts.tooltip.over(key, lines, point);
      if (view.hovered === (node?.id ?? null)) return;
      tellSpan('hover', state.model.sites[node?.sites[0]]);
      markLinked(node ? [node.id, ...node.rows.map(({ id }) => id)] : []);
      parts.curves.over(node);
    },

    /** A finger rests on something: it stays until the next touch. Once more on the same card, and it is what can be done with it. */
    held(node, edge, point, frame) {
      const { key, lines } = said(node, edge, frame);
      if (node && key === held) return selection.asked(node, point);
      held = key;
      const more = node && !state.model.sketch ? [['hold once more for what can be done with it', 'quiet']] : [];
      if (key !== null) parts.tooltip.pin(key, () => [...lines(), ...more], point);
    },

    /** The pointer is over something elsewhere in the page that is about a node. */
    linked(key) {
      const { model } = state;
      const node = key === null ? null : model.node.get(key) ?? model.node.get(model.stand(key)) ?? null;
      markLinked(key === null ? [] : [key]);
      parts.curves.over(node);
      if (view.linked === (node?.id ?? null)) return;
      view.linked = node?.id ?? null;
      root.dataset.linked = view.linked ?? '';
      parts.viewport.paint();
    },
  };
  return selection;
}
