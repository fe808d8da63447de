/** The player: puts stage, timeline and caption together and holds the two things that change, step and selection. */

import { createCamera } from './camera.js';
import { listenToEditor, nodeAtPlace, tell, tellBreakpoints, tellHello, tellSpan } from './bus.js';
import { createCaption } from './caption.js';
import { createDebugPanel } from './debug-panel.js';
import { h } from '../../../browser/dom.mjs';
import { createFind } from './find.js';
import { createFocus, related } from './focus.js';
import { createFolds } from './folds.js';
import { createGranularity } from './granularity.js';
import { createHelp } from './help.js';
import { listenToKeys } from './keyboard.js';
import { createLegend } from './legend.js';
import { listenToLinks } from './links.js';
import { createMinimap } from './minimap.js';
import { createModel } from './model.js';
import { overlayOfPath, readOverlay } from './overlay.js';
import { fontsOf } from './paint-card.js';
import { paletteVariables, readPalette } from './palette.js';
import { createPlayback } from './playback.js';
import styles from './player.css';
import { createQueueBar } from './queue-bar.js';
import { createReporter } from './report.js';
import { pointAt } from './route.js';
import { createGraphCanvas } from './graph-canvas.js';
import { complete, held, isSketch } from './tape.js';
import { forgetText } from './text.js';
import { createTimeline } from './timeline.js';
import { createToolbar } from './toolbar.js';
import { createTooltip, edgeLines, nodeLines } from './tooltip.js';
import { createNavigation } from './navigation.js';

const LEGEND_MS = 120;
const TIMES_KEPT = 200;

/**
 * @param {ShadowRoot | HTMLElement} parent
 * @param {object} memory   outlives the player, so that a remount finds camera, step and selection again
 */
