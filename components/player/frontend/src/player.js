/** The player: puts its parts together, in the page and with each other, and hands them what Python sends. */

import { h } from '../../../browser/dom.mjs';
import { onTheme } from '../../../browser/theme.mjs';
import { createBreakpointSync } from './breakpoint-sync.js';
import { greet, listenToEditor, nodeAtPosition } from './bus.js';
import { createCamera } from './camera.js';
import { createCardMenu } from './card-menu.js';
import { createCaption } from './caption.js';
import { createChoices } from './choices.js';
import { createCurves } from './curves.js';
import { createDebugPanel } from './debug-panel.js';
import { createFilm } from './film.js';
import { createFind } from './find.js';
import { createFocus } from './focus.js';
import { createFolds } from './folds.js';
import { createGlide } from './glide.js';
import { goTo } from './goal.js';
import { createGranularity } from './granularity.js';
import { createGraphCanvas } from './graph-canvas.js';
import { handleOf } from './handle.js';
import { createHelp } from './help.js';
import { createIterations } from './iterations.js';
import { listenToKeys } from './keyboard.js';
import { keysOf } from './keys.js';
import { createLegend } from './legend.js';
import { listenToLinks } from './links.js';
import { createLoading } from './loading.js';
import { createLooks } from './looks.js';
import { createLoopMenu } from './loop-menu.js';
import { createMinimap } from './minimap.js';
import { createMore } from './more.js';
import { createNavigation } from './navigation.js';
import { createNest } from './nest.js';
import { overlayOfPath } from './overlay.js';
import { createPlayback } from './playback.js';
import styles from './player.css';
import { createQueueBar } from './queue-bar.js';
import { createReporter, recordingOf } from './report.js';
import { createSeeking } from './seeking.js';
import { createSelection } from './selection.js';
import { createState, selectedNode } from './state.js';
import { held, take } from './store.js';
import { readTheme } from './theme.js';
import { createTimeline } from './timeline.js';
import { createTimes } from './times.js';
import { createToolbar } from './toolbar.js';
import { createTooltip } from './tooltip.js';
import { createViewport } from './viewport.js';

/**
 * @param {ShadowRoot | HTMLElement} parent
 * @param {import('./store.js').Store} memory   outlives the player, so that a remount finds camera, step and selection again
 */
export function createPlayer(parent, memory) {
  const state = createState(memory);
  const canvas = h('div', { class: 'canvas', role: 'img' });
  const root = h('div', { class: 'player', tabindex: '-1', role: 'group', 'aria-label': 'Computation graph and playback' });
  const area = h('div', { class: 'stage' });
  const under = h('div', { class: 'under' });
  const notice = h('div', { class: 'notice', role: 'status', 'aria-live': 'polite' });
  const elements = { root, canvas, area, under, notice };

  const parts = createParts(state, elements);
  area.append(
    canvas, parts.debugPanel.element, parts.toolbar.element, notice, parts.legend.element, h('div', { class: 'foot' }, parts.legend.toggle, parts.choices.chip, parts.folds.element),
    parts.more.element, parts.minimap.element,
    parts.tooltip.element, parts.loopMenu.element, parts.cardMenu.element,
  );
  under.append(parts.granularity.element, parts.queueBar.element);
  root.append(
    h('style', {}, styles), parts.nest.element, area, parts.curves.element, parts.timeline.element, under, parts.caption.element, parts.help.element,
  );
  const takeTheme = () => {
    readTheme(root, state.view);
    parts.curves.setPalette(state.view.palette);
  };
  const endings = [...listen(state, parts, root), onTheme(() => {
    takeTheme();
    parts.viewport.paint();
  })];
  const handle = handleOf(state, parts);

  function update({ data, setStateValue }) {
    const { reporter } = parts;
    reporter.connect(setStateValue);
    if (!root.isConnected) parent.append(root);
    holdOpacity(root);
    takeTheme();
    const payload = take(data ?? {}, memory);
    // Python takes for granted what was here before; it sends everything again when it hears that it is not.
    if (payload === null) return reporter.tell('holds', '', {});
    if (payload.large) {
      const holds = held(payload, memory);
      reporter.tell('holds', JSON.stringify(holds), holds);
    }
    window.__gradtapePlayer = handle;
    reporter.during(payload, () => parts.loading.take(payload));
  }

  function destroy() {
    parts.film.stop();
    parts.playback.pause();
    parts.reporter.cancel();
    for (const end of endings) end();
    parts.viewport.destroy();
    parts.timeline.destroy();
    parts.curves.destroy();
    parts.times.stop();
    parts.iterations.stop();
    parts.glide.stop();
    parts.looks.stop();
    parts.loopMenu.close(false);
    parts.cardMenu.close(false);
    parts.graphCanvas.destroy();
    root.remove();
    if (window.__gradtapePlayer === handle) delete window.__gradtapePlayer;
  }

  return { update, destroy };
}

