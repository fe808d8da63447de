/** The way to Python: typing goes out when the user pauses, a run at once and with the newest text. */

const PAUSE = 300;

/** @param {() => string} text */
export function createOutbox(text) {
  let component = null;
  let timer = 0;
  let runs = 0;
  /** What Python knows: the text it sent, or was sent. */
  let known = null;

  const rev = () => component.data.rev;

  function flush() {
    window.clearTimeout(timer);
    timer = 0;
    if (text() === known) return;
    known = text();
    component.setStateValue('text', { text: known, rev: rev() });
  }

  return {
    /** Streamlit hands over new functions with every update. */
    connect(next) {
      component = next;
    },
    /** The text came from Python. */
    assume(value) {
      window.clearTimeout(timer);
      timer = 0;
      known = value;
    },
    typed() {
      window.clearTimeout(timer);
      timer = window.setTimeout(flush, PAUSE);
    },
    flush,
    run() {
      flush();
      runs += 1;
      // The counter makes every run's value a new one.
      component.setTriggerValue('run', { text: text(), rev: rev(), n: runs });
    },
  };
}
