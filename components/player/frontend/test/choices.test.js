import assert from 'node:assert/strict';
import { beforeEach, mock, test } from 'node:test';
import { createChoices } from '../src/choices.js';

globalThis.document = { createElement: () => ({ addEventListener: () => {}, setAttribute: () => {}, append: () => {}, hidden: true, textContent: '' }) };

/** A picture with a card, one that is coloured, and a row of parameters; `told` is what Python hears, `said` what the user does. */
function chosen({ fixed = '', away = [] } = {}) {
  const host = { id: 'g:1', colour: null };
  const node = new Map([['t0', { id: 't0', colour: null }], ['t1', { id: 't1', colour: 1 }], ['t2', { id: 't2', colour: null, host }]]);
  const state = { memory: { wanted: null }, model: { node, fixed, away: new Set(away), picture: 'a1|tensors' }, view: { selected: null, palette: { chosen: ['#111111', '#222222'] } } };
  const [told, said] = [[], []];
  const parts = { reporter: { tell: (name, _, sent) => told.push([name, sent.last]) }, seeking: { say: (text) => said.push(text) }, viewport: { paint: () => {} } };
  return { state, told, said, choices: createChoices(state, parts) };
}

beforeEach(() => {
  mock.timers.reset();
  mock.timers.enable({ apis: ['Date'], now: 1000 });
});

test('what was done is told in order, with numbers that grow although the clock does not', () => {
  const { choices, told } = chosen();
  choices.hide('t0');
  choices.colour('t1', 0);
  assert.deepEqual(told.at(-1), ['chosen', [{ n: 1000, run: 'a1', do: 'hide', key: 't0' }, { n: 1001, run: 'a1', do: 'colour', key: 't1', colour: 0 }]]);
});

test('of what stands in a card, the card is meant', () => {
  const { choices, state, told } = chosen();
  state.view.selected = 't2';
  choices.hideSelected();
  assert.equal(told[0][1][0].key, 'g:1');
});

test('each press gives the next colour, although Python has not answered yet; after the last comes none', () => {
  const { choices, state, told } = chosen();
  state.view.selected = 't0';
  for (const colour of [0, 1, null]) {
    choices.colourSelected();
    assert.equal(told.at(-1)[1].at(-1).colour, colour);
    assert.equal(state.model.node.get('t0').colour, colour);
  }
});

test('nothing is told where nothing is selected or hidden, and of a file', () => {
  const { choices, told, said } = chosen();
  choices.hideSelected();
  choices.showAll();
  assert.deepEqual(said, ['Select a card first.', 'Nothing is hidden.']);
  const file = chosen({ fixed: 'It is a file.' });
  file.choices.hide('t0');
  file.choices.showAll();
  assert.deepEqual(file.said, ['It is a file.', 'It is a file.']);
  assert.deepEqual([...told, ...file.told], []);
});

test('how many are hidden is said as long as there are any', () => {
  const { choices, state } = chosen({ away: ['t5', 't6'] });
  choices.loaded();
  assert.deepEqual([choices.chip.hidden, choices.chip.textContent], [false, '2 hidden']);
  state.model.away.clear();
  choices.loaded();
  assert.equal(choices.chip.hidden, true);
});

test('what is hidden and is wanted is shown as soon as it would be there', () => {
  const { choices, state, told } = chosen({ away: ['t5'] });
  state.memory.wanted = 't5';
  choices.loaded();
  assert.deepEqual(told.at(-1)[1].at(-1), { n: 1000, run: 'a1', do: 'show', key: 't5' });
});
