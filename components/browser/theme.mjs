/**
 * Light and dark. The themes are Streamlit's, which can change them without loading the page anew.
 *
 * It offers them in a menu that this page does not show, and nowhere else, so they are looked for where React keeps what the menu is
 * given: a context with the theme that is on, all that there are, and what changes it. Where a later Streamlit has no such thing,
 * nothing is found.
 */

const TURNED = 'gradtape:theme';
/** What the themes' names end with. */
const ENDS = { System: /(Auto|system setting)$/, Light: /Light$/, Dark: /Dark$/ };
/** Where Streamlit remembers the theme that was chosen. */
const where = () => `stActiveTheme-${location.pathname}-v2`;

/** Do something whenever the page has turned light or dark, before anything of it is seen; gives what ends it. */
export function onTheme(act) {
  window.addEventListener(TURNED, act);
  return () => window.removeEventListener(TURNED, act);
}

/** The theme that was chosen, of late or in an earlier visit: "System", "Light" or "Dark". */
export function themeChosen() {
  if (window.__gradtapeTheme) return window.__gradtapeTheme;
  try {
    const found = JSON.parse(window.localStorage.getItem(where()));
    return found in ENDS ? found : 'System';
  } catch {
    return 'System';
  }
}

/** Choose a theme: it is remembered, and holds at once. Streamlit reads it when the page is loaded, so where it cannot be told, the
 * page is. */
export function chooseTheme(name) {
  window.__gradtapeTheme = name;
  storeTheme(JSON.stringify(name));
  if (!turn(name)) location.reload();
}

/** Have the page be light, whatever was chosen; gives what ends it. */
export function lighten() {
  const dark = getComputedStyle(document.querySelector('.stApp')).colorScheme === 'dark';
  if (!dark || !turn('Light')) return () => {};
  return () => turn(themeChosen());
}

/** Turn the page; whether that could be done. What is remembered stays, which Streamlit changes along with it. */
function turn(name) {
  const found = themes();
  const wanted = found?.availableThemes.find((each) => ENDS[name].test(each.name));
  if (!wanted) return false;
  const kept = storedTheme();
  // What a click changes React draws in one go, with all that it leads to, and before anything else happens.
  const hand = new EventTarget();
  hand.addEventListener('click', () => found.setTheme(wanted));
  hand.dispatchEvent(new Event('click'));
  queueMicrotask(() => {
    storeTheme(kept);
    window.dispatchEvent(new CustomEvent(TURNED));
  });
  return true;
}

/** The context, as it is now; nothing where there is none. */
function themes() {
  const app = document.getElementById('root') ?? {};
  const container = app[Object.keys(app).find((key) => key.startsWith('__reactContainer$'))];
  const fibers = [container?.stateNode?.current];
  // It stands around the page, so the first ones, level by level, are enough.
  for (let k = 0; k < fibers.length && k < 2_000; k += 1) {
    const fiber = fibers[k];
    const { value } = fiber?.memoizedProps ?? {};
    if (value?.setTheme && value.activeTheme && value.availableThemes) return value;
    for (let child = fiber?.child; child; child = child.sibling) fibers.push(child);
  }
  return null;
}

function storedTheme() {
  try {
    return window.localStorage.getItem(where());
  } catch {
    return null;
  }
}

function storeTheme(text) {
  try {
    if (text === null) window.localStorage.removeItem(where());
    else window.localStorage.setItem(where(), text);
  } catch {
    // until the page is left, then
  }
}
