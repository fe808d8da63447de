/** What Python sends is put on show: another graph, the same one with more in it, marks, a command. */

import { tellHello } from './bus.js';
import { createModel } from './model.js';
import { readOverlay } from './overlay.js';
import { focusNodes } from './state.js';
import { isSketch } from './tape.js';

/**
 * @param {import('./state.js').State} state
 * @param {object} parts   all of the player's
 * @param {{root: HTMLElement, canvas: HTMLElement, under: HTMLElement}} elements
 */
export function createLoading(state, parts, { root, canvas, under }) {
  const { view, memory } = state;
  let greeted = false;

  const loading = {
    /** Take over a payload, or what is new in it. */
    take(payload) {
      const other = payload.rev !== state.model.rev;
      if (isSketch(payload)) {
        if (other) sketch(payload);
        return;
      }
      const fresh = other || state.model.sketch;
      if (fresh) load(payload);
      if (!greeted) tellHello();
      greeted = true;
      const given = JSON.stringify(payload.overlay ?? null);
      if (fresh || given !== memory.overlayGiven) {
        parts.links.forget();
        loading.showOverlay(payload.overlay);
      }
      memory.overlayGiven = given;
      parts.breakpoints.fromPython(payload.breakpoints);
      if (!fresh && payload.captions) parts.caption.show(state.model.steps[state.step].caption);
      if (!fresh && payload.details) state.model.edges.forEach((edge) => { edge.details = payload.details[edge.id] ?? {}; });
      obey(payload.cmd);
      parts.viewport.paint();
    },

    /** Lay marks over the graph, as `overlay.js` describes them, in the place of those that are there. */
    showOverlay(data) {
      view.overlay = readOverlay(data, state.model);
      root.dataset.overlay = view.overlay ? String(view.overlay.nodes.size + view.overlay.edges.size + view.overlay.links.length) : '';
      parts.legend.setEntries([...state.model.legend, ...(view.overlay?.legend ?? [])]);
      parts.viewport.updateLegend();
      parts.viewport.paint();
    },
  };

  /**
   * The picture of a large recording, while Python works out what happens in it. Nothing that is remembered is touched but the
   * camera: `load` goes on from there.
   */
  function sketch(payload) {
    const { camera, viewport } = parts;
    parts.playback.pause();
    const stays = payload.keep && memory.camera && memory.camera.mode !== 'fit' ? memory.camera : null;
    draw(payload);
    const { model } = state;
    model.show(model.last);
    parts.timeline.show(model.last);
    view.focus = new Set(model.focusAt(model.last));
    view.focusKind = model.segments.at(-1)?.kind ?? 'other';
    view.near = new Set(parts.graphCanvas.edgesOf(view.selected));
    parts.caption.show([['Reading the tape …', 'plain']]);
    loading.showOverlay(null);
    viewport.look(() => (stays ? goOn(stays, true) : camera.fit(focusNodes(state))));
    viewport.paint();
  }

  /** Put a graph in the place of the last one. */
  function draw(payload) {
    const model = createModel(payload);
    state.model = model;
    parts.folds.show(model);
    parts.graphCanvas.setGraph(model, payload.network ?? {});
    parts.timeline.setModel(model);
    parts.legend.setEntries(model.legend);
    canvas.setAttribute('aria-label', `Graph of ${model.nodes.length} nodes and ${model.edges.length} edges. A table of the nodes is available.`);
    root.dataset.nodes = String(model.nodes.length);
    root.toggleAttribute('data-sketch', model.sketch);
    for (const part of [parts.timeline.element, under, parts.debugPanel.element]) part.toggleAttribute('inert', model.sketch);
    view.hovered = null;
    parts.tooltip.hide();
  }

  /** Show a recording, at the moment, node and place that are remembered of it or of the one before. */
  function load(payload) {
    const { camera, viewport, reporter, selection } = parts;
    parts.playback.pause();
    const remembered = memory.rev === payload.rev;
    // A program that was changed and run again goes on at the same moment, in the same place.
    const kept = !remembered && payload.keep && payload.keep.run !== memory.keptRun && memory.step !== undefined ? payload.keep : null;
    memory.keptRun = payload.keep?.run;
    const nodesBefore = state.model.nodes.length;
    const cameraBefore = memory.camera; // putting the graph in place moves the view
    const start = remembered ? memory.step : kept ? kept.step : startStep(payload);
    const refolded = memory.picture === payload.picture && memory.picture !== undefined;
    memory.picture = payload.picture;
    const sketched = state.model.sketch && state.model.rev === payload.rev;
    draw(payload);
    const { model } = state;
    reporter.known('folds', null); // what was wanted of the picture before may be wanted again
    if (memory.rev === undefined) {
      // What Python takes for granted before it has heard anything. A remount says everything again.
      reporter.assume('step', model.last);
      reporter.assume('selected', null);
    }
    memory.rev = payload.rev;
    memory.total = model.steps.length;
    root.dataset.total = String(model.steps.length);
    root.dataset.passes = String(model.passes);
    parts.queueBar.element.hidden = model.passes === 0;
    parts.navigation.assume(memory.breakpoints ?? parts.navigation.breakpoints);
    parts.seeking.goTo(start, { quiet: true });
    const selected = kept ? kept.selected : refolded && memory.wanted ? memory.wanted : memory.selected;
    selection.select(selected ? model.stand(selected) : null);
    selection.tellSelected();
    parts.breakpoints.show();
    parts.find.refresh();
    const stays = kept && (cameraBefore?.mode !== 'fit' || nodesBefore === model.nodes.length);
    const saved = remembered || stays || sketched ? cameraBefore : null;
    if (refolded && !remembered && !sketched) viewport.look(() => viewport.hold(cameraBefore));
    else viewport.look(() => (saved ? goOn(saved, kept) : camera.fit(focusNodes(state))));
    memory.wanted = null;
    reporter.step(state.step);
    reporter.flush();
  }

  /** The view as it was: of the same graph in the size of today, of another one at the same place. */
  function goOn(before, moved) {
    parts.camera.restore(before);
    if (moved) parts.camera.leave();
    else parts.camera.refit(focusNodes(state), { anew: true });
  }

  /** A new run opens at its end; another view of the same run (as many steps) stays where it was. */
  function startStep(payload) {
    const total = payload.steps?.length ?? 0;
    return memory.total === total && memory.step !== undefined ? memory.step : Math.max(0, total - 1);
  }

  /** Do what Python asks for, once. */
  function obey(command) {
    if (!command || command.n <= memory.command) return;
    memory.command = command.n;
    if (command.step != null) {
      parts.playback.pause();
      parts.seeking.goTo(command.step);
      parts.reporter.flush();
    }
    if (command.select != null) parts.selection.show(command.select, command.open !== false);
  }

  return loading;
}
