/** Films what is played: the picture and what happens in it, as a video (WebM) that the browser itself makes and saves. */

import { h } from '../../../browser/dom.mjs';
import { plainText } from './caption.js';
import { fontOf } from './fonts.js';
import { iconButton, setIcon } from './icon-button.js';
import { textWidth, write } from './text.js';
import { seekable } from './webm.js';

/** The kinds of WebM that browsers can make; VP8 first, which is easier to make while the player plays. */
const KINDS = ['video/webm;codecs=vp8', 'video/webm;codecs=vp9', 'video/webm'];
const LABEL = 'Film what is played (WebM)';
const FRAMES = 30;
/** Bits a second: edges of letters stay sharp. */
const BITS = 6_000_000;
/** Milliseconds for which the first and the last moment stand, and after which a film ends by itself. */
const [REST, LONGEST] = [700, 600_000];
/** The longer side of a film at most, in pixels, and how high the line below the picture is, as it is on the page. */
const [SIDE, FOOT] = [1920, 46];

/** The kind that this browser makes; '' where it makes none. */
export function kindOf({ MediaRecorder, HTMLCanvasElement } = globalThis) {
  if (!MediaRecorder || !HTMLCanvasElement?.prototype.captureStream) return '';
  return KINDS.find((kind) => MediaRecorder.isTypeSupported(kind)) ?? '';
}

/** A film's width and height in pixels, even ones, and how much larger it is than on the page. */
export function sizeOf({ width, height }, ratio) {
  const scale = Math.min(ratio, SIDE / Math.max(width, height + FOOT));
  const even = (side) => Math.max(2, 2 * Math.round((side * scale) / 2));
  return { width: even(width), height: even(height + FOOT), scale };
}

/** What was recorded, such that players can seek in it; as it is where it is none of the files that are known. */
export async function finished(file, seconds) {
  try {
    const found = seekable(new Uint8Array(await file.arrayBuffer()));
    if (found) return { file: new Blob(found.parts.map((part) => (Array.isArray(part) ? file.slice(...part) : part)), { type: file.type }), seconds: found.seconds };
  } catch {
    // Too large to be looked at.
  }
  return { file, seconds };
}

/**
 * @param {import('./state.js').State} state
 * @param {object} parts   playback, seeking
 * @param {{canvas: HTMLElement}} elements
 */
export function createFilm(state, parts, { canvas }) {
  const kind = kindOf();
  let now = null; // what is being filmed: {recorder, sheet, size, began, timer, chunks}
  const button = iconButton('film', LABEL, () => film.toggle(), { class: 'film', 'aria-pressed': 'false' });
  button.hidden = !kind;

  const film = {
    button,
    /** What a file of what is on show is called, without an ending. */
    name: '',

    /** Film from this step on, from the first one where it is the last; or end what is being filmed. */
    toggle() {
      if (now) return parts.playback.playing() ? parts.playback.pause() : film.end(0);
      if (!kind || state.model.sketch || state.model.steps.length === 0) return undefined;
      if (state.step >= state.model.last) parts.seeking.goTo(0);
      begin();
      parts.seeking.say('Filming. Pause to end it.');
      return undefined;
    },

    /** Nothing is played any more: the last moment stands for a while, then the film is saved. */
    end(rest = REST) {
      if (!now || now.recorder.state !== 'recording') return;
      clearTimeout(now.timer);
      now.timer = setTimeout(() => now?.recorder.stop(), rest);
    },

    /** Nothing is saved: the player goes. */
    stop() {
      if (!now) return;
      const { recorder, timer } = now;
      clearTimeout(timer);
      now = null;
      recorder.stop();
    },
  };

  function begin() {
    const sheet = h('canvas', {});
    const size = sizeOf({ width: canvas.clientWidth, height: canvas.clientHeight }, devicePixelRatio || 1);
    [sheet.width, sheet.height] = [size.width, size.height];
    const recorder = new MediaRecorder(sheet.captureStream(FRAMES), { mimeType: kind, videoBitsPerSecond: BITS });
    const current = { recorder, sheet, size, began: performance.now(), timer: null, chunks: [] };
    now = current;
    recorder.addEventListener('dataavailable', ({ data }) => current.chunks.push(data));
    recorder.addEventListener('stop', () => done(current));
    // The browser may take its time to begin: what was played before would be missing.
    recorder.addEventListener('start', () => {
      current.timer = setTimeout(() => recorder.state === 'recording' && !parts.playback.playing() && parts.playback.play(), REST);
    });
    shoot(current);
    recorder.start(1000);
    button.setAttribute('aria-pressed', 'true');
    setIcon(button, 'film', 'End the film and save it');
  }

  /** One frame after the other, whether something moves or not: a moment that stands takes its time in the film, too. */
  function shoot(current) {
    if (now !== current) return;
    paint(current);
    if (performance.now() - current.began > LONGEST && parts.playback.playing()) parts.playback.pause();
    requestAnimationFrame(() => shoot(current));
  }

  function paint({ sheet, size }) {
    const { palette } = state.view;
    const ctx = sheet.getContext('2d');
    const seen = [...canvas.querySelectorAll('canvas')].find((each) => each.offsetParent !== null);
    const high = size.height - Math.round(FOOT * size.scale);
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    ctx.fillStyle = palette.stage;
    ctx.fillRect(0, 0, size.width, size.height);
    // Whoever makes the window larger meanwhile sees all of it, as large as it fits.
    if (seen?.width > 0 && seen.height > 0) {
      const by = Math.min(size.width / seen.width, high / seen.height);
      const [w, t] = [seen.width * by, seen.height * by];
      ctx.drawImage(seen, (size.width - w) / 2, (high - t) / 2, w, t);
    }
    ctx.setTransform(size.scale, 0, 0, size.scale, 0, high);
    paintFoot(ctx, size.width / size.scale, palette);
  }

  /** What happens at the step in words, and how far the run is. */
  function paintFoot(ctx, wide, palette) {
    const { model, step } = state;
    ctx.fillStyle = palette.page;
    ctx.fillRect(0, 0, wide, FOOT);
    ctx.fillStyle = palette.line;
    ctx.fillRect(0, 0, wide, 3);
    ctx.fillStyle = palette.blue;
    ctx.fillRect(0, 0, (wide * step) / Math.max(1, model.last), 3);
    const [words, count] = [fontOf(palette.font, { size: 15, bold: false }), fontOf(palette.font, { size: 13, bold: false })];
    const far = `${step + 1} / ${model.last + 1}`;
    const taken = textWidth(count, far);
    write(ctx, far, wide - 16, 30, { font: count, fill: palette.mute, align: 'right' });
    write(ctx, plainText(model.steps.at(step)?.caption), 16, 30, { font: words, fill: palette.ink, room: wide - taken - 56 });
  }

  async function done(current) {
    button.setAttribute('aria-pressed', 'false');
    setIcon(button, 'film', LABEL);
    if (now !== current) return;
    now = null;
    const { file, seconds } = await finished(new Blob(current.chunks, { type: 'video/webm' }), (performance.now() - current.began) / 1000);
    if (file.size === 0) return void parts.seeking.say('The browser made nothing of the film.');
    const address = URL.createObjectURL(file);
    const name = `${film.name || 'run'}.webm`;
    h('a', { href: address, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
    parts.seeking.say(`Saved ${name}, ${seconds.toFixed(0)} seconds.`);
  }

  return film;
}
