/**
 * The curves of a rolled run: loss, size of the gradient and learning rate over its iterations, with what is odd marked. It is
 * where an iteration is chosen: a click or a drag goes there, the wheel zooms, a drag along the axis (or with Shift) zooms to a
 * part, two clicks show the whole run again.
 */

import { h } from '../../../browser/dom.mjs';
import { badRanges, between, curveLines, moved, scaleOf, ticksOf, zoomed } from './curve-scale.js';
import { bisect } from './history.js';
import { iconButton } from './icon-button.js';
import { numberOf } from './rolled.js';
import { brief, sparkLines } from './sparks.js';

/** The numbers of the axis stand in the plot, under the curves. */
const HEIGHT = { plot: 54, axis: 14, above: 11 };
/** The least width of a stretch without numbers. */
const GAP = 7;
const ASIDE = 6;
/** How a curve is painted, by what it says it is. */
const TONES = { loss: 'blue', value: 'blue', grad: 'orange', gradient: 'orange', rate: 'green', lr: 'green' };
const ORDER = ['blue', 'orange', 'green', 'violet'];
const SIGNS = { largest: '▲', 'last-good': '✓', shape: '◆', finding: '!', nan: '●', inf: '●' };
const MANY_SIGNS = 120;

/** A colour for each curve: what it says it is, unless another one is that already. */
export function tonesOf(curves) {
  const taken = new Set();
  return curves.map(({ tone }, at) => {
    const wanted = TONES[tone] ?? (ORDER.includes(tone) ? tone : ORDER[at % ORDER.length]);
    const found = taken.has(wanted) ? [...ORDER].reverse().find((each) => !taken.has(each)) ?? wanted : wanted;
    taken.add(found);
    return found;
  });
}

