/**
 * Long lines go on below, further in than they begin, unless the visitor wants to scroll; the page says which
 * (`gradtape:space`, components/page/space).
 */

import { countColumn } from '@codemirror/state';
import { Decoration, EditorView, ViewPlugin } from '@codemirror/view';

/** Columns by which the rest of a line stands further in than its beginning, */
const FURTHER = 4;
/** and the most of both, as a part of the editor's width, so that deeply nested lines have room in a narrow one. */
const MOST = '25cqw';
/** Pixels left of a line's text. */
const BEFORE = 4;

const marks = new Map();
/** What a line begins with stays together with its first letter: else a line whose first word is too long begins with an empty row. */
const BEGINNING = Decoration.mark({ attributes: { style: 'white-space: pre' } });

function hanging(columns) {
  if (!marks.has(columns)) {
    const hang = `min(${columns}ch, ${MOST})`;
    const style = `padding-left: calc(${hang} + ${BEFORE}px); text-indent: calc(-1 * ${hang})`;
    marks.set(columns, Decoration.line({ attributes: { style } }));
  }
  return marks.get(columns);
}

function hangs(view) {
  const found = [];
  for (const { from, to } of view.visibleRanges) {
    for (let at = from; at <= to;) {
      const line = view.state.doc.lineAt(at);
      const space = /^\s*/.exec(line.text)[0];
      const columns = countColumn(space, view.state.tabSize) + FURTHER;
      found.push(hanging(columns).range(line.from));
      if (space.length > 0 && space.length < line.length) found.push(BEGINNING.range(line.from, line.from + space.length + 1));
      at = line.to + 1;
    }
  }
  return Decoration.set(found);
}

const indents = ViewPlugin.define((view) => ({
  decorations: hangs(view),
  update(update) {
    if (update.docChanged || update.viewportChanged) this.decorations = hangs(update.view);
  },
}), { decorations: (plugin) => plugin.decorations });

const wrapped = [EditorView.lineWrapping, indents];
const scrolled = [];

/** What the visitor wants of long lines, as an extension. */
export const wrapping = () => (window.__gradtapeSpace?.wrap === false ? scrolled : wrapped);
