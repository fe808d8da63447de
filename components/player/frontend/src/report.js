/** What Python is told: the step once things are quiet, the selection at once, and nothing it already knows. */

const QUIET_MS = 120;

export function createReporter() {
  const known = new Map();
  let send = () => {};
  let timer = null;
  let pending = null;

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
    /** Values Python has without being told. */
    assume(name, value) {
      if (!known.has(name)) known.set(name, value);
    },
    step(value) {
      pending = value;
      clearTimeout(timer);
      timer = setTimeout(reporter.flush, QUIET_MS);
    },
    flush() {
      clearTimeout(timer);
      if (pending !== null) tell('step', pending);
      pending = null;
    },
    selected: (id) => tell('selected', id),
    /** Anything else; `value` is compared, `sent` goes to Python. */
    tell,
    known: (name, value) => known.set(name, value),
    cancel: () => clearTimeout(timer),
  };
  return reporter;
}
