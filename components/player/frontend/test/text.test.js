import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { fontsOf } from '../src/fonts.js';
import * as text from '../src/text.js';

const CASES = JSON.parse(readFileSync(new URL('../../../../tests/engine/export/texts.json', import.meta.url), 'utf8'));
const fonts = fontsOf('sans');

test('texts are measured and shortened as files have them', () => {
  for (const [how, ...given] of CASES) {
    const expected = given.pop();
    const [first, ...rest] = given;
    const found = ['clean', 'shorterNumbers', 'namedValue'].includes(how) ? text[how](first) : text[how](fonts[first], ...rest);
    const same = how === 'textWidth' ? Math.abs(found - expected) < 0.01 : JSON.stringify(found) === JSON.stringify(expected);
    assert.ok(same, `${how} of ${JSON.stringify(given)}: ${JSON.stringify(found)} instead of ${JSON.stringify(expected)}`);
  }
  assert.deepEqual([...new Set(CASES.map(([how]) => how))], ['fitEnd', 'fitMiddle', 'shorterNumbers', 'fitNumber', 'clean', 'textWidth', 'fitBadge', 'fitArguments', 'namedValue']);
});

test('no text is wider in the browser than it is in the typeface of the picture', () => {
  const told = [];
  const ctx = { fillText: (...given) => told.push(given) };
  const used = text.write(ctx, 'transformer.h.0', 3, 4, { font: fonts.row, fill: '#000', room: 60 });
  assert.deepEqual(told, [[text.fitEnd(fonts.row, 'transformer.h.0', 60), 3, 4, used]]);
  assert.equal(text.write(ctx, '', 0, 0, { font: fonts.row, fill: '#000' }), 0);
});
