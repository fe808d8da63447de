/** The engine's ready queue at a step: which nodes of the running pass wait, are ready, run, are done. */

const NEVER = -1;
/** What a card that stands for several nodes shows: the liveliest of them. */
const RANK = { running: 4, ready: 3, waiting: 2, done: 1, captured: 1 };

/** Passes as they come in the payload.  @param {import('./protocol').Queue[] | undefined} queues */
export function readQueues(queues) {
  return (queues ?? []).map(({ number, from, to, visits }) => ({
    number,
    from,
    to,
    visits: visits.map(([key, name, ready, began, ran, arrivals]) => ({ key, name, ready, began, ran, arrivals })),
  }));
}

/**
 * The innermost pass that is running, or null: its visits by state, each list in the order in which the engine takes them,
 * and the state of every card. `position`, in the queue, counts from 1; `have` of `total` contributions have come. `stand` says which card on show
 * stands for a node.
 */
export function queueAt(queues, step, stand = (key) => key) {
  let queue = null;
  for (const each of queues) if (each.from <= step && step < each.to) queue = each;
  if (!queue) return null;
  const lists = { running: [], ready: [], waiting: [], done: [] };
  const cards = new Map();
  for (const visit of queue.visits) {
    const state = stateOf(visit, step);
    let have = 0;
    while (have < visit.arrivals.length && visit.arrivals[have] <= step) have += 1;
    const list = lists[state === 'captured' ? 'done' : state];
    const entry = { key: visit.key, name: visit.name, state, have, total: visit.arrivals.length, position: state === 'ready' ? list.length + 1 : 0 };
    list.push(entry);
    if (visit.key === null) continue;
    const card = stand(visit.key);
    const known = cards.get(card);
    if (!known || RANK[known.state] < RANK[state]) cards.set(card, entry);
  }
  return { number: queue.number, ...lists, cards };
}

function stateOf({ ready, began, ran }, step) {
  if (ready === NEVER || step < ready) return 'waiting';
  if (ran === NEVER) return 'captured';
  if (step < began) return 'ready';
  return step <= ran ? 'running' : 'done';
}

/** A visit in words, for tooltips and screen readers. */
export function stateText({ state, position, have, total }) {
  if (state === 'waiting') return total > 1 ? `waiting: ${have} of ${total} gradients have come` : 'waiting for its gradient';
  if (state === 'ready') return position === 1 ? 'ready: runs next' : `ready: number ${position} in the queue`;
  if (state === 'captured') return 'its gradient is the result of the pass';
  return state === 'running' ? 'running' : 'done';
}