/** Everything that the player is made of. Parts that need each other find one another here when something happens. */
function createParts(state, elements) {
  const { root, canvas, area } = elements;
  const { view, memory } = state;
  const parts = {
    reporter: createReporter(() => (state.model.sketch || memory.rev === undefined ? null : {
      run: recordingOf(state.model.tape), step: state.step, selected: view.selected, n: Math.max(0, memory.command),
    })),
  };
  const byUser = (action) => parts.seeking.byUser(action);
  const zoom = (factor, point) => parts.camera.zoomBy(factor, point);

  parts.viewport = createViewport(state, parts, elements);
  parts.seeking = createSeeking(state, parts, elements);
  parts.selection = createSelection(state, parts, elements);
  parts.breakpoints = createBreakpointSync(state, parts, elements);
  parts.loading = createLoading(state, parts, elements);
  parts.iterations = createIterations(state, parts, elements);

  parts.graphCanvas = createGraphCanvas(canvas, view, {
    painted: parts.viewport.painted,
    picked: parts.selection.picked,
    hovered: parts.selection.hovered,
    opened: parts.selection.openGroup,
    asked: parts.selection.asked,
    dragged: parts.selection.dragged,
    held: parts.selection.held,
    let: () => parts.tooltip.hide(),
    framed: (frame, point) => parts.iterations.menu([frame.loop], point),
    moved: () => parts.camera.detach(),
    zoomed: zoom,
  });
  parts.glide = createGlide(state, parts);
  parts.camera = createCamera(parts.graphCanvas.network, canvas, () => state.model, () => view.above);
  parts.navigation = createNavigation({
    model: () => state.model,
    step: () => state.step,
    selected: () => selectedNode(state),
    seek: (target) => target !== state.step && parts.seeking.goTo(target),
    say: parts.seeking.say,
    changed: parts.breakpoints.changed,
  });
  const { navigation } = parts;
  parts.playback = createPlayback(
    (last) => navigation.advance() && state.step < last,
    (playing) => {
      parts.timeline.setPlaying(playing);
      if (playing) return;
      parts.reporter.flush();
      parts.film.end();
    },
  );
  parts.film = createFilm(state, parts, elements);
  parts.timeline = createTimeline(parts.film.button, {
    seek: parts.seeking.userSeeks,
    go(text) {
      goTo(text, state, parts);
      root.focus({ preventScroll: true });
    },
    step: (direction) => byUser(() => navigation.step(direction)),
    grabbed: () => parts.playback.pause(),
    released: () => parts.reporter.flush(),
    toggle: parts.seeking.togglePlay,
    speed: (factor) => {
      parts.playback.speed = factor;
    },
  });
  const { iterations } = parts;
  parts.curves = createCurves({
    seek: (row) => iterations.seek(state.model.rolled.main, row),
    beside: (direction) => byUser(() => iterations.beside('main', direction)),
    jump: (kind) => byUser(() => iterations.jump(kind)),
    grabbed: () => parts.playback.pause(),
    released: () => parts.reporter.flush(),
  });
  parts.times = createTimes(state);
  parts.nest = createNest({
    roll: iterations.roll,
    seek: iterations.seek,
    beside: (loop, direction) => byUser(() => iterations.beside(loop, direction)),
    menu: iterations.menu,
  });
  parts.loopMenu = createLoopMenu({ seek: iterations.seek, turn: iterations.turn });
  parts.caption = createCaption({
    begins: () => parts.playback.pause(),
    step: (direction) => byUser(() => navigation.step(direction)),
    ends: () => parts.reporter.flush(),
  });
  parts.granularity = createGranularity((id) => {
    navigation.granularity = id;
  });
  parts.queueBar = createQueueBar((key) => parts.selection.show(key));
  parts.help = createHelp();
  parts.debugPanel = createDebugPanel({
    change: (direction) => byUser(() => navigation.change(direction)),
    go: (direction) => byUser(() => navigation.go(direction)),
    add: navigation.toggle,
    remove: navigation.toggle,
    help: () => parts.help.open(),
    state: () => ({
      breakpoints: navigation.breakpoints, counts: navigation.counts, selected: selectedNode(state), here: navigation.here(),
      cells: state.model.cells,
    }),
  });
  parts.legend = createLegend(memory.legend);
  parts.more = createMore();
  parts.find = createFind(() => state.model, () => state.step, {
    changed(found) {
      view.found = new Set(found.map((node) => state.model.stand(node.id)));
      parts.graphCanvas.paint();
    },
    visited(node, iteration) {
      const { rolled } = state.model;
      if (rolled?.on) {
        const here = rolled.at(rolled.main, state.step);
        const there = node && !rolled.has(node.id, here) ? rolled.there(node.id)[0][0] : here;
        if ((iteration ?? there) !== here) parts.iterations.seek(rolled.main, iteration ?? there);
      }
      if (!node) return;
      if (!state.model.node.has(node.id)) return parts.folds.reveal(node.id);
      parts.camera.show([node]);
      parts.selection.select(node.id);
    },
  });
  parts.folds = createFolds({
    turn: (id) => iterations.turn({ id }),
    change(opened, anchor, wanted = null) {
      const { rev, picture } = state.model;
      memory.anchor = parts.viewport.anchorOf(anchor);
      memory.wanted = wanted;
      parts.reporter.tell('folds', JSON.stringify([opened, wanted, rev]), { picture, opened, wanted });
    },
  });
  parts.looks = createLooks(state, parts);
  parts.choices = createChoices(state, parts);
  parts.cardMenu = createCardMenu(parts.choices);
  parts.focus = createFocus(() => parts.selection.showFocus(true));
  parts.minimap = createMinimap({
    look(point) {
      parts.camera.detach();
      parts.graphCanvas.network.moveTo({ position: point });
    },
  });
  parts.toolbar = createToolbar(root, parts.find.element, parts.focus.element, {
    weighed(on) {
      view.weighed = on;
      parts.graphCanvas.paint();
    },
    zoom,
    fit: parts.viewport.fitAll,
    follow: parts.viewport.toggleFollow,
  });
  parts.tooltip = createTooltip(area);
  parts.links = listenToLinks({
    pressed: () => root.focus({ preventScroll: true }),
    step(target) {
      parts.seeking.userSeeks(target);
      parts.reporter.flush();
    },
    select: (id) => parts.selection.show(id),
    over: (id) => parts.selection.linked(id),
    marks(data, pressed) {
      const { model } = state;
      // Where the run is rolled, cards stand for the nodes of all iterations.
      const own = data && model.rolled?.on ? data.rolled?.[model.view] ?? {} : data;
      parts.loading.showOverlay(own && overlayOfPath(own, model));
      if (!pressed) return;
      parts.viewport.reveal(view.overlay?.nodes.keys() ?? []);
      const first = data?.open && own.nodes?.find((key) => model.node.has(key) || model.hidden.has(key));
      if (first && !model.node.has(first)) parts.folds.reveal(first);
    },
  });
  return parts;
}

