/** What Python is told: where the player stands once things are quiet, and nothing that Python takes for granted. */

const QUIET_MS = 120;

/**
 * Where Python takes a player to stand that has been sent a message and has told this last, null for nothing. `stands` in
 * `components/player/__init__.py` is the same rule; both are tested with `test/stands.json`.
 *
 * @param {import('./protocol').Moment | null} told
 * @param {Pick<import('./protocol').Message, 'tape' | 'total' | 'keep' | 'cmd'>} message
 */
export function stands(told, { tape, total, keep, cmd }) {
  const run = recordingOf(tape);
  const last = Math.max(0, total - 1);
  let { step, selected } = { step: last, selected: null };
  if (told?.run === run) ({ step, selected } = told);
  else if (keep?.run === run) ({ step, selected } = keep);
  if (cmd && cmd.run === run && cmd.n > (told?.n ?? 0)) {
    step = cmd.step ?? step;
    selected = cmd.select ?? selected;
  }
  return { step: Math.max(0, Math.min(step, last)), selected: selected ?? null };
}

/** What identifies the recording in what tells a run from others: the same, whichever view of it is on show. */
export const recordingOf = (tape) => tape?.split(/[| ]/, 1)[0];

/** @param {() => import('./protocol').Moment | null} now   where the player stands; null while it has nothing to say of that */
export function createReporter(now = () => null) {
  const known = new Map();
  let send = () => {};
  let timer = null;
  let told; // undefined where Python may have been told something by another player in this one's place
  let message = null;
  let waits = 0;
  let due = false;

  function tell(name, value, sent = value) {
    if (known.get(name) === value) return;
    known.set(name, value);
    send(name, sent);
  }

  const reporter = {
    /** Streamlit hands out the function anew with every update. */
    connect(setStateValue) {
      send = setStateValue;
    },
    /** A message has come: `put` puts it on show, and where the player stands then is told afterwards. */
    during(sent, put) {
      if (sent.tape !== undefined) message = sent;
      waits += 1;
      try {
        put();
      } finally {
        waits -= 1;
        if (due && !waits) reporter.flush();
      }
    },
    /** Python has heard nothing of this player yet. */
    begin() {
      if (told === undefined) told = null;
    },
    /** The step changes. */
    step() {
      clearTimeout(timer);
      timer = setTimeout(reporter.flush, QUIET_MS);
    },
    /** Tell now where the player stands. */
    flush() {
      clearTimeout(timer);
      due = waits > 0;
      const here = due || !message ? null : now();
      if (!here) return;
      if (told !== undefined) {
        const taken = stands(told, message);
        if (taken.step === here.step && taken.selected === here.selected) return;
      }
      told = here;
      tell('moment', JSON.stringify(here), here);
    },
    /** Anything else; `value` is compared, `sent` goes to Python. */
    tell,
    known: (name, value) => known.set(name, value),
    cancel: () => clearTimeout(timer),
  };
  return reporter;
}
