/** Whether a key belongs to what the user is typing. */

const TYPED_INTO = 'input, textarea, select, [contenteditable="true"], [role="textbox"]';

export const isTyping = (element) => Boolean(element?.isContentEditable || element?.closest?.(TYPED_INTO));
