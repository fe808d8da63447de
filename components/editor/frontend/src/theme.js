/** The editor's theme: Streamlit's theme variables where they exist, and two sets of hues for the syntax. */

import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorView } from '@codemirror/view';
import { tags as t } from '@lezer/highlight';

/** The colour that panels have; a page may set `--gt-panel`. */
const PANEL = 'var(--gt-panel, var(--st-secondary-background-color, #fff))';
const INK = 'var(--st-text-color, #1d2433)';
const LINE = 'var(--st-border-color, #dfe3ea)';
const BLUE = 'var(--st-primary-color, #2f6fde)';
const UI = 'var(--st-font, system-ui, sans-serif)';
const CODE = 'var(--st-code-font, ui-monospace, "JetBrains Mono", Menlo, "DejaVu Sans Mono", monospace)';
/** Opaque, so that text scrolled under the gutter does not shine through. */
const tint = (colour, share) => `color-mix(in srgb, ${colour} ${share}, ${PANEL})`;
const veil = (colour, share) => `color-mix(in srgb, ${colour} ${share}, transparent)`;

const HUES = {
  light: {
    keyword: '#8a3fb0', number: '#96431c', string: '#24754b', comment: '#5f687a', name: '#245ab8', gutter: '#6b7484',
    orange: '#d9722e', error: '#c2384a', warning: '#96600a', info: '#245ab8', band: '11%', span: '17%',
  },
  dark: {
    keyword: '#c99bf0', number: '#f0a878', string: '#83cfa2', comment: '#8f99aa', name: '#8fb8ff', gutter: '#8a94a6',
    orange: '#f08a47', error: '#ff8b98', warning: '#e5b567', info: '#8fb8ff', band: '17%', span: '24%',
  },
};

/** Whether the page is light or dark, from the colour behind the text. */
export function toneOf(dom) {
  const [r, g, b] = (getComputedStyle(dom).backgroundColor.match(/[\d.]+/g) ?? [255, 255, 255]).map(Number);
  return (0.2126 * r + 0.7152 * g + 0.0722 * b) / 255 < 0.4 ? 'dark' : 'light';
}

const variables = (hues) => Object.fromEntries(Object.entries(hues).map(([name, value]) => [`--gt-${name}`, value]));
const severities = ['error', 'warning', 'info'];
const each = (make) => Object.assign({}, ...severities.map(make));

