/**
 * The bar of segments with its knob, the transport buttons, the counter and the speed. Of a rolled run the bar has the iteration
 * that is on show, else all steps.
 */

import { plainText } from './caption.js';
import { GOALS } from './goal.js';
import { bisect } from './history.js';
import { h } from '../../../browser/dom.mjs';
import { iconButton, setIcon } from './icon-button.js';
import { SPEEDS } from './playback.js';
import { listenToSwipes } from './touch.js';

const KINDS = new Set(['forward', 'backward']);
/** Pixels that a label's letter takes, and what is left free beside it. */
const LETTER = 6.1;
const BESIDE = 8;
/** Half of what the knob takes, and what is free beside a label there. */
const [KNOB, PADDING] = [5, 12];
const TICK_ROOM = 7;
/** Pixels from the knob within which a finger takes hold of it. */
const GRIP = 22;

/** Pins are single elements, so there is an end to them. */
const MANY_PINS = 240;

/** @param {HTMLElement} film   the button beside the speed  @param {object} on   seek(step), go(text), step(direction), grabbed(), released(), toggle(), speed(factor) */
export function createTimeline(film, on) {
  let model = null;
  let step = 0;
  let dragging = false;
  let extent = { from: 0, to: 0 }; // the steps on the bar
  let segments = []; // those on the bar, cut where it ends
  let labels = []; // of segments, each with its two spans
  let crossed = null; // the label of the segment that the knob stands in
  let pinned = [[], []];

  const pale = h('div', { class: 'layer pale' });
  const strong = h('div', { class: 'layer strong' });
  const ticks = h('div', { class: 'ticks' });
  const hair = h('div', { class: 'hair', hidden: '' });
  const knob = h('div', { class: 'knob' });
  const face = h('div', { class: 'face' }, pale, strong, ticks, hair);
  const pins = h('div', { class: 'pins', 'aria-hidden': 'true' });
  const bar = h('div', { class: 'bar', role: 'slider', tabindex: '0', 'aria-label': 'Step', 'aria-orientation': 'horizontal', 'aria-valuemin': '1' }, face, pins, knob);
  const tip = h('div', { class: 'tip', hidden: '', 'aria-hidden': 'true' });
  const track = h('div', { class: 'track' }, bar, tip);
  const at = h('input', { type: 'text', class: 'at', 'aria-label': `Go to a step: ${GOALS}`, title: `Go to a step (g): ${GOALS}`, spellcheck: 'false', autocomplete: 'off' });
  const of = h('span', { class: 'of' });
  const counter = h('div', { class: 'counter' }, at, of);
  const play = iconButton('play', 'Play (Space)', () => on.toggle(), { class: 'play' });
  const speed = h('select', { class: 'speed', 'aria-label': 'Playback speed', title: 'Playback speed' });
  speed.append(...SPEEDS.map((factor) => h('option', { value: factor }, `${factor}×`)));
  speed.value = '1';
  speed.addEventListener('change', () => on.speed(Number(speed.value)));
  const go = (target) => () => on.seek(Math.min(model.last, Math.max(0, target())));
  const buttons = h('div', { class: 'transport', role: 'group', 'aria-label': 'Playback' },
    iconButton('first', 'First step (Home)', go(() => 0)),
    iconButton('back', 'Step back (←)', () => on.step(-1)),
    play,
    iconButton('forward', 'Step forward (→)', () => on.step(1)),
    iconButton('last', 'Last step (End)', go(() => model.last)));
  const element = h('div', { class: 'timeline' }, buttons, track, counter, speed, film);

  // A finger is wider than a step: away from the knob it goes step by step, and a tap says where to.
  listenToSwipes(bar, {
    takes(event) {
      const box = knob.getBoundingClientRect();
      return Math.abs(event.clientX - (box.left + box.right) / 2) > GRIP;
    },
    begins: () => on.grabbed(),
    step: (direction) => on.step(direction),
    tap: (event) => on.seek(stepUnder(event)),
    ends: () => on.released(),
  });
  bar.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    dragging = true;
    bar.setPointerCapture(event.pointerId);
    on.grabbed();
    on.seek(stepUnder(event));
  });
  bar.addEventListener('pointermove', (event) => {
    hover(stepUnder(event));
    if (dragging && stepUnder(event) !== step) on.seek(stepUnder(event));
  });
  const release = () => {
    if (!dragging) return;
    dragging = false;
    on.released();
  };
  bar.addEventListener('pointerup', release);
  bar.addEventListener('pointercancel', release);
  bar.addEventListener('pointerleave', () => {
    tip.hidden = true;
    hair.hidden = true;
  });
  const current = () => at.getRootNode().activeElement === at;
  const showNumber = () => {
    at.value = String(step + 1);
  };
  at.addEventListener('focus', () => at.select());
  at.addEventListener('blur', showNumber);
  at.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') on.go(at.value);
    if (event.key === 'Enter' || event.key === 'Escape') {
      at.blur();
      event.preventDefault();
    }
    event.stopPropagation();
  });
  const sizes = new ResizeObserver(() => model && drawLabels());
  sizes.observe(bar);

  const total = () => model.last + 1;
  const wide = () => extent.to - extent.from + 1;
  const middle = (at) => (100 * (at - extent.from + 0.5)) / wide();

  function stepUnder(event) {
    const box = bar.getBoundingClientRect();
    const share = (event.clientX - box.left) / Math.max(1, box.width);
    return Math.min(extent.to, Math.max(extent.from, extent.from + Math.floor(share * wide())));
  }

  function hover(at) {
    const caption = plainText(model.steps.at(at)?.caption);
    tip.textContent = caption ? `${at + 1} · ${caption}` : String(at + 1);
    tip.hidden = false;
    hair.hidden = false;
    hair.style.left = `${middle(at)}%`;
    const room = track.clientWidth;
    const width = tip.offsetWidth;
    tip.style.left = `${Math.min(room - width, Math.max(0, (room * middle(at)) / 100 - width / 2))}px`;
  }

  function drawLabels() {
    const width = bar.clientWidth;
    labels = segments.filter(({ label, from, to }) => fitting(String(label), (width * (to - from + 1)) / wide() - BESIDE))
      .map(({ label, from, to }) => ({ label: String(label), from, to, spans: [h('span'), h('span')] }));
    labels.forEach(place);
    crossed = labelHere();
    [pale, strong].forEach((layer, at) => layer.replaceChildren(...labels.map(({ spans }) => spans[at])));
    const cell = width / wide();
    ticks.hidden = cell < TICK_ROOM;
    ticks.style.backgroundSize = `${100 / wide()}% 100%`;
  }

  /** Put a label into the middle of its segment, or of what the knob leaves of it. */
  function place({ label, from, to, spans }) {
    const width = bar.clientWidth;
    const { left, right, text } = besideKnob(label, (width * from) / wide(), (width * (to + 1)) / wide(), (width * middle(step)) / 100);
    for (const span of spans) {
      span.textContent = text;
      span.style.cssText = `left:${(100 * left) / width}%;width:${(100 * (right - left)) / width}%`;
    }
  }

  /** The label of the segment that the knob stands in. */
  const labelHere = () => labels.find(({ from, to }) => from <= step - extent.from && step - extent.from <= to) ?? null;

  /** The knob has moved: labels make room for it. */
  function makeRoom() {
    const before = crossed;
    crossed = labelHere();
    if (before && before !== crossed) place(before);
    if (crossed) place(crossed);
  }

  /** Put these steps on the bar. */
  function spread(next) {
    extent = next;
    segments = cutOut(model, next);
    const paint = stripes(segments, wide());
    pale.style.backgroundImage = paint;
    strong.style.backgroundImage = paint;
    bar.setAttribute('aria-valuemin', String(extent.from + 1));
    bar.setAttribute('aria-valuemax', String(extent.to + 1));
    drawLabels();
    drawPins();
  }

  function drawPins() {
    const on = (each) => each >= extent.from && each <= extent.to;
    const at = (list, kind) => (list.length > MANY_PINS ? [] : list.map((each) => h('i', { class: kind, style: `left:${middle(each)}%` })));
    const [stops, changes] = pinned.map((list) => list.filter(on));
    pins.replaceChildren(...at(changes, 'change'), ...at(stops, 'stop'));
  }

  return {
    element,

    setModel(next) {
      model = next;
      pinned = [[], []];
      spread(model.extentAt(model.last));
      tip.hidden = true;
    },

    show(next) {
      step = next;
      const now = model.extentAt(step);
      if (now.from !== extent.from || now.to !== extent.to) spread(now);
      const percent = middle(step);
      knob.style.left = `${percent}%`;
      makeRoom();
      strong.style.clipPath = `inset(0 ${step === extent.to ? 0 : 100 - percent}% 0 0)`;
      if (!current()) showNumber();
      of.textContent = ` / ${total()}`;
      at.style.setProperty('--digits', `${String(total()).length + 0.4}ch`);
      bar.setAttribute('aria-valuenow', String(step + 1));
      bar.setAttribute('aria-valuetext', plainText(model.steps.at(step)?.caption) || `step ${step + 1} of ${total()}`);
    },

    /** Marks on the bar: where breakpoints stop, above, and where the selected tensor changes, below. */
    setPins(stops, changes) {
      pinned = [stops, changes];
      drawPins();
    },

    /** The keyboard types where to go. */
    focus: () => at.focus(),

    setPlaying(playing) {
      setIcon(play, playing ? 'pause' : 'play', playing ? 'Pause (Space)' : 'Play (Space)');
    },

    destroy: () => sizes.disconnect(),
  };
}

