/* A notebook's replay as a lesson: page by page, with notes, a moment of the tape, and values to guess. */

const PAGE_KEYS = { ArrowRight: 1, PageDown: 1, ArrowLeft: -1, PageUp: -1 };

/**
 * @param {{pages: object[]}} given   from `lesson.py`
 * @param {object} on   go(page, {step, until}) shows a moment; changed() after another page or none is on show
 */
function createLesson(given, on) {
  const guessed = new Set();
  let at = 0;
  let shows = true;
  const where = h('span', { class: 'where', role: 'status' });
  const back = h('button', { type: 'button', 'aria-label': 'The page before (← or Page Up)', click: () => turn(at - 1) }, '←');
  const next = h('button', { type: 'button', 'aria-label': 'The next page (→ or Page Down)', click: () => turn(at + 1) }, '→');
  const whole = h('button', { type: 'button', click: () => present(!shows) });
  const bar = h('div', { class: 'tabs', role: 'group', 'aria-label': 'Lesson' }, where, back, next, whole);
  const question = h('div', { id: 'question' });
  byId('folds').before(bar);
  byId('source').after(question);
  const cells = [...byId('source').children];
  /** Page by page what stands in the source: the notes, made and escaped beforehand, and the cell. */
  const standing = given.pages.map(({ prose, cell }) => {
    const notes = h('div', { class: 'prose' });
    notes.innerHTML = prose;
    if (cell === null) byId('source').append(notes);
    else cells[cell].before(notes);
    return cell === null ? [notes] : [notes, cells[cell]];
  });

  const page = () => given.pages[at];
  const asks = () => Boolean(page().answer) && !guessed.has(at);

  function turn(to) {
    at = Math.min(Math.max(to, 0), given.pages.length - 1);
    present(true);
  }

  function present(on_) {
    shows = on_;
    document.body.classList.toggle('lesson', shows);
    back.hidden = next.hidden = !shows;
    back.disabled = at === 0;
    next.disabled = at === given.pages.length - 1;
    whole.textContent = shows ? 'Whole notebook' : 'Present';
    where.textContent = shows ? `${at + 1} of ${given.pages.length}` : '';
    standing.forEach((each, k) => each.forEach((element) => {
      element.hidden = (shows && k !== at) || element.childNodes.length === 0;
    }));
    byId('source').scrollTop = 0;
    ask();
    if (shows && page().first !== undefined) on.go(page(), { step: asks() ? page().first : page().step });
    on.changed();
  }

  function ask() {
    const form = shows && asks() ? [createGuess(h, { question: page().question, answer: page().answer, done: reveal })] : [];
    question.replaceChildren(...form);
  }

  function reveal() {
    guessed.add(at);
    ask();
    on.go(page(), { step: page().from, until: page().step });
  }

  // Before the player hears of it: the arrows turn the pages, and with Shift they step through the tape.
  document.addEventListener('keydown', (event) => {
    const by = shows && !event.shiftKey && !event.ctrlKey && !event.metaKey && !event.altKey ? PAGE_KEYS[event.key] : undefined;
    if (!by || isTyping(event.composedPath()[0])) return;
    event.preventDefault();
    event.stopPropagation();
    turn(at + by);
  }, true);

  return {
    start: () => turn(0),
    /** Whether what happened at a step belongs to what is on show. */
    holds: (step) => !shows || (page().first !== undefined && step >= page().first && step <= page().last),
  };
}
