/** Colours and fonts, from Streamlit's theme variables; blue and orange stay apart for every kind of colour vision. */

const LIGHT = {
  dark: false,
  tones: {
    path: '#b0308a', cut: '#c2384a', good: '#17795a', bad: '#c2384a', warn: '#8f6a00', added: '#17795a', removed: '#c2384a', changed: '#6f4fc4',
  },
  blue: '#2f6fde', blueText: '#245ab8', orange: '#d9722e', orangeText: '#a84c14', edge: '#98a1b1', cut: '#98a1b1', carried: '#7a5bc7',
};
const DARK = {
  dark: true,
  tones: {
    path: '#f090d0', cut: '#ff8c99', good: '#58c99b', bad: '#ff8c99', warn: '#e0b84a', added: '#58c99b', removed: '#ff8c99', changed: '#b79cff',
  },
  blue: '#6ea4ff', blueText: '#8fb8ff', orange: '#f08a47', orangeText: '#ffb07a', edge: '#6d7789', cut: '#7f899b', carried: '#b79cff',
};

/**
 * Relative errors from none to large: lightness goes one way, so that the order is seen without telling the hues apart.
 * From pale yellow over orange and red to dark violet; the other way round on a dark page.
 */
const SCALE = [[250, 230, 150], [246, 170, 70], [214, 87, 62], [140, 41, 99], [58, 15, 90]];

function errorScale(dark) {
  const stops = dark ? SCALE.toReversed().map((stop) => mix(stop, [255, 255, 255], 0.12)) : SCALE;
  return (value) => {
    const at = Math.min(1, Math.max(0, value)) * (stops.length - 1);
    const index = Math.min(stops.length - 2, Math.floor(at));
    return css(mix(stops[index], stops[index + 1], at - index));
  };
}

/** @param {Element} element inside the component, where the `--st-*` variables reach */
export function readPalette(element) {
  const style = getComputedStyle(element);
  const read = (name, fallback) => {
    const value = style.getPropertyValue(name).trim();
    return value && value !== 'unset' ? value : fallback;
  };
  const page = rgb(read('--st-background-color', '#ffffff'));
  const hues = luminance(page) < 0.35 ? DARK : LIGHT;
  const ink = rgb(read('--st-text-color', hues.dark ? '#fafafa' : '#1d2433'));
  const white = [255, 255, 255];
  const card = hues.dark ? mix(page, white, 0.075) : mix(page, white, 0.9);
  const stage = hues.dark ? mix(page, white, 0.018) : mix(page, ink, 0.012);
  const [blue, orange] = [rgb(hues.blue), rgb(hues.orange)];
  return {
    ...hues,
    ink: css(ink),
    mute: css(mix(ink, page, 0.32)),
    faint: css(mix(ink, page, 0.58)),
    line: css(mix(page, ink, hues.dark ? 0.16 : 0.13)),
    border: css(mix(page, ink, hues.dark ? 0.34 : 0.27)),
    page: css(page),
    stage: css(stage),
    veil: `rgba(${stage.map(Math.round).join(',')},0.86)`,
    card: css(card),
    constant: css(mix(card, ink, 0.05)),
    blueTint: css(mix(card, blue, hues.dark ? 0.2 : 0.1)),
    orangeTint: css(mix(card, orange, hues.dark ? 0.2 : 0.1)),
    block: css(mix(card, ink, 0.09)),
    blueBlock: css(mix(card, blue, 0.3)),
    orangeBlock: css(mix(card, orange, 0.36)),
    blueHalo: css(blue, hues.dark ? 0.34 : 0.2),
    orangeHalo: css(orange, hues.dark ? 0.36 : 0.24),
    region: css(mix(stage, orange, hues.dark ? 0.09 : 0.07)),
    regionLine: css(mix(stage, orange, hues.dark ? 0.4 : 0.42)),
    orangeMute: css(mix(orange, page, 0.3)),
    carriedPale: css(mix(stage, rgb(hues.carried), hues.dark ? 0.34 : 0.38)),
    carriedFirm: css(mix(stage, rgb(hues.carried), 0.66)),
    shadow: hues.dark ? 'rgba(0,0,0,0.35)' : 'rgba(29,36,51,0.07)',
    red: hues.tones.bad,
    redTint: css(mix(card, rgb(hues.tones.bad), hues.dark ? 0.2 : 0.09)),
    nanTint: css(rgb(hues.tones.bad), hues.dark ? 0.3 : 0.17),
    infTint: css(rgb(hues.tones.warn), hues.dark ? 0.34 : 0.24),
    frame: css(hues.dark ? mix(stage, white, 0.03) : mix(stage, white, 0.75)),
    frameLine: css(mix(stage, ink, 0.26)),
    paperLine: css(mix(stage, ink, 0.15)),
    tab: css(hues.dark ? mix(page, ink, 0.86) : ink),
    onTab: css(page),
    onTabMute: css(mix(page, ink, 0.3)),
    onColour: hues.dark ? '#10141c' : '#ffffff',
    font: read('--st-font', 'system-ui, sans-serif'),
    scale: errorScale(hues.dark),
  };
}

/** The same colours as CSS variables, for the parts that are HTML. */
export function paletteVariables(palette) {
  const names = ['ink', 'mute', 'faint', 'line', 'border', 'page', 'stage', 'card', 'blue', 'blueText', 'blueTint', 'blueHalo',
    'orange', 'orangeText', 'orangeTint', 'orangeHalo', 'edge', 'cut', 'carried', 'red', 'nanTint', 'infTint', 'veil', 'shadow', 'onColour'];
  return [
    ...names.map((name) => [`--p-${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`, palette[name]]),
    ...Object.entries(palette.tones).map(([tone, colour]) => [`--tone-${tone}`, colour]),
    ['--tone-error', `linear-gradient(90deg, ${[0, 0.25, 0.5, 0.75, 1].map(palette.scale).join(', ')})`],
  ];
}

/** Any CSS colour as [r, g, b]: the canvas normalises names, hsl() and the like. */
function rgb(colour) {
  const context = document.createElement('canvas').getContext('2d');
  context.fillStyle = colour;
  const text = context.fillStyle;
  if (text.startsWith('#')) return [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16));
  return text.match(/[\d.]+/g).slice(0, 3).map(Number);
}

function mix(a, b, share) {
  return a.map((channel, index) => channel + (b[index] - channel) * share);
}

function css(channels, alpha = 1) {
  const list = channels.map(Math.round).join(',');
  return alpha === 1 ? `rgb(${list})` : `rgba(${list},${alpha})`;
}

function luminance([r, g, b]) {
  return (0.2126 * r + 0.7152 * g + 0.0722 * b) / 255;
}