export function createPlayer(parent, memory) {
  let model = createModel({});
  let step = 0;
  const view = {
    palette: null, fonts: null, scale: 1, area: null, lively: [],
    step: 0, overlay: null, selected: null, hovered: null, found: new Set(), focus: new Set(), focusKind: 'other', near: new Set(),
    kept: null, weighed: false,
  };
  const stepTimes = [];
  const reporter = createReporter();

  const canvas = h('div', { class: 'canvas', role: 'img' });
  const root = h('div', { class: 'player', tabindex: '-1', role: 'group', 'aria-label': 'Computation graph and playback' });
  const stage = createGraphCanvas(canvas, view, {
    painted,
    picked,
    hovered,
    moved: () => camera.detach(),
    zoomed: (factor, point) => camera.zoomBy(factor, point),
    opened: openGroup,
  });
  const camera = createCamera(stage.network, canvas, () => model);
  const travel = createNavigation({
    model: () => model,
    step: () => step,
    selected: () => model.node.get(view.selected) ?? null,
    seek: (target) => target !== step && goTo(target),
    say,
    changed(breakpoints) {
      tellBreakpoints(breakpoints.lines);
      showBreakpoints();
      reporter.tell('breakpoints', JSON.stringify(breakpoints), breakpoints);
    },
  });
  const playback = createPlayback(
    () => travel.advance(),
    (playing) => {
      timeline.setPlaying(playing);
      if (!playing) reporter.flush();
    },
  );
  const timeline = createTimeline({
    seek: (target) => userSeeks(target),
    step: (direction) => byUser(() => travel.step(direction)),
    grabbed: () => playback.pause(),
    released: () => reporter.flush(),
    toggle: togglePlay,
    speed: (factor) => {
      playback.speed = factor;
    },
  });
  const caption = createCaption();
  const granularity = createGranularity((id) => {
    travel.granularity = id;
  });
  const strip = createQueueBar((key) => showNode(key));
  const help = createHelp();
  const debug = createDebugPanel({
    change: (direction) => byUser(() => travel.change(direction)),
    go: (direction) => byUser(() => travel.go(direction)),
    add: (kind, one) => travel.toggle(kind, one),
    remove: (kind, one) => travel.toggle(kind, one),
    help: () => help.open(),
    state: () => ({
      breakpoints: travel.breakpoints, counts: travel.counts, selected: model.node.get(view.selected) ?? null, here: travel.here(),
      cells: model.cells,
    }),
  });
  const notice = h('div', { class: 'notice', role: 'status', 'aria-live': 'polite' });
  const legend = createLegend();
  const find = createFind(() => model, () => step, {
    changed(found) {
      view.found = new Set(found.map((node) => model.stand(node.id)));
      stage.paint();
    },
    visited(node) {
      if (!model.node.has(node.id)) return folds.reveal(node.id);
      camera.show([node]);
      select(node.id);
    },
  });
  const folds = createFolds({
    change(opened, anchor, wanted = null) {
      memory.anchor = anchorOf(anchor);
      memory.wanted = wanted;
      reporter.tell('folds', JSON.stringify([opened, wanted, model.rev]), { picture: model.picture, opened, wanted });
    },
  });
  const focus = createFocus(() => showFocus(true));
  const minimap = createMinimap({
    look(point) {
      camera.detach();
      stage.network.moveTo({ position: point });
    },
  });
  const toolbar = createToolbar(root, find.element, focus.element, {
    weigh,
    zoom: (factor) => camera.zoomBy(factor),
    fit: () => camera.fit(focusNodes(), { whole: true, animate: true }),
    follow: toggleFollow,
  });
  const area = h('div', { class: 'stage' }, canvas, debug.element, toolbar.element, folds.element, notice, legend.element, minimap.element);
  const under = h('div', { class: 'under' }, granularity.element, strip.element);
  const tooltip = createTooltip(area);
  area.append(tooltip.element);
  root.append(
    h('style', {}, styles),
    area,
    timeline.element,
    under,
    caption.element,
    help.element,
  );
  // A press with the mouse leaves the focus on the player, so that Space and the arrows keep their meaning.
  root.addEventListener('click', (event) => {
    if (event.detail > 0 && event.target.closest?.('button') && !event.target.closest('.find, .popover, .help, .opens')) root.focus({ preventScroll: true });
  });
  const stopKeys = listenToKeys(root, {
    ArrowLeft: () => byUser(() => travel.step(-1, 'event')),
    ArrowRight: () => byUser(() => travel.step(1, 'event')),
    'Shift+ArrowLeft': () => byUser(() => travel.step(-1, 'line')),
    'Shift+ArrowRight': () => byUser(() => travel.step(1, 'line')),
    Home: () => userSeeks(0),
    End: () => userSeeks(model.last),
    '[': () => byUser(() => travel.step(-1, 'pass')),
    ']': () => byUser(() => travel.step(1, 'pass')),
    ' ': togglePlay,
    n: () => byUser(() => travel.change(1)),
    p: () => byUser(() => travel.change(-1)),
    b: () => byUser(() => travel.toggleHere()),
    c: () => byUser(() => travel.go(1)),
    C: () => byUser(() => travel.go(-1)),
    '?': () => help.open(),
    '/': () => find.focus(),
    x: () => folds.closeAround(view.selected) || say('The selected node is in no open group.'),
    f: () => focus.next(),
    w: weigh,
    Enter: () => openGroup(model.node.get(view.selected)),
    Escape: () => {
      tooltip.hide();
      debug.close();
      say('');
    },
    '+': () => camera.zoomBy(1.25),
    '=': () => camera.zoomBy(1.25),
    '-': () => camera.zoomBy(1 / 1.25),
    0: () => camera.fit(focusNodes(), { whole: true, animate: true }),
  });

  let size = { width: 0, height: 0 };
  const links = listenToLinks({
    pressed: () => root.focus({ preventScroll: true }),
    step: (target) => {
      userSeeks(target);
      reporter.flush();
    },
    select: showNode,
    marks(data) {
      showOverlay(data && overlayOfPath(data, model));
      const marked = [...(view.overlay?.nodes.keys() ?? [])].map((id) => model.node.get(id));
      if (marked.length > 0) whenSized(() => camera.reveal(marked));
    },
  });

  const stopEditor = listenToEditor({
    cursor(place) {
      const node = nodeAtPlace(model, place, step);
      if (!node || node.id === view.selected) return;
      select(node.id);
      whenSized(() => bringIntoView(node));
    },
    hello() {
      tellSelected();
      if (travel.breakpoints.lines.length > 0) tellBreakpoints(travel.breakpoints.lines);
    },
    breakpoints(lines) {
      travel.assume({ ...travel.breakpoints, lines });
      showBreakpoints();
      reporter.tell('breakpoints', JSON.stringify(travel.breakpoints), travel.breakpoints);
    },
  });

  let greeted = false;
  let waiting = null; // what to do as soon as the stage has a size
  const sizes = new ResizeObserver(() => resized());
  sizes.observe(canvas);
  document.fonts?.ready.then(() => {
    forgetText();
    if (root.isConnected) stage.paint();
  });

  const handle = {
    screen: stage.screen,
    stepTimes,
    /** The last `gradtape:moment`, for listeners that come late. */
    moment: null,
    scale: () => camera.scale(),
    /** Ids of the nodes that carry this title at this step, in the order of the payload. */
    find: (title) => model.nodes.filter((node) => (node.face?.title ?? node.title) === title).map((node) => node.id),
    /** Ids of the closed groups on show. */
    groups: () => model.nodes.filter((node) => node.group).map((node) => node.id),
    open: (id) => openGroup(model.node.get(id)),
    /** Ids of the open groups. */
    opened: () => model.fold.opened.map(({ id }) => id),
    say,
    /** What backward passes recorded of themselves: pass and node ids. */
    regions: () => model.regions.map(({ pass, nodes }) => ({ pass, nodes: nodes.map((node) => node.id) })),
    /** Middle of the first edge between two nodes, in page coordinates. */
    edge(from, to) {
      const found = model.edges.find((edge) => edge.from === from && edge.to === to);
      return found ? stage.place(...pointAt(found.curve, 0.5)) : null;
    },
    get step() {
      return step;
    },
  };

  function update({ data, setStateValue }) {
    reporter.connect(setStateValue);
    if (!root.isConnected) parent.append(root);
    holdOpacity(root);
    readTheme();
    const payload = complete(data ?? {}, memory);
    // Python takes for granted what was here before; it sends everything again when it hears that it is not.
    if (payload === null) return reporter.tell('holds', '', {});
    if (payload.large) {
      const holds = held(payload, memory);
      reporter.tell('holds', JSON.stringify(holds), holds);
    }
    window.__gradtapePlayer = handle;
    const other = payload.rev !== model.rev;
    if (isSketch(payload)) {
      if (other) sketch(payload);
      return;
    }
    const fresh = other || model.sketch;
    if (fresh) load(payload);
    if (!greeted) tellHello();
    greeted = true;
    const given = JSON.stringify(payload.overlay ?? null);
    if (fresh || given !== memory.overlay) {
      links.forget();
      showOverlay(payload.overlay);
    }
    memory.overlay = given;
    const stops = JSON.stringify(payload.breakpoints ?? null);
    if (payload.breakpoints && stops !== memory.given) {
      travel.assume(payload.breakpoints);
      reporter.known('breakpoints', JSON.stringify(travel.breakpoints));
      tellBreakpoints(travel.breakpoints.lines);
      showBreakpoints();
    }
    memory.given = stops;
    if (!fresh && payload.captions) caption.show(model.steps[step].caption);
    if (!fresh && payload.details) model.edges.forEach((edge) => { edge.details = payload.details[edge.id] ?? {}; });
    obey(payload.cmd);
    if (size.width > 0) stage.paint();
  }

  /**
   * The picture of a large recording, while Python works out what happens in it. Nothing that is remembered is touched but the
   * camera: `load` goes on from there.
   */
  function sketch(payload) {
    playback.pause();
    const stays = payload.keep && memory.camera && memory.camera.mode !== 'fit' ? memory.camera : null;
    draw(payload);
    model.show(model.last);
    timeline.show(model.last);
    view.focus = new Set(model.focusAt(model.last));
    view.focusKind = model.segments.at(-1)?.kind ?? 'other';
    view.near = new Set(stage.edgesOf(view.selected));
    caption.show([['Reading the tape …', 'plain']]);
    showOverlay(null);
    whenSized(() => (stays ? camera.restore(stays) : camera.fit(focusNodes())));
    if (size.width > 0) stage.paint();
  }

  /** Put a graph in the place of the last one. */
  function draw(payload) {
    model = createModel(payload);
    folds.show(model);
    stage.setGraph(model, payload.network ?? {});
    timeline.setModel(model);
    legend.setEntries(model.legend);
    canvas.setAttribute('aria-label', `Graph of ${model.nodes.length} nodes and ${model.edges.length} edges. A table of the nodes is available.`);
    root.dataset.nodes = String(model.nodes.length);
    root.toggleAttribute('data-sketch', model.sketch);
    for (const part of [timeline.element, under, debug.element]) part.toggleAttribute('inert', model.sketch);
    view.hovered = null;
    tooltip.hide();
  }

  function load(payload) {
    playback.pause();
    const remembered = memory.rev === payload.rev;
    // A program that was changed and run again goes on at the same moment, in the same place.
    const kept = !remembered && payload.keep && payload.keep.run !== memory.kept && memory.step !== undefined ? payload.keep : null;
    memory.kept = payload.keep?.run;
    const nodesBefore = model.nodes.length;
    const cameraBefore = memory.camera; // putting the graph in place moves the view
    const start = remembered ? memory.step : kept ? kept.step : startStep(payload);
    const refolded = memory.picture === payload.picture && memory.picture !== undefined;
    memory.picture = payload.picture;
    const sketched = model.sketch && model.rev === payload.rev;
    draw(payload);
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
    strip.element.hidden = model.passes === 0;
    travel.assume(memory.breakpoints ?? travel.breakpoints);
    goTo(start, { quiet: true });
    const selected = kept ? kept.selected : refolded && memory.wanted ? memory.wanted : memory.selected;
    select(selected ? model.stand(selected) : null);
    tellSelected();
    showBreakpoints();
    find.refresh();
    const stays = kept && (cameraBefore?.mode !== 'fit' || nodesBefore === model.nodes.length);
    const saved = remembered || stays || sketched ? cameraBefore : null;
    if (refolded && !remembered && !sketched) whenSized(() => holdCamera(cameraBefore));
    else whenSized(() => (saved ? camera.restore(saved) : camera.fit(focusNodes())));
    memory.wanted = null;
    reporter.step(step);
    reporter.flush();
  }

  /** Where on the screen is what a fold is about to change? */
  function anchorOf(id) {
    const node = model.node.get(model.stand(id ?? '') ?? view.selected ?? '');
    if (!node) return null;
    const { x, y } = stage.network.canvasToDOM({ x: node.box.left, y: node.y });
    return { id: node.id, x, y };
  }

  /** The picture was folded otherwise: what was opened or closed stays where it is, and with it the view. */
  function holdCamera(before) {
    const { anchor } = memory;
    memory.anchor = null;
    const wanted = model.node.get(view.selected);
    if (!before || before.mode === 'fit') return camera.fit(focusNodes(), { whole: model.nodes.length < 60 });
    const there = anchor && (model.node.get(anchor.id) ?? model.nodes.find((node) => node.id.startsWith(`${anchor.id}/`)) ?? wanted);
    if (!there) return camera.restore(before);
    camera.hold({ x: there.box.left, y: there.y }, anchor, before.scale);
  }

  /** Select a node and bring it into view; what hides it is opened, or else stands for it. */
  function showNode(wanted, open = true) {
    if (open && model.hidden.has(wanted)) folds.reveal(wanted);
    const id = open ? wanted : model.stand(wanted);
    if (!model.node.has(id)) return;
    select(id);
    whenSized(() => bringIntoView(model.node.get(id)));
  }

  function openGroup(node) {
    if (node?.group) folds.open(node.id);
  }

  /** A new run opens at its end; another view of the same run (as many steps) stays where it was. */
  function startStep(payload) {
    const total = payload.steps?.length ?? 0;
    return memory.total === total && memory.step !== undefined ? memory.step : Math.max(0, total - 1);
  }

  function obey(command) {
    if (!command || command.n <= (memory.command ?? -Infinity)) return;
    memory.command = command.n;
    if (command.step != null) {
      playback.pause();
      goTo(command.step);
      reporter.flush();
    }
    if (command.select != null) showNode(command.select, command.open !== false);
  }

  function showOverlay(data) {
    view.overlay = readOverlay(data, model);
    root.dataset.overlay = view.overlay ? String(view.overlay.nodes.size + view.overlay.edges.size + view.overlay.links.length) : '';
    legend.setEntries([...model.legend, ...(view.overlay?.legend ?? [])]);
    updateLegend();
    if (size.width > 0) stage.paint();
  }

  function goTo(target, { quiet = false } = {}) {
    if (model.sketch) return;
    const started = performance.now();
    const next = Math.min(model.last, Math.max(0, target));
    step = next;
    view.step = next;
    memory.step = next;
    model.show(step);
    strip.show(model.queue, titleOf);
    const { phase, caption: parts = [], cell = 0, span = null } = model.steps[step] ?? {};
    view.focus = new Set(model.focusAt(step));
    view.focusKind = model.segments[phase]?.kind ?? 'other';
    timeline.show(step);
    caption.show(parts);
    root.dataset.step = String(step);
    handle.moment = { step, cell, span, total: model.steps.length };
    tell('gradtape:moment', handle.moment);
    tooltip.hide();
    if (notice.textContent) say('');
    if (quiet) return;
    reporter.step(step);
    if (size.width > 0) {
      camera.follow(focusNodes(), playback.speed <= 2);
      stage.paint();
      updateLegend();
    }
    stepTimes.push(performance.now() - started);
    if (stepTimes.length > TIMES_KEPT) stepTimes.shift();
  }

  function titleOf(id) {
    const node = model.node.get(id);
    return node?.face.title ?? node?.title ?? model.hidden.get(id)?.names[0] ?? '';
  }

  /** A word about what could not be done, or why play stopped; until the next step. */
  function say(text) {
    notice.textContent = text;
  }

  function showBreakpoints() {
    memory.breakpoints = travel.breakpoints;
    root.dataset.breakpoints = String(travel.breakpoints.lines.length + travel.breakpoints.tensors.length);
    debug.show();
    timeline.setPins(travel.stops, model.node.get(view.selected)?.changes ?? []);
  }

  function tellSelected() {
    tellSpan('select', model.sites[model.node.get(view.selected)?.sites[0]]);
  }

  function picked(id, edge, point) {
    if (edge) tooltip.pin(edge.id, () => edgeLines(edge, model, step), point);
    else {
      tooltip.hide();
      select(id);
    }
  }

  function hovered(node, edge, point) {
    const thing = node ?? edge;
    tooltip.over(thing?.id ?? null, () => (node ? nodeLines(node) : edgeLines(edge, model, step)), point);
    if (view.hovered !== (node?.id ?? null)) tellSpan('hover', model.sites[node?.sites[0]]);
  }

  function byUser(action) {
    playback.pause();
    say('');
    action();
  }

  function userSeeks(target) {
    playback.pause();
    if (Math.min(model.last, Math.max(0, target)) !== step) goTo(target);
  }

  function togglePlay() {
    if (model.sketch) return;
    if (!playback.playing() && step >= model.last) goTo(0);
    playback.toggle();
  }

  function select(id) {
    const changed = view.selected !== id;
    view.selected = id;
    memory.selected = id;
    view.near = new Set(stage.edgesOf(id));
    root.dataset.selected = id ?? '';
    reporter.selected(id);
    if (!changed) return;
    showFocus(false);
    folds.select(id);
    tell('gradtape:select', { id });
    tellSelected();
    showBreakpoints();
    if (size.width > 0) stage.paint();
  }

  /** What is related to the selected node stays, the rest steps back; `move` brings all of it into view. */
  function showFocus(move) {
    view.kept = focus.distance === '' ? null : related(model, view.selected, focus.distance);
    if (focus.distance !== '' && view.kept === null) say('Select a node to focus on it.');
    root.dataset.kept = view.kept ? String(view.kept.size) : '';
    if (size.width === 0) return;
    if (move && view.kept) camera.reveal([...view.kept].map((id) => model.node.get(id)));
    stage.paint();
  }

  function weigh() {
    view.weighed = !view.weighed;
    toolbar.showWeighed(view.weighed);
    stage.paint();
  }

  function toggleFollow() {
    camera.following = !camera.following;
    if (camera.following) camera.follow(focusNodes(), true);
    toolbar.showFollowing(camera.following);
  }

  function focusNodes() {
    return model.focusAt(step).map((id) => model.node.get(id)).filter(Boolean);
  }

  function bringIntoView(node) {
    const { following } = camera;
    camera.following = true;
    camera.follow([node], true);
    camera.following = following;
  }

  let legendTimer = null;
  function painted() {
    if (!root.dataset.ready && size.width > 0) root.dataset.ready = 'true';
    toolbar.showFollowing(camera.following);
    minimap.update(model, view.area, view.palette);
    area.classList.toggle('mapped', !minimap.element.hidden);
    if (root.offsetParent !== null && waiting === null && size.width > 0) memory.camera = camera.state();
    clearTimeout(legendTimer);
    legendTimer = setTimeout(updateLegend, LEGEND_MS);
  }

  function updateLegend() {
    if (!view.area) return;
    legend.update(model, view.area);
  }

  function whenSized(action) {
    if (size.width === 0) waiting = action;
    else action();
  }

  /** Keep what is in the middle there, or fit again; vis-network would change the zoom along with the size. */
  function resized() {
    const width = canvas.clientWidth;
    const height = canvas.clientHeight;
    if (width === 0 || height === 0 || (width === size.width && height === size.height)) return;
    const opening = size.width === 0;
    const before = opening ? null : camera.state();
    size = { width, height };
    stage.paint();
    if (waiting) waiting();
    else if (before?.mode === 'fit') camera.fit(focusNodes(), { whole: true });
    else if (before) camera.restore(before);
    waiting = null;
    stage.paint();
    updateLegend();
  }

  function readTheme() {
    const palette = readPalette(root);
    if (view.palette && JSON.stringify(palette) === JSON.stringify(view.palette)) return;
    if (view.palette?.font !== palette.font) forgetText();
    view.palette = palette;
    view.fonts = fontsOf(palette.font);
    for (const [name, value] of paletteVariables(palette)) root.style.setProperty(name, value);
    root.dataset.theme = palette.dark ? 'dark' : 'light';
  }

  function destroy() {
    playback.pause();
    reporter.cancel();
    stopKeys();
    links.stop();
    stopEditor();
    sizes.disconnect();
    timeline.destroy();
    clearTimeout(legendTimer);
    stage.destroy();
    root.remove();
    if (window.__gradtapePlayer === handle) delete window.__gradtapePlayer;
  }

  return { update, destroy };
}

/** Streamlit fades what it deems stale during a rerun; the player is never stale, its data says what it shows. */
function holdOpacity(root) {
  const host = root.getRootNode().host ?? root;
  host.closest('[data-testid="stElementContainer"]')?.style.setProperty('opacity', '1', 'important');
}
