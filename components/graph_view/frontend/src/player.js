/** The player: puts stage, timeline and caption together and holds the two things that change, step and selection. */

import { createCamera } from './camera.js';
import { createCaption } from './caption.js';
import { h } from './dom.js';
import { createFind } from './find.js';
import { listenToKeys } from './keyboard.js';
import { createLegend } from './legend.js';
import { createModel } from './model.js';
import { fontsOf } from './paint-card.js';
import { paletteVariables, readPalette } from './palette.js';
import { createPlayback } from './playback.js';
import styles from './player.css';
import { createReporter } from './report.js';
import { createStage } from './stage.js';
import { forgetText } from './text.js';
import { createTimeline, segmentStart } from './timeline.js';
import { createToolbar } from './toolbar.js';

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
    selected: null, hovered: null, found: new Set(), focus: new Set(), focusKind: 'other', near: new Set(),
  };
  const stepTimes = [];
  const reporter = createReporter();

  const canvas = h('div', { class: 'canvas', role: 'img' });
  const root = h('div', { class: 'player', tabindex: '-1', role: 'group', 'aria-label': 'Computation graph and playback' });
  const stage = createStage(canvas, view, {
    painted,
    picked: (id) => select(id),
    moved: () => camera.detach(),
    zoomed: (factor, point) => camera.zoomBy(factor, point),
  });
  const camera = createCamera(stage.network, canvas, () => model);
  const playback = createPlayback(
    () => {
      if (step >= model.last) return false;
      goTo(step + 1);
      return step < model.last;
    },
    (playing) => {
      timeline.setPlaying(playing);
      if (!playing) reporter.flush();
    },
  );
  const timeline = createTimeline({
    seek: (target) => userSeeks(target),
    grabbed: () => playback.pause(),
    released: () => reporter.flush(),
    toggle: togglePlay,
    speed: (factor) => {
      playback.speed = factor;
    },
  });
  const caption = createCaption();
  const legend = createLegend();
  const find = createFind(() => model, {
    changed(found) {
      view.found = new Set(found.map((node) => node.id));
      stage.paint();
    },
    visited(node) {
      camera.show([node]);
      select(node.id);
    },
  });
  const toolbar = createToolbar(root, find.element, {
    zoom: (factor) => camera.zoomBy(factor),
    fit: () => camera.fit(focusNodes(), { whole: true, animate: true }),
    follow: toggleFollow,
  });
  root.append(
    h('style', {}, styles),
    h('div', { class: 'stage' }, canvas, toolbar.element, legend.element),
    timeline.element,
    caption.element,
  );
  // A press with the mouse leaves the focus on the player, so that Space and the arrows keep their meaning.
  root.addEventListener('click', (event) => {
    if (event.detail > 0 && event.target.closest?.('button') && !event.target.closest('.find')) root.focus({ preventScroll: true });
  });
  const stopKeys = listenToKeys(root, {
    ArrowLeft: () => userSeeks(step - 1),
    ArrowRight: () => userSeeks(step + 1),
    Home: () => userSeeks(0),
    End: () => userSeeks(model.last),
    '[': () => userSeeks(segmentStart(model.segments, step, -1) ?? 0),
    ']': () => userSeeks(segmentStart(model.segments, step, 1) ?? model.last),
    ' ': togglePlay,
    '+': () => camera.zoomBy(1.25),
    '=': () => camera.zoomBy(1.25),
    '-': () => camera.zoomBy(1 / 1.25),
    0: () => camera.fit(focusNodes(), { whole: true, animate: true }),
  });

  let waiting = null; // what to do as soon as the stage has a size
  let size = { width: 0, height: 0 };
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
    get step() {
      return step;
    },
  };

  function update({ data, setStateValue }) {
    reporter.connect(setStateValue);
    if (!root.isConnected) parent.append(root);
    holdOpacity(root);
    readTheme();
    const payload = data ?? {};
    window.__gradtapePlayer = handle;
    if (payload.rev !== model.rev) load(payload);
    obey(payload.cmd);
    if (size.width > 0) stage.paint();
  }

  function load(payload) {
    playback.pause();
    const remembered = memory.rev === payload.rev;
    const start = remembered ? memory.step : startStep(payload);
    model = createModel(payload);
    if (memory.rev === undefined) {
      // What Python takes for granted before it has heard anything. A remount says everything again.
      reporter.assume('step', model.last);
      reporter.assume('selected', null);
    }
    stage.setGraph(model, payload.network ?? {});
    memory.rev = payload.rev;
    memory.total = model.steps.length;
    timeline.setModel(model);
    legend.setEntries(model.legend);
    canvas.setAttribute('aria-label', `Graph of ${model.nodes.length} nodes and ${model.edges.length} edges. A table of the nodes is available.`);
    root.dataset.nodes = String(model.nodes.length);
    root.dataset.total = String(model.steps.length);
    view.hovered = null;
    goTo(start, { quiet: true });
    select(model.node.has(memory.selected) ? memory.selected : null);
    find.refresh();
    const saved = remembered ? memory.camera : null;
    whenSized(() => (saved ? camera.restore(saved) : camera.fit(focusNodes())));
    reporter.step(step);
    reporter.flush();
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
    if (command.select != null && model.node.has(command.select)) {
      select(command.select);
      whenSized(() => bringIntoView(model.node.get(command.select)));
    }
  }

  function goTo(target, { quiet = false } = {}) {
    const started = performance.now();
    const next = Math.min(model.last, Math.max(0, target));
    step = next;
    memory.step = next;
    model.show(step);
    const { focus = [], phase, caption: parts = [], cell = 0, span = null } = model.steps[step] ?? {};
    view.focus = new Set(focus);
    view.focusKind = model.segments[phase]?.kind ?? 'other';
    timeline.show(step);
    caption.show(parts);
    root.dataset.step = String(step);
    handle.moment = { step, cell, span, total: model.steps.length };
    window.dispatchEvent(new CustomEvent('gradtape:moment', { detail: handle.moment }));
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

  function userSeeks(target) {
    playback.pause();
    if (Math.min(model.last, Math.max(0, target)) !== step) goTo(target);
  }

  function togglePlay() {
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
    window.dispatchEvent(new CustomEvent('gradtape:select', { detail: { id } }));
    if (size.width > 0) stage.paint();
  }

  function toggleFollow() {
    camera.following = !camera.following;
    if (camera.following) camera.follow(focusNodes(), true);
    toolbar.showFollowing(camera.following);
  }

  function focusNodes() {
    const ids = model.steps[step]?.focus ?? [];
    return ids.map((id) => model.node.get(id)).filter(Boolean);
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
    if (root.offsetParent !== null && waiting === null && size.width > 0) memory.camera = camera.state();
    clearTimeout(legendTimer);
    legendTimer = setTimeout(updateLegend, LEGEND_MS);
  }

  function updateLegend() {
    if (view.area) legend.update(model, view.area);
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
