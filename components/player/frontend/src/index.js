/** Entry: a player for each element of the page, with a memory that outlives it. */

import { mounted } from '../../../browser/mount.mjs';
import { createMemory } from './memory.js';
import { createPlayer } from './player.js';

/** By the key given in Python: the module outlives an unmounted component, so a remount can go on where it was. */
const memories = new Map();

export default mounted(({ parentElement, data, name }) => {
  // Streamlit's own `key` is new at every mount.
  const key = data?.key ?? name;
  if (!memories.has(key)) memories.set(key, createMemory());
  return createPlayer(parentElement, memories.get(key));
});
