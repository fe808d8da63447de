/** The tour's strip: an offer on the first visit, then one stop after the other. Text from Python is only ever set as text. */

import { h } from '../browser/dom.mjs';
import { mounted } from '../browser/mount.mjs';

const SEEN = 'gradtape.tour';

export default mounted(createStrip);

function createStrip({ parentElement }) {
  const root = h('section', { class: 'gt-tour', 'aria-label': 'Guided tour', hidden: '' });
  parentElement.append(root);
  let stops = [];
  let destinations = [];
  let started = null;
  let at = -1;
  let state = remembered() ? 'closed' : 'offer';
  let drawn = '';

  function update({ data }) {
    destinations = data.destinations ?? [];
    const next = data.stops ?? [];
    const changed = JSON.stringify(next) !== JSON.stringify(stops);
    stops = next;
    if (changed && state === 'open') state = 'closed';
    const wanted = data.started ?? 0;
    if (wanted > (started ?? 0)) state = 'wanted';
    started = wanted;
    if (state === 'wanted' && stops.length > 0) whenPlayer(() => open());
    else draw();
  }

  /** The run that the stops belong to may still be on its way into the player. */
  function whenPlayer(action, patience = 100) {
    const player = window.__gradtapePlayer;
    if (player && player.moment && player.moment.total > stops[stops.length - 1].step) action();
    else if (patience > 0 && root.isConnected) setTimeout(() => whenPlayer(action, patience - 1), 50);
  }

  function open() {
    remember();
    state = 'open';
    go(0);
  }

  function go(stop) {
    at = stop;
    draw();
    const { step, select, marks } = stops[at];
    clearMarks();
    follow({ 'data-gt-step': step, 'data-gt-select': select });
    if (marks.length > 0) follow({ 'data-gt-marks': JSON.stringify({ nodes: marks, cut: [] }) });
    root.querySelector('.gt-tour-next')?.focus({ preventScroll: true });
  }

  function leave() {
    remember();
    if (state === 'open') clearMarks();
    state = 'closed';
    draw();
  }

  function draw() {
    const shown = stops.length > 0 && (state === 'offer' || state === 'open');
    const wanted = shown ? `${state} ${at} ${JSON.stringify(stops)}` : '';
    if (wanted === drawn) return;
    drawn = wanted;
    root.hidden = !shown;
    root.classList.toggle('gt-tour-offer', shown && state === 'offer');
    if (!shown) return root.replaceChildren();
    root.replaceChildren(...(state === 'offer' ? offer() : stop()));
  }

  const offer = () => [
    h('p', {}, h('strong', {}, 'New here? '), h('span', {}, 'Five steps through this example show how gradients add up.')),
    h('div', { class: 'gt-tour-buttons' },
      button('Take the tour', open, 'gt-tour-main gt-tour-next'),
      button('Not now', leave)),
  ];

  const stop = () => {
    const last = at === stops.length - 1;
    const next = last ? destinations.map((to) => h('a', { href: to.address }, to.label)) : [];
    return [
      h('ol', { class: 'gt-tour-dots', 'aria-hidden': 'true' }, ...stops.map((_, k) => h('li', k === at ? { class: 'now' } : {}))),
      h('div', { class: 'gt-tour-words', 'aria-live': 'polite', 'aria-atomic': 'true' },
        h('h2', {}, h('span', { class: 'gt-tour-count' }, `${at + 1} of ${stops.length}`), stops[at].title),
        h('p', {}, stops[at].text),
        ...(next.length > 0 ? [h('p', { class: 'gt-tour-destinations' }, 'Look at next: ', ...next)] : [])),
      h('div', { class: 'gt-tour-buttons' },
        button('Back', () => go(at - 1), '', at === 0),
        last ? button('Done', leave, 'gt-tour-main gt-tour-next') : button('Next', () => go(at + 1), 'gt-tour-main gt-tour-next'),
        ...(last ? [] : [button('Leave', leave)])),
    ];
  };

  root.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    leave();
  });

  return {
    update,
    destroy() {
      root.remove();
    },
  };
}

/** Go where a link of the page would go; the player listens to those. */
function follow(attributes) {
  const link = h('button', { type: 'button', hidden: '', ...attributes });
  document.body.append(link);
  link.click();
  link.remove();
}

const clearMarks = () => follow({ 'data-gt-marks': '' });

function remembered() {
  try {
    return localStorage.getItem(SEEN) !== null;
  } catch {
    return false; // storage may be forbidden
  }
}

function remember() {
  try {
    localStorage.setItem(SEEN, 'seen');
  } catch {
    // then it is offered again
  }
}

function button(label, onPress, cls = '', disabled = false) {
  const made = h('button', { type: 'button', class: cls }, label);
  made.disabled = disabled;
  made.addEventListener('click', onPress);
  return made;
}
