/** Completion: the names Python knows of (`torch.…`, tensor methods) and the words of the program. */

import { completeAnyWord } from '@codemirror/autocomplete';

export function completer(names) {
  return (context) => {
    const word = context.matchBefore(/[\w.]+/);
    if (!word || (word.from === word.to && !context.explicit)) return null;
    const dot = word.text.lastIndexOf('.');
    if (dot < 0) {
      if (word.text.length < 2 && !context.explicit) return null;
      return completeAnyWord(context);
    }
    const owner = word.text.slice(0, dot);
    const options = names.list.filter((each) => each.owner === owner || (each.owner === '' && owner !== 'torch' && owner !== 'F'));
    if (!options.length) return null;
    return { from: word.from + dot + 1, options: options.map(({ label, detail }) => ({ label, detail })), validFor: /^\w*$/ };
  };
}