/** @param {object} on   seek(row), beside(direction), jump(kind), grabbed(), released() */
export function createCurves(on) {
  let rolled = null;
  let view = { from: 0, to: 1 };
  let row = -1;
  let stops = [];
  let palette = null;
  let dragging = null; // 'seek', or the place where a brush began
  let beside = null; // the card that the pointer is over: its gradient, or else its value, is drawn with the run's curves

  const canvas = h('canvas', {});
  const cursor = h('div', { class: 'cursor' });
  const hair = h('div', { class: 'hair', hidden: '' });
  const brush = h('div', { class: 'brush', hidden: '' });
  const tip = h('div', { class: 'tip', hidden: '', 'aria-hidden': 'true' });
  const plot = h('div', { class: 'plot', role: 'slider', tabindex: '0', 'aria-label': 'Iteration', 'aria-orientation': 'horizontal', 'aria-valuemin': '0' },
    canvas, brush, hair, cursor);
  const names = h('div', { class: 'names' });
  const besideName = h('span', { class: 'name', 'data-tone': 'violet', hidden: '' });
  const now = h('span', { class: 'now' });
  const previous = iconButton('before', 'Previous iteration (,)', () => on.beside(-1), { class: 'link', 'aria-label': 'Previous iteration' });
  const next = iconButton('after', 'Next iteration (.)', () => on.beside(1), { class: 'link', 'aria-label': 'Next iteration' });
  const jumps = h('span', { class: 'jumps' });
  const whole = h('button', { type: 'button', class: 'link whole', hidden: '', title: 'Show all iterations (double-click)', click: () => look(null) }, 'whole run');
  const element = h('section', { class: 'curves', 'aria-label': 'The run', hidden: '' },
    h('div', { class: 'over' }, names, h('div', { class: 'where' }, now, previous, next, jumps)),
    h('div', { class: 'field' }, plot, whole, tip));

  const count = () => rolled.main.starts.length;
  const all = () => ({ from: 0, to: Math.max(1, count() - 1) });
  const width = () => Math.max(1, plot.clientWidth - 2 * ASIDE);
  const xOf = (iteration) => ASIDE + (width() * (iteration - view.from)) / (view.to - view.from);
  const inView = (iteration) => iteration >= view.from - 0.5 && iteration <= view.to + 0.5;

  function under(event) {
    const share = Math.min(1, Math.max(0, (event.clientX - plot.getBoundingClientRect().left - ASIDE) / width()));
    return view.from + share * (view.to - view.from);
  }
  const rowUnder = (event) => Math.min(count() - 1, Math.max(0, Math.round(under(event))));

  plot.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    plot.setPointerCapture(event.pointerId);
    const onAxis = event.clientY - plot.getBoundingClientRect().top > HEIGHT.above + HEIGHT.plot - HEIGHT.axis;
    if (onAxis || event.shiftKey) {
      dragging = { from: under(event) };
      return;
    }
    dragging = 'seek';
    on.grabbed();
    choose(rowUnder(event));
  });
  plot.addEventListener('pointermove', (event) => {
    hover(event);
    if (dragging === 'seek') choose(rowUnder(event));
    else if (dragging) showBrush(dragging.from, under(event));
  });
  const release = (event) => {
    if (dragging === 'seek') on.released();
    else if (dragging && Math.abs(xOf(under(event)) - xOf(dragging.from)) > 4) look(between(dragging.from, under(event), count()));
    dragging = null;
    brush.hidden = true;
  };
  plot.addEventListener('pointerup', release);
  plot.addEventListener('pointercancel', release);
  plot.addEventListener('pointerleave', () => {
    tip.hidden = true;
    hair.hidden = true;
  });
  plot.addEventListener('dblclick', () => look(null));
  plot.addEventListener('wheel', (event) => {
    event.preventDefault();
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
    const aside = event.shiftKey ? event.deltaY : event.deltaX;
    if (Math.abs(aside) > Math.abs(event.shiftKey ? 0 : event.deltaY)) look(moved(view, count(), (aside * lines * (view.to - view.from)) / width()));
    else look(zoomed(view, count(), Math.exp(Math.max(-240, Math.min(240, event.deltaY * lines)) * 0.002), (under(event) - view.from) / (view.to - view.from)));
  }, { passive: false });
  plot.addEventListener('keydown', (event) => {
    const direction = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    if (direction) on.beside(direction);
    else if (event.key === 'Home') choose(0);
    else if (event.key === 'End') choose(count() - 1);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  const sizes = new ResizeObserver(() => draw());
  sizes.observe(plot);

  function choose(target) {
    if (target !== row) on.seek(target);
  }

  /** Bring a part of the run into view; null for all of it. */
  function look(next) {
    view = next ?? all();
    whole.hidden = view.to - view.from >= count() - 1;
    draw();
  }

  function showBrush(a, b) {
    const [left, right] = [xOf(Math.min(a, b)), xOf(Math.max(a, b))];
    brush.hidden = false;
    brush.style.left = `${left}px`;
    brush.style.width = `${right - left}px`;
  }

  function hover(event) {
    const at = rowUnder(event);
    const read = rolled.curves.map(({ name, values }) => `${name} ${Number.isFinite(values[at]) ? brief(values[at]) : badAt(at)}`);
    const marked = rolled.marks.filter(({ loop, iteration }) => (loop ?? rolled.main.id) === rolled.main.id && iteration === at).map(({ title }) => title).filter(Boolean);
    tip.replaceChildren(
      h('div', {}, [`iteration ${numberOf(at)}`, ...read].join(' · ')),
      ...[...new Set(marked)].slice(0, 3).map((title) => h('div', { class: 'marked' }, title)),
    );
    tip.hidden = false;
    hair.hidden = false;
    const x = xOf(at);
    hair.style.left = `${x}px`;
    const room = plot.clientWidth;
    tip.style.left = `${Math.min(room - tip.offsetWidth, Math.max(0, x - tip.offsetWidth / 2))}px`;
  }

  const badAt = (at) => ({ nan: 'NaN', inf: 'Inf' })[badRanges(rolled.curves, rolled.marks, count()).find(([from, to]) => at >= from && at <= to)?.[2]] ?? '–';

  function colours() {
    return { blue: palette.blue, orange: palette.orange, green: palette.tones.good, violet: palette.tones.changed };
  }
  const toneOf = (curve, at) => tonesOf(rolled.curves)[at];

  function draw() {
    if (!rolled || !palette || plot.clientWidth === 0) return;
    const ratio = window.devicePixelRatio || 1;
    const [wide, high] = [plot.clientWidth, HEIGHT.above + HEIGHT.plot];
    canvas.width = Math.round(wide * ratio);
    canvas.height = Math.round(high * ratio);
    const ctx = canvas.getContext('2d');
    ctx.scale(ratio, ratio);
    ctx.font = `11px ${palette.font}`;
    const [top, bottom] = [HEIGHT.above, HEIGHT.above + HEIGHT.plot];
    ctx.save();
    ctx.beginPath();
    ctx.rect(ASIDE - 1, 0, width() + 2, high);
    ctx.clip();
    ctx.fillStyle = palette.stage;
    ctx.fillRect(ASIDE, top, width(), HEIGHT.plot);
    const bad = badRanges(rolled.curves, rolled.marks, count());
    for (const [from, to, kind] of bad) {
      ctx.fillStyle = kind === 'inf' ? palette.infTint : palette.nanTint;
      const [x, end] = gapOf(from, to);
      ctx.fillRect(x, top, end - x, HEIGHT.plot);
    }
    const hues = colours();
    const paths = [];
    rolled.curves.forEach((curve, at) => {
      const share = scaleOf(curve, view);
      if (share === null) return;
      const lines = curveLines(curve.values, share, view, width());
      paths.unshift({ lines, colour: hues[toneOf(curve, at)], fill: at === 0 });
    });
    const floor = bottom - HEIGHT.axis;
    const y = (share) => floor - 2 - share * (HEIGHT.plot - HEIGHT.axis - 6);
    for (const { lines, colour, fill } of paths) {
      ctx.beginPath();
      for (const points of lines) points.forEach(([x, share], at) => ctx[at === 0 ? 'moveTo' : 'lineTo'](ASIDE + x + (points.length === 1 ? -0.5 : 0), y(share)));
      ctx.strokeStyle = colour;
      ctx.lineWidth = 1.6;
      ctx.lineJoin = 'round';
      ctx.stroke();
      if (!fill) continue;
      ctx.globalAlpha = 0.1;
      ctx.fillStyle = colour;
      for (const points of lines) {
        ctx.beginPath();
        ctx.moveTo(ASIDE + points[0][0], floor);
        for (const [x, share] of points) ctx.lineTo(ASIDE + x, y(share));
        ctx.lineTo(ASIDE + points.at(-1)[0], floor);
        ctx.fill();
      }
      ctx.globalAlpha = 1;
    }
    if (beside) drawBeside(ctx, floor);
    axis(ctx, floor);
    drawLabels(ctx, bad, top);
    ctx.restore();
    drawSigns(ctx, top);
    place();
  }

  function drawBeside(ctx, floor) {
    const box = { left: xOf(0), top: HEIGHT.above + 4, width: xOf(count() - 1) - xOf(0), height: floor - HEIGHT.above - 6 };
    ctx.beginPath();
    for (const points of sparkLines(beside.series, box)) points.forEach(([x, y], at) => ctx[at === 0 ? 'moveTo' : 'lineTo'](x, y));
    ctx.strokeStyle = colours().violet;
    ctx.lineWidth = 1.6;
    ctx.stroke();
  }

  function axis(ctx, bottom) {
    ctx.fillStyle = palette.mute;
    ctx.textBaseline = 'alphabetic';
    for (const tick of ticksOf(view, Math.max(2, width() / 90))) {
      const x = xOf(tick);
      ctx.fillStyle = palette.line;
      ctx.fillRect(x, bottom, 1, 4);
      ctx.fillStyle = palette.mute;
      const text = String(tick);
      const half = ctx.measureText(text).width / 2;
      ctx.textAlign = 'left';
      ctx.fillText(text, Math.min(ASIDE + width() - 2 * half - 2, Math.max(ASIDE + 2, x - half)), bottom + 12);
    }
  }

  /** "NaN from here on", or which iteration it is in, beside each stretch that has the room. */
  function drawLabels(ctx, bad, top) {
    ctx.font = `600 11.5px ${palette.font}`;
    ctx.textAlign = 'left';
    let taken = ASIDE; // where the label before ends
    bad.forEach(([from, to, kind, lasting], at) => {
      const word = kind === 'inf' ? 'Inf' : 'NaN';
      const texts = lasting ? [`${word} from here on`, word] : [`${word} in ${from === to ? numberOf(from) : `${numberOf(from)}–${numberOf(to)}`}`, word];
      const [x, right] = gapOf(from, to);
      const end = Math.min(ASIDE + width(), at + 1 < bad.length ? gapOf(bad[at + 1][0], bad[at + 1][1])[0] : Infinity);
      const start = Math.max(lasting ? x + 6 : right + 4, ASIDE + 4);
      for (const text of texts) {
        const wide = ctx.measureText(text).width;
        const place = [start, x - 4 - wide].find((left) => left >= taken && (left < x ? left + wide < x : left + wide < end));
        if (place === undefined) continue;
        ctx.fillStyle = palette.veil;
        if (!lasting) ctx.fillRect(place - 2, top + 3, wide + 4, 15);
        ctx.fillStyle = kind === 'inf' ? palette.tones.warn : palette.red;
        ctx.fillText(text, place, top + 15);
        taken = Math.max(place + wide, right) + 6;
        break;
      }
    });
    ctx.font = `11px ${palette.font}`;
  }

  /** Where a stretch without numbers is drawn: never so narrow that it could be overlooked. */
  function gapOf(from, to) {
    const [x, end] = [xOf(from - 0.5), xOf(to + 0.5)];
    const more = Math.max(0, GAP - (end - x)) / 2;
    return [x - more, end + more];
  }

  /** Ticks over the curves: what was found, breakpoints, and what the jumps go to. */
  function drawSigns(ctx, top) {
    const own = rolled.marks.filter(({ loop, kind }) => (loop ?? rolled.main.id) === rolled.main.id && kind !== 'breakpoint');
    const said = { nan: palette.red, inf: palette.tones.warn, finding: palette.tones.warn, largest: palette.orangeText, 'last-good': palette.tones.good, shape: palette.tones.changed };
    ctx.textAlign = 'center';
    ctx.textBaseline = 'alphabetic';
    ctx.font = `700 9.5px ${palette.font}`;
    for (const { kind, iteration } of own.slice(0, MANY_SIGNS)) {
      if (!inView(iteration)) continue;
      ctx.fillStyle = said[kind] ?? palette.mute;
      ctx.fillText(SIGNS[kind] ?? '·', xOf(iteration), top - 3);
      ctx.fillRect(xOf(iteration) - 0.5, top, 1, 5);
    }
    const rows = [...new Set(stops.map((step) => bisect(rolled.main.starts, step) - 1))].filter((each) => each >= 0 && inView(each));
    ctx.fillStyle = palette.tones.bad;
    for (const each of rows.length > MANY_SIGNS ? [] : rows) {
      ctx.beginPath();
      ctx.arc(xOf(each), top + HEIGHT.plot, 3, 0, 2 * Math.PI);
      ctx.fill();
    }
  }

  /** The knob at the chosen iteration. */
  function place() {
    cursor.hidden = row < 0 || !inView(row);
    if (!cursor.hidden) cursor.style.transform = `translateX(${xOf(row)}px)`;
  }

  return {
    element,

    /** Take over a run, or none. */
    setModel(model) {
      const next = model.rolled?.on ? model.rolled : null;
      const same = rolled !== null && next !== null && rolled.main.starts.length === next.main.starts.length && rolled.main.id === next.main.id;
      rolled = next;
      row = -1;
      element.hidden = rolled === null;
      if (rolled === null) return;
      const kinds = rolled.jumps();
      jumps.replaceChildren(...kinds.map(({ kind, label, key }) => h('button', {
        type: 'button', class: 'link', 'data-jump': kind, title: key ? `${label} (${key})` : label, click: () => on.jump(kind),
      }, label)));
      beside = null;
      besideName.hidden = true;
      names.replaceChildren(...rolled.curves.map((curve, at) => h('span', { class: 'name', 'data-tone': toneOf(curve, at) },
        h('i', { 'aria-hidden': 'true' }), curve.name, ...(curve.log ? [h('small', {}, 'log')] : []))), besideName);
      plot.setAttribute('aria-valuemax', String(count() - 1));
      if (same) draw();
      else look(null);
    },

    /** The pointer is over a card or a parameter, or over none: how it goes over the run is drawn, too. */
    over(node) {
      const series = rolled !== null && node?.spark?.total === count() ? node.spark.grad ?? node.spark.value : null;
      if (series === (beside?.series ?? null)) return;
      beside = series && { series };
      besideName.hidden = !beside;
      const what = series === node?.spark?.grad ? '.grad' : '';
      if (beside) besideName.replaceChildren(h('i', { 'aria-hidden': 'true' }), `${node.host ? `${node.host.title}.` : ''}${node.title}${what}`);
      draw();
    },

    /** The theme may have changed. */
    setPalette(next) {
      if (next === palette) return;
      palette = next;
      draw();
    },

    /** Steps at which breakpoints stop. */
    setStops(next) {
      stops = next;
      draw();
    },

    show(step) {
      if (rolled === null) return;
      const { main } = rolled;
      const at = rolled.at(main, step);
      const { of } = rolled.called(main, at);
      const inside = at >= 0 && step <= rolled.range(main, at).to;
      const words = at < 0 ? `before the first of ${of} iterations` : `iteration ${numberOf(at)} of ${of}`;
      now.replaceChildren(...(at < 0 ? [words] : [inside ? 'iteration ' : 'after iteration ', h('b', {}, numberOf(at)), ` of ${of}`]));
      if (at !== row) {
        row = at;
        plot.setAttribute('aria-valuenow', String(Math.max(0, row)));
        plot.setAttribute('aria-valuetext', words);
        previous.disabled = row <= 0;
        next.disabled = row >= main.starts.length - 1;
        if (row >= 0 && !inView(row)) look(moved(view, count(), row - (view.from + view.to) / 2));
        else place();
      }
    },

    destroy: () => sizes.disconnect(),
  };
}
