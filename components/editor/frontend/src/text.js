/** Texts as plain data: line ends, Python's positions, and the smallest change from one text to another. */

const encoder = new TextEncoder();

/** CodeMirror joins lines with \n, so a text from elsewhere is compared only after this. */
export function normalised(text) {
  return text.replace(/\r\n?/g, '\n');
}

/**
 * The offset of a Python position; out of range is moved to the nearest one that exists.
 * @param {import('@codemirror/state').Text} doc
 * @param {number} line from 1
 * @param {number} column from 0, in UTF-8 bytes as Python's `ast` counts; the document counts UTF-16 units
 */
export function offsetOf(doc, line, column) {
  const { from, text } = doc.line(Math.min(Math.max(line, 1), doc.lines));
  let bytes = 0;
  let units = 0;
  for (const character of text) {
    if (bytes >= column) break;
    bytes += encoder.encode(character).length;
    units += character.length;
  }
  return from + units;
}

/** The Python position at an offset. */
export function positionOf(doc, offset) {
  const { number, from, text } = doc.lineAt(offset);
  return { line: number, column: encoder.encode(text.slice(0, offset - from)).length };
}

/** The one replacement that turns `before` into `after`, leaving the common beginning and end alone; null if equal. */
export function smallestChange(before, after) {
  if (before === after) return null;
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < shorter - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  return { from: start, to: before.length - end, insert: after.slice(start, after.length - end) };
}
