/** The way to Python: typing goes out when the user pauses, a run at once and with the newest text. */

const PAUSE = 300;

/** @param {() => string} text */
export function createSendQueue(text) {
  let component = null;
  let timer = 0;
  let last = 0;
  /** What Python knows: the text it sent, or was sent. */
  let known = null;

  /** The text as Python is told it; of several the one with the highest number is the newest, also after a remount. */
  function message() {
    window.clearTimeout(timer);
    timer = 0;
    last = Math.max(last + 1, Date.now());
    known = text();
    return { text: known, rev: component.data.rev, n: last };
  }

  function flush() {
    if (text() !== known) component.setStateValue('text', message());
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
    /** Something of a mark was chosen; what was typed goes before it. */
    choose(what) {
      flush();
      component.setTriggerValue('mark', { ...what, n: Date.now() });
    },
    /** One message, not two: each has the page drawn. */
    run() {
      component.setTriggerValue('run', message());
    },
  };
}
