/** The design's colours as the page's theme wants them, and as CSS variables. */

import { PALETTES, VEIL } from './design.js';

/** The colours of the light or the dark page. */
export function paletteOf(dark, font = 'sans-serif') {
  const colours = PALETTES[dark ? 'dark' : 'light'];
  const veil = `${colours.stage}${Math.round(VEIL.opacity * 255).toString(16)}`;
  return { ...colours, veil, dark, font, scale: between(colours.scale) };
}

/** @param {Element} element inside the component, where the `--st-*` variables reach */
export function readPalette(element) {
  const style = getComputedStyle(element);
  const read = (name, fallback) => {
    const value = style.getPropertyValue(name).trim();
    return value && value !== 'unset' ? value : fallback;
  };
  const page = channels(read('--st-background-color', PALETTES.light.page));
  return paletteOf(luminance(page) < 0.35, read('--st-font', 'system-ui, sans-serif'));
}

/** The colours for the parts that are HTML. */
export function paletteVariables(palette) {
  const plain = Object.entries(palette).filter(([, value]) => typeof value === 'string' && value.startsWith('#'));
  return [
    ...plain.map(([name, colour]) => [`--p-${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`, colour]),
    ...Object.entries(palette.tones).map(([tone, colour]) => [`--tone-${tone}`, colour]),
    ['--tone-error', `linear-gradient(90deg, ${[0, 0.25, 0.5, 0.75, 1].map(palette.scale).join(', ')})`],
  ];
}

/** A colour for every number from 0 to 1, between those of a scale. */
function between(scale) {
  const stops = scale.map(channels);
  return (value) => {
    const at = Math.min(1, Math.max(0, value)) * (stops.length - 1);
    const index = Math.min(stops.length - 2, Math.floor(at));
    const mixed = stops[index].map((channel, k) => Math.round(channel + (stops[index + 1][k] - channel) * (at - index)));
    return `rgb(${mixed.join(',')})`;
  };
}

/** A CSS colour as [r, g, b]; the canvas normalises names, hsl() and the like. */
function channels(colour) {
  if (/^#[0-9a-f]{6}$/i.test(colour)) return [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
  const context = document.createElement('canvas').getContext('2d');
  context.fillStyle = colour;
  const text = context.fillStyle;
  return text.startsWith('#') ? channels(text) : text.match(/[\d.]+/g).slice(0, 3).map(Number);
}

const luminance = ([r, g, b]) => (0.2126 * r + 0.7152 * g + 0.0722 * b) / 255;
