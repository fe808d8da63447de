/** What Python sends is put on show: another graph, the same one with more in it, marks, a command. */

import { tellHello } from './bus.js';
import { createModel, runOf } from './model.js';
import { readOverlay } from './overlay.js';
import { recordingOf } from './report.js';
import { focusNodes, soughtNodes, titleOf } from './state.js';
import { tellSteps } from './steps.js';
import { isSketch, windowsOf } from './store.js';

/**
 * @param {import('./state.js').State} state
 * @param {object} parts   all of the player's
 * @param {{root: HTMLElement, canvas: HTMLElement, under: HTMLElement}} elements
 */
export function createLoading(state, parts, { root, canvas, under }) {
  const { view, memory } = state;
  let greeted = false;
  let opened = false; // a rolled run is looked at for the first time

  /** A picture's name without what is turned in it. */
  const shapeless = (picture) => picture?.replace(/\|rolled[^|]*$/, '|rolled');

  const loading = {
    /** Take over a payload, or what is new in it.  @param {import('./model.js').Payload} payload */
    take(payload) {
      const other = payload.rev !== state.model.rev;
      if (isSketch(payload)) {
        if (other) sketch(payload);
        return;
      }
      const fresh = other || state.model.sketch;
      const refolded = fresh && load(payload);
      if (payload.address) state.model.address = payload.address;
      const { rolled, nodes, edges, running } = payload;
      const told = payload.told ?? (rolled?.window && { window: rolled.window, nodes, edges, running });
      if (told) learn(told, payload.details);
      if (payload.found) found(payload.found);
      if (!greeted) tellHello();
      greeted = true;
      const given = JSON.stringify(payload.overlay ?? null);
      if (fresh || given !== memory.overlayGiven) {
        if (!refolded) parts.links.forget();
        loading.showOverlay(payload.overlay);
        parts.links.again();
      }
      memory.overlayGiven = given;
      parts.film.name = payload.name ?? '';
      parts.breakpoints.fromPython(payload.breakpoints);
      if (!fresh && payload.captions) caption(payload);
      if (!fresh && payload.details && !state.model.windows) state.model.edges.forEach((edge) => { edge.details = payload.details[edge.id] ?? {}; });
      obey(payload.cmd, opened);
      opened = false;
      if (!fresh) parts.tooltip.refresh();
      parts.viewport.paint();
    },

    /** What was fetched is put on show: more of what happens in the picture.  @param {import('./protocol').Message} message */
    fetched({ told, moments, details, found: more }) {
      if (told) learn({ ...told, running: moments?.running }, details);
      if (more) found(more);
      if (moments) caption(moments);
      parts.tooltip.refresh();
      parts.viewport.paint();
    },

    /** Lay marks over the graph, as `overlay.js` describes them, in the place of those that are there. */
    showOverlay(data) {
      view.overlay = readOverlay(data, state.model);
      root.dataset.overlay = view.overlay ? String(view.overlay.nodes.size + view.overlay.edges.size + view.overlay.links.length) : '';
      setLegend([...state.model.legend, ...(view.overlay?.legend ?? [])]);
      parts.viewport.updateLegend();
      parts.viewport.paint();
    },
  };

  /** Captions have come, of all steps or of some; the steps may be others than those on show, which have kept theirs. */
  function caption(payload) {
    const { model, step } = state;
    tellSteps(model.steps, payload);
    view.focus = new Set(model.focusAt(step));
    parts.caption.show(model.steps.at(step).caption);
    parts.iterations.told();
  }

  /** Of the picture on show there is more: what the cards show in other steps.  @param {import('./protocol').Told} told */
  function learn(told, details) {
    const { model } = state;
    if (!model.windows || model.windows.cover(...told.window)) return;
    const edges = details ? told.edges.map((edge) => ({ ...edge, details: details[edge.id] })) : told.edges;
    model.learn(told.window, { ...told, edges });
    parts.iterations.learned();
    parts.queueBar.show(model.queue, (id) => titleOf(state, id));
  }

  /** What is wrong or odd about the run is known, which the picture did not wait for.  @param {import('./protocol').Found} found */
  function found({ marks, nodes }) {
    const { model } = state;
    if (model.found) return;
    model.found = true;
    for (const each of model.nodes) each.findings = nodes[each.id] ?? each.findings;
    if (model.rolled) model.rolled.tell(marks);
    parts.curves.show(state.step);
  }

  const setLegend = (entries) => parts.legend.setEntries(entries, state.model.edges.some(({ carried }) => carried));

  /**
   * The picture of a large recording, while Python works out what happens in it. Nothing that is remembered is touched but the
   * camera: `load` goes on from there.
   */
  function sketch(payload) {
    const { camera, viewport } = parts;
    parts.playback.pause();
    const stays = payload.keep && memory.camera && memory.camera.mode !== 'fit' && alike(payload) ? memory.camera : null;
    draw(payload);
    const { model } = state;
    model.show(model.last);
    parts.timeline.show(model.last);
    parts.iterations.show(model.last);
    view.focus = new Set(model.focusAt(model.last));
    view.focusKind = model.segments.at(-1)?.kind ?? 'other';
    view.near = new Set(parts.graphCanvas.edgesOf(view.selected));
    parts.caption.show([['Reading the tape …', 'plain']]);
    loading.showOverlay(null);
    viewport.look(() => (stays ? goOn(stays, true) : camera.fit(soughtNodes(state))));
    viewport.paint();
  }

  /** Put a graph in the place of the last one. */
  function draw(payload) {
    const model = createModel(payload, windowsOf(payload.rev, memory));
    state.model = model;
    parts.iterations.setModel(model);
    parts.viewport.arrange();
    parts.folds.show(model);
    parts.choices.loaded();
    parts.graphCanvas.setGraph(model, payload.network ?? null);
    parts.timeline.setModel(model);
    setLegend(model.legend);
    canvas.setAttribute('aria-label', `Graph of ${model.nodes.length} nodes and ${model.edges.length} edges. A table of the nodes is available.`);
    root.dataset.nodes = String(model.nodes.length);
    root.toggleAttribute('data-sketch', model.sketch);
    for (const part of [parts.timeline.element, under, parts.debugPanel.element]) part.toggleAttribute('inert', model.sketch);
    view.hovered = null;
    view.linked = null;
    view.glide = null;
    parts.tooltip.hide();
  }

  /**
   * Show a recording, at the moment, node and position that are remembered of it or of the one before; whether it is the picture
   * that was there, with other groups open.
   */
  function load(payload) {
    const { camera, viewport, reporter, selection } = parts;
    parts.looks.loading();
    parts.playback.pause();
    const remembered = memory.rev === payload.rev;
    // A program that was changed and run again goes on at the same moment, with the camera in the same position.
    const kept = !remembered && payload.keep && payload.keep.run !== memory.keptRun && memory.step !== undefined ? payload.keep : null;
    memory.keptRun = payload.keep?.run;
    const nodesBefore = state.model.nodes.length;
    const cameraBefore = memory.camera; // putting the graph in place moves the view
    // Of a run that has grown this player knows best where it is: what it has not told yet counts.
    const stayed = kept?.grown && memory.step < memory.total - 1;
    const start = remembered || stayed ? memory.step : kept ? kept.step : startStep(payload);
    // The same picture with other groups open, or with loops turned.
    const refolded = memory.picture !== undefined && shapeless(memory.picture) === shapeless(payload.picture);
    const another = memory.picture !== undefined && runOf(memory.picture) !== runOf(payload.picture) && !payload.keep;
    memory.picture = payload.picture;
    const sketched = state.model.sketch && state.model.rev === payload.rev;
    const lies = alike(payload);
    const places = refolded && !sketched && viewport.hasRoom() ? parts.glide.places() : null;
    draw(payload);
    const { model } = state;
    reporter.known('folds', null); // what was wanted of the picture before may be wanted again
    if (memory.rev === undefined) reporter.begin(); // a remount says everything again
    memory.rev = payload.rev;
    memory.total = model.steps.length;
    root.dataset.total = String(model.steps.length);
    root.dataset.passes = String(model.passes);
    parts.queueBar.element.hidden = model.passes === 0;
    parts.navigation.assume(memory.breakpoints ?? parts.navigation.breakpoints);
    parts.seeking.goTo(start, { quiet: true });
    const selected = kept && !kept.grown ? kept.selected : refolded && memory.wanted ? memory.wanted : memory.selected;
    selection.select(selected ? model.stand(selected) : null);
    const sought = refolded && memory.wanted ? model.node.get(view.selected) : null;
    selection.tellSelected();
    parts.breakpoints.show();
    if (another) parts.find.clear();
    else parts.find.refresh();
    const stays = kept && lies && (cameraBefore?.mode !== 'fit' || nodesBefore === model.nodes.length);
    const saved = remembered || stays || sketched ? cameraBefore : null;
    if (refolded && !remembered && !sketched) {
      viewport.look(() => {
        viewport.hold(cameraBefore);
        if (places) parts.glide.start(places);
        // What was asked for is seen whole, wherever its group was.
        if (sought) camera.reveal([sought]);
      });
    } else {
      viewport.look(() => (saved ? goOn(saved, kept) : camera.fit(soughtNodes(state))));
      // Another view of the same run: what was looked at is to be seen.
      if (!saved && !lies && view.selected) viewport.whenSized(() => camera.bring(view.selected, false));
    }
    opened = Boolean(model.rolled?.on) && !remembered && !stays && !refolded;
    if (!model.away.has(memory.wanted)) memory.wanted = null;
    viewport.whenSized(() => parts.looks.loaded());
    reporter.flush();
    return refolded;
  }

  /** Does a picture lie as the one on show? In another view, turned, or with its loops rolled or not, a place means nothing. */
  const alike = ({ view: name, direction, rolled }) => name === state.model.view && (direction === 'TB') === state.model.vertical
    && Boolean(rolled?.on) === Boolean(state.model.rolled?.on);

  /** The view as it was: of the same graph in the size of today, of another one in the same position. */
  function goOn(before, moved) {
    parts.camera.restore(before);
    if (moved) parts.camera.leave();
    else parts.camera.refit(soughtNodes(state), { anew: true });
  }

  /** A new run opens at its end; another view of the same run stays where it was. */
  function startStep({ picture, steps }) {
    const same = memory.step !== undefined && recordingOf(memory.picture) === recordingOf(picture);
    return same ? memory.step : Math.max(0, (steps?.length ?? 0) - 1);
  }

  /** Do what Python asks for, once.  @param {import('./protocol').Command | undefined} command */
  function obey(command, first) {
    if (!command || command.n <= memory.command) return;
    memory.command = command.n;
    if (command.step != null) {
      parts.playback.pause();
      parts.seeking.goTo(command.step);
      parts.reporter.flush();
      if (command.until > command.step) parts.playback.play(command.until);
    }
    if (command.select == null) return;
    // The first sight of a run is its beginning, whatever is selected.
    if (first && state.model.node.has(command.select)) parts.selection.select(command.select);
    else parts.selection.show(command.select, command.open !== false);
  }

  return loading;
}
