/** Entry: Streamlit calls the default export on every update; players live as long as their place in the page. */

import { createPlayer } from './player.js';
import { read } from './tape.js';

const players = new WeakMap();
/** By the key given in Python: the module outlives an unmounted component, so a remount can go on where it was. */
const memories = new Map();

export default function render(given) {
  const component = { ...given, data: read(given.data) };
  const { parentElement, data, name } = component;
  let player = players.get(parentElement);
  if (!player) {
    // Streamlit's own `key` is new at every mount.
    const place = data?.key ?? name;
    if (!memories.has(place)) memories.set(place, {});
    player = createPlayer(parentElement, memories.get(place));
    players.set(parentElement, player);
  }
  player.update(component);
  return () => {
    players.delete(parentElement);
    player.destroy();
  };
}
