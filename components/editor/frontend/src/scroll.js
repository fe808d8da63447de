/** Brings a line into view, and only if it is out of view; the page as a whole never moves. */

/** @param {import('@codemirror/view').EditorView} view */
export function reveal(view, offset) {
  // The line may not be drawn yet, so where it stands comes from CodeMirror's own heights.
  const block = view.lineBlockAt(offset);
  for (const box of scrollers(view.scrollDOM)) {
    const frame = box.getBoundingClientRect();
    const top = view.documentTop + block.top - frame.top;
    const bottom = view.documentTop + block.bottom - frame.top;
    if (top < 0 || bottom > box.clientHeight) box.scrollTop += top - (box.clientHeight - block.height) / 3;
  }
}

/** The editor's own scroller and those around it, through the shadow root, up to but not including the page's. */
function scrollers(element) {
  const found = [];
  for (let at = element; at && at !== document.body; at = at.parentElement ?? at.getRootNode().host) {
    if (at.matches('[data-testid="stMain"], [data-testid="stAppScrollToBottomContainer"]')) break;
    const scrolls = /auto|scroll/.test(getComputedStyle(at).overflowY);
    if (scrolls && at.scrollHeight > at.clientHeight + 1) found.push(at);
  }
  return found;
}
