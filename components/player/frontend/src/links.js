/**
 * Buttons anywhere on the page that move the player without a run of the script, made by other parts as plain HTML:
 *   data-gt-step="12"                                  go to that step
 *   data-gt-select="t3"                                select that node (alone or beside a step)
 *   data-gt-marks='{"nodes": […], "cut": [[u, v], …]}'  mark a path in the graph; pressed again, take the marks away; with
 *                                                      "open": true what hides the first of the nodes is opened
 *   data-gt-key="t3"                                   what it says is about that node: under the pointer or with the focus in it,
 *                                                      the node is ringed; and it gets `data-gt-on` while the pointer is over that
 */

/**
 * @param {object} on   step(number), select(id), marks(data | null, pressed: boolean), pressed() before any of them by mouse, over(id | null)
 * @returns {{stop: () => void, forget: () => void, again: () => void}}
 *   stop listening; forget what is marked, for a new graph; mark it once more, for the same one with other groups open
 */
export function listenToLinks(on) {
  let shown = null;
  const onClick = (event) => {
    const link = event.target.closest?.('[data-gt-step], [data-gt-select], [data-gt-marks]');
    if (!link) return;
    const { gtStep, gtSelect, gtMarks } = link.dataset;
    // After a click with the mouse the arrows step on from there; from the keyboard the focus stays where it is.
    if (event.detail > 0) on.pressed();
    if (gtStep !== undefined && Number.isInteger(Number(gtStep))) on.step(Number(gtStep));
    if (gtSelect) on.select(gtSelect);
    if (gtMarks === undefined) return;
    const data = gtMarks === shown ? null : parsed(gtMarks);
    shown = data ? gtMarks : null;
    for (const other of document.querySelectorAll('[data-gt-marks]')) other.setAttribute('aria-pressed', String(other.dataset.gtMarks === shown));
    on.marks(data, true);
  };
  let over = null;
  const onOver = ({ target }) => {
    const key = target.closest?.('[data-gt-key]')?.dataset.gtKey ?? null;
    if (key === over) return;
    over = key;
    on.over(key);
  };
  const heard = { click: onClick, pointerover: onOver, focusin: onOver };
  for (const [event, listener] of Object.entries(heard)) document.addEventListener(event, listener);
  return {
    stop() {
      for (const [event, listener] of Object.entries(heard)) document.removeEventListener(event, listener);
    },
    forget() {
      shown = null;
    },
    again() {
      if (shown !== null) on.marks(parsed(shown), false);
    },
  };
}

/** Whatever in the page is about these nodes is marked, and nothing else. */
export function markLinked(ids) {
  for (const each of document.querySelectorAll('[data-gt-key]')) each.toggleAttribute('data-gt-on', ids.includes(each.dataset.gtKey));
}

function parsed(text) {
  try {
    const data = JSON.parse(text);
    return typeof data === 'object' ? data : null;
  } catch {
    return null;
  }
}