const code = {
  '&': { color: INK, backgroundColor: PANEL, fontSize: 'calc(12.5px * var(--gt-text, 1))', height: 'var(--gt-height, auto)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: CODE, lineHeight: '1.65', overflow: 'auto', scrollbarWidth: 'thin' },
  '.cm-content': { padding: '8px 0', caretColor: INK },
  '.cm-line': { padding: '0 14px 0 4px' },
  '.cm-gutters, .cm-gutters.cm-gutters-before': { backgroundColor: PANEL, color: 'var(--gt-gutter)', border: 'none' },
  // A line's sign has its place beside numbers of three digits, too.
  '.cm-lineNumbers .cm-gutterElement': { padding: '0 8px 0 20px', minWidth: '42px', position: 'relative' },
  '.cm-activeLineGutter': { backgroundColor: 'transparent' },
  '&.cm-focused .cm-activeLineGutter': { color: INK },
  '.cm-cursor, .cm-dropCursor': { borderLeftColor: INK, borderLeftWidth: '1.5px' },
  '& > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': { backgroundColor: veil(INK, '12%') },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': { backgroundColor: veil(BLUE, '26%') },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: veil(BLUE, '18%'), outline: `1px solid ${veil(BLUE, '45%')}`, borderRadius: '2px' },
  '&.cm-focused .cm-nonmatchingBracket': { backgroundColor: veil('var(--gt-error)', '22%') },
  '.cm-selectionMatch': { backgroundColor: veil(BLUE, '13%'), borderRadius: '2px' },
  '.cm-searchMatch': { backgroundColor: veil('#e0b400', '30%'), borderRadius: '2px' },
  '.cm-searchMatch-selected': { backgroundColor: veil('#e0b400', '65%') },
};

const tape = {
  '.cm-line.gt-moment': { backgroundColor: veil('var(--gt-orange)', 'var(--gt-band)') },
  '.gt-moment-number': {
    backgroundColor: tint('var(--gt-orange)', 'var(--gt-band)'),
    boxShadow: 'inset 3px 0 0 var(--gt-orange)',
    color: INK,
  },
  '.gt-span': { backgroundColor: veil('var(--gt-orange)', 'var(--gt-span)'), borderRadius: '3px', padding: '2px 0' },
};

/** Where the graph's nodes were made; blue like the selected card, so that the moment's orange stays the moment's. */
const nodes = {
  '.gt-node': { borderRadius: '3px', padding: '2px 0' },
  '.gt-node-hover': { backgroundColor: veil(BLUE, '13%') },
  '.gt-node-select': { backgroundColor: veil(BLUE, '16%'), boxShadow: `inset 0 -2px 0 ${BLUE}` },
};

const stops = {
  '.cm-lineNumbers .cm-gutterElement': { cursor: 'pointer' },
  '.cm-lineNumbers .cm-gutterElement::after': {
    position: 'absolute', left: '3px', top: 'calc(50% - 4.5px)', width: '9px', height: '9px', borderRadius: '50%', boxSizing: 'border-box',
  },
  '.cm-lineNumbers .cm-gutterElement:hover::after': { content: '""', backgroundColor: veil('var(--gt-error)', '38%') },
  '.cm-lineNumbers .cm-gutterElement.gt-breakpoint::after': { content: '""', backgroundColor: 'var(--gt-error)' },
  // Around an error's sign it is a ring.
  '.cm-lineNumbers .gt-wrong-number.gt-breakpoint::after': {
    left: '2px', top: '1px', width: '19px', height: '19px', background: 'none', border: '2px solid var(--gt-error)',
  },
};

const messages = {
  ...each((severity) => ({ [`.gt-${severity}`]: { '--gt-tone': `var(--gt-${severity})` } })),
  '.gt-squiggle': { textDecoration: 'underline wavy var(--gt-tone) 1px', textUnderlineOffset: '3px', textDecorationSkipInk: 'none' },
  '.cm-line.gt-wrong': { backgroundColor: veil('var(--gt-tone)', '8%') },
  '.gt-beside': { backgroundColor: tint('var(--gt-tone)', '8%') },
  '.gt-wrong-number': { backgroundColor: tint('var(--gt-tone)', '8%'), color: 'var(--gt-tone)', fontWeight: '700' },
  '.gt-wrong-number::before': {
    position: 'absolute', left: '5px', top: '4px', width: '13px', height: '13px', borderRadius: '50%', backgroundColor: 'var(--gt-tone)',
    color: PANEL, font: `700 9.5px/13px ${UI}`, textAlign: 'center',
  },
  '.gt-wrong-number.gt-error::before': { content: '"×"', fontSize: '11.5px' },
  '.gt-wrong-number.gt-warning::before': { content: '"!"' },
  '.gt-wrong-number.gt-info::before': { content: '"i"' },
  '.gt-message': { backgroundColor: veil('var(--gt-tone)', '8%'), fontFamily: UI },
  // Stays in sight when a long line is scrolled sideways, and never wider than what is visible.
  '.gt-message > div': {
    position: 'sticky', left: '46px', boxSizing: 'border-box', width: 'fit-content', maxWidth: 'calc(100cqw - 64px)',
    maxHeight: '12em', overflow: 'auto', padding: '1px 8px 7px 4px', fontSize: '12.5px', lineHeight: '1.45', color: 'var(--gt-tone)',
    whiteSpace: 'pre-wrap', overflowWrap: 'anywhere', userSelect: 'text', cursor: 'text',
  },
};

/** Once the text is no longer the one that ran, its marks step back. */
const edited = {
  '.gt-edited & .cm-line.gt-moment': { backgroundColor: veil('var(--gt-orange)', '5%') },
  '.gt-edited & .gt-moment-number': {
    backgroundColor: tint('var(--gt-orange)', '5%'), boxShadow: `inset 3px 0 0 ${veil('var(--gt-orange)', '40%')}`,
  },
  '.gt-edited & .gt-span': { backgroundColor: 'transparent' },
  '.gt-edited & .gt-message, .gt-edited & .cm-line.gt-wrong': { backgroundColor: veil('var(--gt-tone)', '4%') },
  '.gt-edited & .gt-wrong-number, .gt-edited & .gt-beside': { backgroundColor: tint('var(--gt-tone)', '4%') },
  '.gt-edited & .gt-message > div, .gt-edited & .gt-wrong-number::before': { opacity: '0.65' },
};

const boxes = {
  '.cm-tooltip': {
    backgroundColor: PANEL, color: INK, border: `1px solid ${LINE}`, borderRadius: '8px', boxShadow: '0 6px 24px rgba(15,20,32,.16)',
    overflow: 'hidden', zIndex: '500',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: CODE, fontSize: '12.5px', maxHeight: '15em', padding: '4px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '2px 8px', borderRadius: '5px', lineHeight: '1.5' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': { backgroundColor: veil(BLUE, '18%'), color: INK },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '700' },
  '.cm-completionDetail': { color: 'var(--gt-comment)', fontStyle: 'normal', marginLeft: '1.2em' },
  '.cm-panels': { backgroundColor: PANEL, color: INK, fontFamily: UI },
  '.cm-panels.cm-panels-top': { borderBottom: `1px solid ${LINE}` },
  '.cm-panel.cm-search': { padding: '7px 30px 7px 12px', fontSize: '12px' },
  '.cm-panel.cm-search [name=close]': { top: '5px', right: '8px', fontSize: '17px', color: 'inherit', cursor: 'pointer' },
  '.cm-panel.cm-search label': { fontSize: '12px', display: 'inline-flex', alignItems: 'center', gap: '3px', whiteSpace: 'nowrap' },
  '.cm-textfield': {
    backgroundColor: PANEL, color: INK, border: `1px solid ${LINE}`, borderRadius: '6px', padding: '3px 8px', fontSize: '12px', fontFamily: CODE,
  },
  '.cm-textfield:focus': { outline: `2px solid ${veil(BLUE, '55%')}`, outlineOffset: '-1px' },
  '.cm-button': {
    background: 'none', backgroundColor: PANEL, color: INK, border: `1px solid ${LINE}`, borderRadius: '6px', padding: '3px 8px', fontSize: '12px',
    cursor: 'pointer',
  },
  '.cm-button:hover': { backgroundColor: veil(INK, '6%') },
};

/** What was found about a line. */
const found = {
  '.cm-tooltip.gt-marks': {
    boxSizing: 'border-box', width: 'max-content', maxWidth: 'min(400px, calc(100cqw - 24px))', maxHeight: '50vh', overflow: 'auto', padding: '0',
    border: `1px solid ${LINE}`, borderRadius: '8px', backgroundColor: PANEL, color: INK, fontFamily: UI, fontSize: '12.5px', lineHeight: '1.45',
    boxShadow: '0 6px 22px rgb(0 0 0 / 18%)',
  },
  '.gt-found': { padding: '8px 11px 9px', borderLeft: '3px solid var(--gt-tone)', overflowWrap: 'anywhere' },
  '.gt-found + .gt-found': { borderTop: `1px solid ${LINE}` },
  '.gt-found > b': { color: 'var(--gt-tone)', fontWeight: '650' },
  '.gt-found > p': { margin: '2px 0 6px', whiteSpace: 'pre-wrap' },
  '.gt-found-bar': { display: 'flex', alignItems: 'baseline', gap: '8px', color: 'var(--gt-comment)', fontSize: '11.5px' },
  '.gt-found-bar button': {
    flex: 'none', padding: '2px 9px', border: `1px solid ${LINE}`, borderRadius: '6px', background: 'none', color: INK, font: `inherit`, fontSize: '12px',
    cursor: 'pointer',
  },
  '.gt-found-bar .gt-apply': { borderColor: BLUE, backgroundColor: BLUE, color: 'var(--gt-on-blue, #fff)' },
  '.gt-found-bar button:hover:not(:disabled)': { borderColor: BLUE },
  '.gt-found-bar button:disabled': { opacity: '0.5', cursor: 'default' },
};

/** Two sheets; where both have a selector, its declarations of both. */
function merged(first, second) {
  const all = { ...first };
  for (const [selector, style] of Object.entries(second)) all[selector] = { ...all[selector], ...style };
  return all;
}

const rules = EditorView.theme({ ...merged(code, stops), ...tape, ...nodes, ...messages, ...found, ...edited, ...boxes });
const hues = EditorView.baseTheme({
  '&': variables(HUES.light),
  '[data-tone=dark] &': variables(HUES.dark),
});

const colours = HighlightStyle.define([
  { tag: [t.keyword, t.operatorKeyword, t.modifier, t.controlKeyword, t.definitionKeyword, t.moduleKeyword], color: 'var(--gt-keyword)' },
  { tag: [t.bool, t.null, t.self], color: 'var(--gt-keyword)' },
  { tag: t.number, color: 'var(--gt-number)' },
  { tag: [t.string, t.special(t.string), t.escape], color: 'var(--gt-string)' },
  { tag: [t.comment, t.lineComment], color: 'var(--gt-comment)' },
  { tag: [t.function(t.definition(t.variableName)), t.definition(t.className)], color: 'var(--gt-name)' },
  { tag: [t.meta, t.annotation], color: 'var(--gt-comment)' },
]);

export const theme = [hues, rules, syntaxHighlighting(colours)];