/** A label between two places, in the middle unless the knob stands there: then on the side of it that has more room. */
export function besideKnob(label, left, right, knob) {
  const text = fitting(label, right - left - BESIDE);
  const crosses = knob > left && knob < right && Math.abs(knob - (left + right) / 2) < (text.length * LETTER) / 2 + KNOB;
  if (!crosses) return { left, right, text };
  const side = knob - left > right - knob ? { left, right: knob - KNOB } : { left: knob + KNOB, right };
  return { ...side, text: fitting(label, side.right - side.left - PADDING) };
}

/** A segment's label as long as there is room for: whole, shortened to what tells it from others, or not at all. */
export function fitting(label, room) {
  const short = label.replace('forward', 'fwd').replace('backward', 'bwd').replace('output', 'out');
  const number = /\d+$/.exec(label)?.[0] ?? '';
  return [label, short, number].find((text) => text.length * LETTER <= room) ?? '';
}

/** The segments between two steps, cut off there, counted from the first of them. */
export function cutOut({ segments, starts }, { from, to }) {
  const found = [];
  for (let at = Math.max(0, bisect(starts, from) - 1); at < segments.length && segments[at].from <= to; at += 1) {
    const each = segments[at];
    if (each.to >= from) found.push({ ...each, from: Math.max(each.from, from) - from, to: Math.min(each.to, to) - from });
  }
  return found;
}

/** One background for any number of segments: hard colour stops, with a hairline between neighbours. */
function stripes(segments, total) {
  if (segments.length === 0) return 'none';
  const stops = segments.map(({ kind, from, to }, index) => {
    const colour = `var(--${KINDS.has(kind) ? kind : 'other'})`;
    const start = `${(100 * from) / total}%`;
    const end = (100 * (to + 1)) / total;
    if (index === segments.length - 1 || segments.length > 150) return `${colour} ${start} ${end}%`;
    return `${colour} ${start} calc(${end}% - 1px), var(--p-page) calc(${end}% - 1px) ${end}%`;
  });
  return `linear-gradient(90deg, ${stops.join(', ')})`;
}
