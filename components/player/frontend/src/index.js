/** Entry: a player for each element of the page, with a memory that outlives it. */

import { mounted } from '../../../browser/mount.mjs';
import { createPlayer } from './player.js';
import { createStore } from './store.js';

/** By the key given in Python: the module outlives an unmounted component, so a remount can go on where it was. */
const stores = new Map();

export default mounted(({ parentElement, data, name }) => {
  // Streamlit's own `key` is new at every mount.
  const key = data?.key ?? name;
  if (!stores.has(key)) stores.set(key, createStore());
  return createPlayer(parentElement, stores.get(key));
});
