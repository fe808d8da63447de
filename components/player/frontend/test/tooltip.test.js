import assert from 'node:assert/strict';
import { beforeEach, mock, test } from 'node:test';

import { createTooltip } from '../src/tooltip.js';

/** As much of an element as a tooltip needs. */
function element() {
  const made = { hidden: true, style: {}, children: [], offsetWidth: 10, offsetHeight: 10, setAttribute: () => {} };
  made.append = (...more) => made.children.push(...more);
  made.replaceChildren = (...others) => {
    made.children = others;
  };
  return made;
}

const textOf = ({ element: { children } }) => children.flatMap((line) => line.children);

beforeEach(() => {
  mock.timers.reset();
  mock.timers.enable({ apis: ['setTimeout'] });
  globalThis.document = { createElement: element };
});

test('what a tooltip says is asked anew when more has come, as long as it is there', () => {
  const tooltip = createTooltip({ clientWidth: 500, clientHeight: 500 });
  let known = 'loading';
  tooltip.refresh();
  assert.equal(tooltip.element.hidden, true);
  tooltip.over('a', () => [[known, 'plain']], { x: 5, y: 5 });
  tooltip.refresh();
  assert.equal(tooltip.element.hidden, true, 'not before its time');
  mock.timers.tick(200);
  assert.deepEqual(textOf(tooltip), ['loading']);
  known = '8';
  tooltip.refresh();
  assert.deepEqual(textOf(tooltip), ['8']);
  tooltip.hide();
  known = '9';
  tooltip.refresh();
  assert.deepEqual([tooltip.element.hidden, textOf(tooltip)], [true, ['8']]);
});
