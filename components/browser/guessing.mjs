/** Whether a guess is right. What it is held against comes from `engine/graph/lessons.py`: {kind, text, values}. */

const NUMBER = /[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?|nan|[-+]?inf/g;
/** Values are shown with four digits: what differs less is the same. */
const RELATIVE = 2e-3;
const ABSOLUTE = 1e-3;

/** What can be said wrong of a guess without giving the answer away; null for a right one. */
export function verdict({ kind, values }, guess) {
  const said = guess.trim().toLowerCase();
  if (said === '') return 'Write down what you expect: a number, a shape, a grad_fn or None.';
  if (kind === 'none') return said === 'none' ? null : 'There is something else here than that.';
  if (said === 'none') return 'It is not None.';
  if (kind === 'flag') return said === values[0].toLowerCase() ? null : 'It is the other way round.';
  if (kind === 'name') return named(said) === named(values[0].toLowerCase()) ? null : 'Another operation made it.';
  if (kind === 'shape') {
    const sizes = said.match(/\d+/g) ?? [];
    return String(sizes) === String(values) ? null : sizes.length === values.length ? 'The sizes are others.' : `It has ${count(values.length, 'dimension')}.`;
  }
  const numbers = (said.replace(/\b(dtype|requires_grad|grad_fn)=\S+/g, '').match(NUMBER) ?? []).map(read);
  const wanted = values.map((value) => read(value.toLowerCase()));
  const all = numbers.length === 1 ? wanted.map(() => numbers[0]) : numbers;
  if (all.length !== wanted.length) return `It has ${count(wanted.length, 'number')}.`;
  return all.every((each, k) => close(each, wanted[k])) ? null : 'Not these numbers.';
}

const read = (text) => (text.endsWith('inf') ? (text.startsWith('-') ? -Infinity : Infinity) : Number(text));
const close = (a, b) => Object.is(a, b) || a === b || (Number.isFinite(b) && Math.abs(a - b) <= ABSOLUTE + RELATIVE * Math.abs(b));
const count = (n, what) => `${n} ${what}${n === 1 ? '' : 's'}`;
/** The name of an operation, with or without brackets, "object at …" and the number behind it. */
const named = (text) => text.replace(/^<|[\s>(].*$/g, '').replace(/\d+$/, '');

/** The question as a form.  @param {(right: boolean) => void} done   once it is answered, or given up */
export function createGuess(h, { question, answer, done }) {
  const word = h('p', { class: 'word', role: 'status' });
  const field = h('input', { type: 'text', 'aria-label': `Your guess for ${question}`, autocomplete: 'off', spellcheck: 'false', placeholder: 'a number, a shape, a grad_fn or None' });
  const form = h('form', { class: 'guess' },
    h('label', {}, 'What is ', h('code', {}, question), '?'), field,
    h('button', { type: 'submit' }, 'Guess'), h('button', { type: 'button', class: 'give-up', click: () => done(false) }, 'Show it'), word);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const wrong = verdict(answer, field.value);
    word.textContent = wrong ?? '';
    if (wrong === null) done(true);
    else field.select();
  });
  return form;
}
