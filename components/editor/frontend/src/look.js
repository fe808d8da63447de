/** The editor's looks, from Streamlit's theme variables, so that light and dark follow by themselves. */

import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorView } from '@codemirror/view';
import { tags as t } from '@lezer/highlight';

const ink = 'var(--st-text-color, #1d2433)';
const mute = 'color-mix(in srgb, var(--st-text-color, #1d2433) 55%, transparent)';
const orange = 'var(--st-orange-color, #d9722e)';
const red = 'var(--st-red-color, #c2384a)';
const code = 'var(--st-code-font, ui-monospace, "JetBrains Mono", Menlo, "DejaVu Sans Mono", monospace)';

const theme = EditorView.theme({
  '&': { color: ink, backgroundColor: 'transparent', fontSize: '13px', height: 'var(--gt-height, auto)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: code, lineHeight: '1.6', overflow: 'auto' },
  '.cm-content': { padding: '6px 0', caretColor: ink },
  '.cm-line': { padding: '0 10px 0 6px' },
  '.cm-gutters': { backgroundColor: 'transparent', color: mute, border: 'none' },
  '.cm-lineNumbers .cm-gutterElement': { padding: '0 8px 0 12px', minWidth: '34px' },
  '.cm-cursor': { borderLeftColor: ink },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
    backgroundColor: 'color-mix(in srgb, var(--st-primary-color, #2f6fde) 24%, transparent)',
  },
  '.cm-matchingBracket': { backgroundColor: 'color-mix(in srgb, var(--st-primary-color, #2f6fde) 22%, transparent)', outline: 'none' },
  '.cm-selectionMatch': { backgroundColor: 'color-mix(in srgb, var(--st-primary-color, #2f6fde) 12%, transparent)' },
  '.gt-moment': { backgroundColor: `color-mix(in srgb, ${orange} 14%, transparent)` },
  '.gt-span': { backgroundColor: `color-mix(in srgb, ${orange} 20%, transparent)`, borderRadius: '3px' },
  '.gt-wrong': { backgroundColor: `color-mix(in srgb, ${red} 9%, transparent)` },
  '.gt-wrong-line': { color: `${red} !important`, fontWeight: '700' },
  '.gt-squiggle': { textDecoration: `underline wavy ${red} 1px`, textUnderlineOffset: '3px' },
  '.gt-message': {
    color: red, fontFamily: 'var(--st-font, system-ui, sans-serif)', fontSize: '12.5px', lineHeight: '1.45', whiteSpace: 'pre-wrap',
    padding: '3px 10px 6px 6px', boxSizing: 'border-box', maxWidth: 'calc(100cqw - 54px)', position: 'sticky', left: '54px', backgroundColor: `color-mix(in srgb, ${red} 9%, transparent)`,
  },
  '.cm-tooltip': {
    backgroundColor: 'var(--st-secondary-background-color, #fff)', color: ink, border: '1px solid var(--st-border-color, #dfe3ea)', borderRadius: '6px',
  },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--st-primary-color, #2f6fde)', color: '#fff' },
  '.cm-panels': { backgroundColor: 'var(--st-secondary-background-color, #fff)', color: ink },
  '.cm-panel input, .cm-panel button': { font: 'inherit' },
});

const mix = (color, share = 100) => `color-mix(in srgb, ${color} ${share}%, var(--st-text-color, #1d2433))`;
const colours = HighlightStyle.define([
  { tag: [t.keyword, t.operatorKeyword, t.modifier, t.controlKeyword], color: mix('var(--st-violet-color, #8a3fb0)', 85) },
  { tag: [t.number, t.bool, t.null], color: mix('var(--st-orange-color, #b0562a)', 80) },
  { tag: [t.string, t.special(t.string)], color: mix('var(--st-green-color, #2a8f5b)', 75) },
  { tag: [t.comment, t.lineComment], color: mute, fontStyle: 'italic' },
  { tag: [t.definition(t.variableName), t.function(t.definition(t.variableName)), t.className], color: mix('var(--st-blue-color, #2f6fde)', 75) },
  { tag: [t.meta], color: mute },
]);

export const look = [theme, syntaxHighlighting(colours)];