/** Hear keys, clicks and the editor. @returns {(() => void)[]} what ends it */
function listen(state, parts, root) {
  // A press with the mouse leaves the focus on the player, so that Space and the arrows keep their meaning.
  root.addEventListener('click', (event) => {
    if (event.detail > 0 && event.target.closest?.('button') && !event.target.closest('.find, .popover, .help, .opens, .nest')) root.focus({ preventScroll: true });
  });
  const stopKeys = listenToKeys(root, keysOf(state, parts));
  const stopEditor = listenToEditor({
    cursor(position) {
      const node = nodeAtPosition(state.model, position, state.step);
      if (!node || node.id === state.view.selected) return;
      parts.selection.select(node.id);
      parts.viewport.bringIntoView(node.id);
    },
    goto: ({ cell, line }) => goTo(`cell ${cell + 1}, line ${line}`, state, parts),
    hello: () => greet(parts),
    breakpoints: parts.breakpoints.fromEditor,
  });
  return [stopKeys, stopEditor, () => parts.links.stop()];
}

/** Streamlit fades what it deems stale during a rerun; the player is never stale, its data says what it shows. */
function holdOpacity(root) {
  const host = root.getRootNode().host ?? root;
  host.closest('[data-testid="stElementContainer"]')?.style.setProperty('opacity', '1', 'important');
}
