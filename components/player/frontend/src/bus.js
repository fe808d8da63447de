/**
 * What the player and the editor tell each other in the browser, without Python. The messages are CustomEvents on `window`;
 * the editor's side, with the messages written out, is in components/editor/frontend/src/bus.js.
 */

const CURSOR_MS = 120;

export function tellSpan(kind, site) {
  const [cell, line, column, endLine, endColumn] = site ?? [0, 0, 0, 0, 0];
  tell('gradtape:span', { type: 'span', kind, cell, line, column, endLine, endColumn });
}

/** A number in the program is dragged from here on; whether an editor does so. */
export function tellDrag([cell, line, column, endLine, endColumn], x) {
  const event = new CustomEvent('gradtape:drag', { detail: { type: 'drag', cell, line, column, endLine, endColumn, x }, cancelable: true });
  return !window.dispatchEvent(event);
}

export function tellBreakpoints(lines) {
  tell('gradtape:breakpoints', { type: 'breakpoints', from: 'player', lines });
}

/** Tell editors that a player is here, so that they say what breakpoints they have. */
export function tellHello() {
  tell('gradtape:hello', { from: 'player' });
}

export function tell(name, detail) {
  window.dispatchEvent(new CustomEvent(name, { detail }));
}

/**
 * @param {object} on   cursor({cell, line, column}) once it rests, goto({cell, line}), breakpoints([{cell, line}]), hello() when an editor is mounted
 * @returns {() => void} stop listening
 */
export function listenToEditor(on) {
  let timer = null;
  const onCursor = ({ detail }) => {
    clearTimeout(timer);
    timer = setTimeout(() => on.cursor(detail), CURSOR_MS);
  };
  const onBreakpoints = ({ detail }) => {
    if (detail?.from !== 'player') on.breakpoints(detail?.lines ?? []);
  };
  const onGoto = ({ detail }) => on.goto(detail);
  const onHello = ({ detail }) => detail?.from === 'editor' && on.hello();
  window.addEventListener('gradtape:hello', onHello);
  window.addEventListener('gradtape:cursor', onCursor);
  window.addEventListener('gradtape:goto', onGoto);
  window.addEventListener('gradtape:breakpoints', onBreakpoints);
  return () => {
    clearTimeout(timer);
    window.removeEventListener('gradtape:hello', onHello);
    window.removeEventListener('gradtape:cursor', onCursor);
    window.removeEventListener('gradtape:goto', onGoto);
    window.removeEventListener('gradtape:breakpoints', onBreakpoints);
  };
}

/** An editor was mounted, perhaps from a script that came after the player's: it is told what still holds. */
export function greet({ seeking, selection, breakpoints }) {
  seeking.tellMoment();
  selection.tellSelected();
  breakpoints.greet();
}

/**
 * The node whose site in the program is the innermost one around a position. In a loop the same site belongs to a node of
 * every iteration: the newest that exists at `step` is meant, or else the first to come.
 */
export function nodeAtPosition(model, { cell, line, column }, step) {
  let best = null;
  for (const node of model.nodes) {
    for (const index of node.sites) {
      const site = model.sites[index];
      if (!site || site[0] !== cell || !holds(site, line, column)) continue;
      const candidate = { node, extent: [site[3] - site[1], site[4] - site[2]] };
      if (best === null || closer(candidate, best, step)) best = candidate;
    }
  }
  return best?.node ?? null;
}

function holds([, line, column, endLine, endColumn], atLine, atColumn) {
  const afterStart = atLine > line || (atLine === line && atColumn >= column);
  return afterStart && (atLine < endLine || (atLine === endLine && atColumn <= endColumn));
}

function closer(a, b, step) {
  const [lines, columns] = [a.extent[0] - b.extent[0], a.extent[1] - b.extent[1]];
  if (lines !== 0) return lines < 0;
  if (columns !== 0) return columns < 0;
  const [aBorn, bBorn] = [a.node.born <= step, b.node.born <= step];
  if (aBorn !== bBorn) return aBorn;
  return aBorn ? a.node.born > b.node.born : a.node.born < b.node.born;
}
