/** The whole graph in a corner, with the part that is in view; drag the frame, or click, to look elsewhere. */

import { h } from '../../../browser/dom.mjs';
import { obstacles } from './more.js';
import { overlaps } from './paint-edge.js';

const WIDTH = 168;
const HEIGHT = 104;
const LEAST = 34;
/** The part of the stage's width that it takes at most: on a phone it is smaller. */
const SHARE = 0.28;
/** The map is there as soon as less than this share of the picture is in view. */
const ALL = 0.8;
const FEWEST = 12;
/** Corners, the usual one first: at the right, at the bottom. */
const CORNERS = [[true, true], [true, false], [false, true], [false, false]];
/** Its distance from the sides, and from below where the strip of notes and chips is. */
const [GAP, STRIP] = [12, 42];

/** @param {{look: (point: {x: number, y: number}) => void}} on   bring a point of the picture into the middle */
export function createMinimap(on) {
  const picture = h('canvas', {});
  const frame = h('i', {});
  const element = h('div', { class: 'minimap', role: 'img', 'aria-label': 'Overview of the graph; the frame is what is in view', hidden: '' }, picture, frame);
  let model = null;
  let corner = 0;
  let place = null; // the part of the picture that it stands on, where that is known
  let drawn = null; // the model and palette that are in the picture
  let box = { width: 0, height: 0 };

  function lookThere(event) {
    const { left, top } = element.getBoundingClientRect();
    const { bounds } = model;
    on.look({
      x: bounds.left + ((event.clientX - left) / box.width) * (bounds.right - bounds.left),
      y: bounds.top + ((event.clientY - top) / box.height) * (bounds.bottom - bounds.top),
    });
  }
  element.addEventListener('pointerdown', (event) => {
    event.preventDefault();
    element.setPointerCapture(event.pointerId);
    lookThere(event);
  });
  element.addEventListener('pointermove', (event) => element.hasPointerCapture(event.pointerId) && lookThere(event));

  /** Both directions fill the map, each at its own scale: an unrolled loop is a hundred times as wide as high. */
  function draw(palette) {
    const { bounds } = model;
    const [wide, high] = [bounds.right - bounds.left, bounds.bottom - bounds.top];
    const small = Math.min(1, (SHARE * (element.parentElement?.clientWidth || WIDTH / SHARE)) / WIDTH);
    const [widest, highest] = [WIDTH * small, HEIGHT * small];
    const fit = Math.min(widest / wide, highest / high);
    box = { width: Math.round(Math.min(widest, Math.max(wide * fit, LEAST))), height: Math.round(Math.min(highest, Math.max(high * fit, LEAST))) };
    element.style.width = `${box.width}px`;
    element.style.height = `${box.height}px`;
    const ratio = window.devicePixelRatio || 1;
    picture.width = box.width * ratio;
    picture.height = box.height * ratio;
    const ctx = picture.getContext('2d');
    ctx.scale(ratio, ratio);
    const [x, y] = [(box.width - 4) / wide, (box.height - 4) / high];
    ctx.strokeStyle = palette.border;
    for (const { box: { left, top, right, bottom } } of model.frames) {
      ctx.strokeRect(2 + (left - bounds.left) * x, 2 + (top - bounds.top) * y, (right - left) * x, (bottom - top) * y);
    }
    for (const node of model.nodes) {
      ctx.fillStyle = node.tone === 'leaf' || node.tone === 'accumulate' || node.group ? palette.blue : palette.border;
      const [width, height] = [Math.max(1.2, node.w * x), Math.max(1.2, node.h * y)];
      ctx.fillRect(2 + (node.x - bounds.left) * x - width / 2, 2 + (node.y - bounds.top) * y - height / 2, width, height);
    }
    drawn = { model, palette };
  }

  /** Put it in a corner; false where it would cover cards and nobody has moved the view yet. */
  function settle(area, crowded) {
    let at = 0;
    place = null;
    if (crowded) {
      const { scale, above, untouched } = crowded;
      const [wide, high] = [(area.right - area.left) * scale, (area.bottom - area.top) * scale];
      const places = CORNERS.map(([across, down]) => {
        const left = area.left + (across ? wide - GAP - box.width : GAP) / scale;
        const top = area.top + (down ? high - STRIP - box.height : above) / scale;
        return { left, top, right: left + box.width / scale, bottom: top + box.height / scale };
      });
      const inTheWay = obstacles(model);
      const covered = places.map((each) => inTheWay.filter((other) => overlaps(other, each)).length);
      const least = Math.min(...covered);
      if (least > 0 && untouched) return false;
      at = covered[corner] === least ? corner : covered.indexOf(least);
      place = places[at];
    }
    corner = at;
    const [across, down] = CORNERS[at];
    Object.assign(element.style, {
      left: across ? 'auto' : `${GAP}px`, right: across ? `${GAP}px` : 'auto', top: down ? 'auto' : `${crowded.above}px`, bottom: down ? `${crowded ? STRIP : 10}px` : 'auto',
    });
    return true;
  }

  return {
    element,

    /** The part of the picture that it covers, null for none. */
    get place() {
      return element.hidden ? null : place;
    },

    /** @param {object | null} crowded   where it is to keep clear of cards: zoom, the tools' room, whether the view is as it was opened */
    update(current, area, palette, crowded = null) {
      model = current;
      const { bounds } = model;
      const seen = bounds && area ? (shared(bounds.left, bounds.right, area.left, area.right) * shared(bounds.top, bounds.bottom, area.top, area.bottom)) : 1;
      element.hidden = model.nodes.length < FEWEST || seen > ALL;
      if (element.hidden) return;
      if (drawn?.model !== model || drawn.palette !== palette) draw(palette);
      if (!settle(area, crowded)) {
        element.hidden = true;
        return;
      }
      const across = (value) => ((value - bounds.left) / (bounds.right - bounds.left)) * box.width;
      const down = (value) => ((value - bounds.top) / (bounds.bottom - bounds.top)) * box.height;
      const [left, right] = within(across(area.left), across(area.right), box.width);
      const [top, bottom] = within(down(area.top), down(area.bottom), box.height);
      frame.style.transform = `translate(${left}px, ${top}px)`;
      frame.style.width = `${right - left}px`;
      frame.style.height = `${bottom - top}px`;
    },
  };
}

/** The share of one stretch that another covers. */
function shared(low, high, from, to) {
  return Math.max(0, Math.min(high, to) - Math.max(low, from)) / Math.max(1, high - low);
}

/** A stretch cut to 0..end, and wide enough to be seen. */
function within(from, to, end) {
  const low = Math.min(end - 6, Math.max(0, from));
  return [low, Math.max(low + 6, Math.min(end, to))];
}
