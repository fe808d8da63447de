/** What the player's parts share: the graph on show, the step, and all that the canvas is painted with. */

import { createModel } from './model.js';

/**
 * @typedef {object} State
 * @property {import('./model.js').Model} model
 * @property {number} step
 * @property {View} view
 * @property {import('./store.js').Store} memory
 */

/**
 * @typedef {object} View                      what the canvas is painted with
 * @property {object | null} palette           the theme's colours
 * @property {object | null} fonts
 * @property {number} scale                    of the last painting, and
 * @property {object | null} area              which part of the picture was in view,
 * @property {object[]} lively                 and the edges over which a gradient passed
 * @property {number} step
 * @property {object | null} overlay           marks, as `readOverlay` gives them
 * @property {string | null} selected          a node's id
 * @property {string | null} hovered           a node's id
 * @property {Set<string>} found               nodes that the find box has found
 * @property {string | null} linked            the node that stands for what the pointer is over elsewhere in the page
 * @property {Set<string>} focus               nodes that the step is about
 * @property {string} focusKind                forward, backward or other
 * @property {Set<string>} near                edges of the selected node
 * @property {Set<string> | null} kept         nodes in focus, the others step back
 * @property {boolean} weighed                 whether edges are as wide as their gradients are large
 * @property {object | null} glide             cards on their way to where they are (`glide.js`)
 * @property {object | null} hoveredFrame      the frame of a loop whose tab is under the pointer
 * @property {{id: string, good: boolean} | null} ringed   the loss that was gone to: of the first NaN, or the last good one
 * @property {number} above                   how much of the upper edge the tools take, in pixels
 * @property {Set<string>} origins             nodes that the first NaN or Inf of a rolled run came from
 */

/** @param {import('./store.js').Store} memory  @returns {State} */
export function createState(memory) {
  return {
    model: createModel({}),
    step: 0,
    view: {
      palette: null, fonts: null, scale: 1, area: null, lively: [],
      step: 0, overlay: null, selected: null, hovered: null, linked: null, found: new Set(), focus: new Set(), focusKind: 'other', near: new Set(),
      kept: null, weighed: false, hoveredFrame: null, glide: null, origins: new Set(), above: 0, ringed: null,
    },
    memory,
  };
}

/** The node that is selected, or null. */
export const selectedNode = ({ model, view }) => model.node.get(view.selected) ?? null;

/** What is looked for in a picture when it is opened: the nodes of the step, but at the end, where it opens by itself, none. */
export const soughtNodes = (state) => (state.step < state.model.last ? focusNodes(state) : []);

/** The nodes on show that the step is about. */
export const focusNodes = ({ model, step }) => model.focusAt(step).map((id) => model.node.get(id)).filter(Boolean);

/** What a node is called at the step; one in a closed group by its own name. */
export function titleOf({ model }, id) {
  const node = model.node.get(id);
  return node?.face.title ?? node?.title ?? model.hidden.get(id)?.names[0] ?? '';
}
