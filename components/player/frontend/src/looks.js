/**
 * What was looked at: the selected node, the open groups, and where the view was when the user had it in hand, one after the other,
 * to go back to and on again.
 */

/** Milliseconds after which what is looked at has come to rest, and after which groups that were asked for will not come. */
const [QUIET, LATE] = [400, 5000];
const MOST = 50;
/** What the view must have moved by, in pixels, or zoomed by, for it to count. */
const [MOVED, ZOOMED] = [12, 1.03];

/** @param {import('./state.js').State} state  @param {object} parts   selection, camera, folds, viewport, seeking */
export function createLooks(state, parts) {
  let behind = [];
  let ahead = [];
  let current = null;
  let wanted = null; // groups of it are on their way
  let moving = false; // another node or other groups have just come, and the view may go to them
  let seen = null; // when something changed last
  let busy = false; // a picture is put in place
  let timer = null;

  /** What is looked at now. */
  function now() {
    const { model, view } = state;
    return { picture: model.picture, selected: view.selected, opened: model.fold.opened.map(({ id }) => id), camera: parts.camera.state() };
  }

  /** What is looked at has come to rest, or is another thing: what was before can be gone back to. */
  function rest() {
    clearTimeout(timer);
    if (wanted || busy || state.model.sketch || !parts.viewport.hasRoom()) return;
    const look = now();
    const other = isOther(current, look);
    if (current?.picture === look.picture && (other || (!moving && moved(current, look)))) {
      behind = [...behind, current].slice(-MOST);
      ahead = [];
    } else if (current?.picture === look.picture && !moving && !look.camera.following) return;
    moving = other;
    current = look;
  }

  function show(look) {
    current = look;
    if (same(look.opened, state.model.fold.opened.map(({ id }) => id))) return arrive(look);
    wanted = look;
    timer = setTimeout(() => { wanted = null; }, LATE);
    parts.folds.set(look.opened);
  }

  function arrive(look) {
    const { model } = state;
    parts.selection.select(look.selected === null ? null : model.stand(look.selected));
    parts.camera.restore(look.camera);
    parts.viewport.paint();
  }

  /** The last look of this picture in a list, and what is left of the list. */
  function last(list) {
    const at = list.findLastIndex(({ picture }) => picture === state.model.picture);
    return [list[at], list.slice(0, Math.max(0, at))];
  }

  const looks = {
    /** Something may have changed. */
    note() {
      if (wanted || busy) return;
      const look = now();
      if (isOther(current, look)) rest();
      else if (seen && !moved(seen, look)) return; // it rests already, or goes with the step
      seen = look;
      clearTimeout(timer);
      timer = setTimeout(rest, QUIET);
    },

    /** A picture is put in place: until all of it is there, nothing of it counts. */
    loading() {
      busy = true;
    },

    /** A picture was put in place: if its groups were asked for here, the rest follows. */
    loaded() {
      const look = wanted;
      clearTimeout(timer);
      wanted = null;
      busy = false;
      if (look && look.picture === state.model.picture) arrive(look);
      else rest();
    },

    back() {
      rest();
      const [look, left] = last(behind);
      if (!look) return parts.seeking.say('There is nothing to go back to.');
      ahead = [...ahead, current];
      behind = left;
      show(look);
    },

    on() {
      rest();
      const [look, left] = last(ahead);
      if (!look) return parts.seeking.say('There is nothing to go on to.');
      behind = [...behind, current];
      ahead = left;
      show(look);
    },

    stop: () => clearTimeout(timer),
  };
  return looks;
}

const same = (one, other) => one.length === other.length && one.every((each) => other.includes(each));

/** Is it another node that is selected, or are other groups open? */
const isOther = (one, other) => one !== null && (one.selected !== other.selected || !same(one.opened, other.opened));

/** Has the user moved the view? */
export function moved({ camera: before }, { camera: after }) {
  if (after.following) return false;
  const zoomed = Math.max(before.scale / after.scale, after.scale / before.scale);
  const away = Math.hypot(before.position.x - after.position.x, before.position.y - after.position.y) * after.scale;
  return zoomed > ZOOMED || away > MOVED;
}
