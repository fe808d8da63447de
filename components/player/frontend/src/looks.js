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
  const kept = { behind: [], ahead: [] };
  let current = null;
  let wanted = null; // groups of it are on their way
  let moving = false; // another node or other groups have just come, and the view may go to them
  let seen = null; // what was looked at when something changed last
  let busy = false; // a picture is put in place
  let timer = null;

  /** What is looked at now. */
  function now() {
    const { model, view } = state;
    return { picture: model.picture, selected: view.selected, opened: model.fold.opened, camera: parts.camera.state() };
  }

  /** What is looked at has come to rest, or is another thing: what was before can be gone back to. */
  function rest() {
    clearTimeout(timer);
    if (wanted || busy || state.model.sketch || !parts.viewport.hasRoom()) return;
    const look = now();
    const other = isOther(current, look);
    if (current?.picture === look.picture) {
      if (other || (!moving && moved(current, look))) {
        kept.behind = [...kept.behind, current].slice(-MOST);
        kept.ahead = [];
      } else if (!moving && !look.camera.following) return;
    }
    moving = other;
    current = look;
  }

  function show(look) {
    current = look;
    if (same(look.opened, state.model.fold.opened)) return arrive(look);
    wanted = look;
    timer = setTimeout(() => { wanted = null; }, LATE);
    parts.folds.set(look.opened.map(({ id }) => id));
  }

  function arrive(look) {
    const { model } = state;
    parts.selection.select(look.selected === null ? null : model.stand(look.selected));
    parts.camera.restore(look.camera);
    parts.viewport.paint();
  }

  /** To the last look of this picture in one of the lists; what is looked at now goes to the other. */
  function go(from, to, nothing) {
    rest();
    const at = kept[from].findLastIndex(({ picture }) => picture === state.model.picture);
    if (at < 0) return parts.seeking.say(nothing);
    const look = kept[from][at];
    kept[to] = [...kept[to], current];
    kept[from] = kept[from].slice(0, at);
    show(look);
  }

  return {
    /** Something may have changed. */
    note() {
      if (wanted || busy) return;
      const look = now();
      if (isOther(current, look)) rest();
      else if (seen && !away(seen, look)) return; // it rests already
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

    /** Whether it is at rest: what is done with the view from now on is gone back from by itself. */
    atRest: () => !moving && !wanted && !busy,
    back: () => go('behind', 'ahead', 'There is nothing to go back to.'),
    on: () => go('ahead', 'behind', 'There is nothing to go on to.'),
    stop: () => clearTimeout(timer),
  };
}

/** Are these the same open groups? */
const same = (one, other) => one === other || (one.length === other.length && one.every(({ id }) => other.some((each) => each.id === id)));

/** Is it another node that is selected, or are other groups open? */
const isOther = (one, other) => one !== null && (one.selected !== other.selected || !same(one.opened, other.opened));

/** Is the view another one? */
function away({ camera: before }, { camera: after }) {
  const zoomed = Math.max(before.scale / after.scale, after.scale / before.scale);
  const apart = Math.hypot(before.position.x - after.position.x, before.position.y - after.position.y) * after.scale;
  return zoomed > ZOOMED || apart > MOVED;
}

/** Has the user moved the view? Where it follows the step it goes by itself. */
export const moved = (one, other) => !other.camera.following && away(one, other);
