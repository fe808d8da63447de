/** The page's theme as the player paints with it. */

import { fontsOf } from './fonts.js';
import { paletteVariables, readPalette } from './palette.js';

/** Take over the colours and fonts that hold where the player stands, if they have changed. */
export function readTheme(root, view) {
  const palette = readPalette(root);
  if (view.palette && JSON.stringify(palette) === JSON.stringify(view.palette)) return;
  view.palette = palette;
  view.fonts = fontsOf(palette.font);
  for (const [name, value] of paletteVariables(palette)) root.style.setProperty(name, value);
  root.dataset.theme = palette.dark ? 'dark' : 'light';
}
