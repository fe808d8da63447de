/** Completion: the names that Python sent, Python's own, and the program's words. */

import { completeAnyWord } from '@codemirror/autocomplete';
import { globalCompletion, localCompletionSource } from '@codemirror/lang-python';
import { syntaxTree } from '@codemirror/language';

/** @param {() => {label: string, owner: string, detail: string}[]} names */
export function completeFrom(names) {
  return (context) => {
    const inside = syntaxTree(context.state).resolveInner(context.pos, -1).name;
    if (inside === 'Comment' || inside.includes('String')) return null;
    const word = context.matchBefore(/[\w.)\]]*/);
    const dot = word.text.lastIndexOf('.');
    return dot < 0 ? bareNames(context, names()) : attributes(context, names(), word.text.slice(0, dot));
  };
}

function attributes(context, names, owner) {
  const owners = new Set(names.map((each) => each.owner));
  // After `x.`, `f(x).` and `a[0].`: what any value has. Numbers have nothing to offer.
  if (/^\d*$/.test(owner)) return null;
  const wanted = owners.has(owner) ? owner : '';
  const from = context.matchBefore(/\w*/).from;
  const options = names.filter((each) => each.owner === wanted).map(({ label, detail }) => ({ label, detail }));
  return options.length ? { from, options, validFor: /^\w*$/ } : null;
}

function bareNames(context, names) {
  const word = context.matchBefore(/\w+/);
  if (!context.explicit && (!word || word.text.length < 2 || /^\d/.test(word.text))) return null;
  const options = new Map();
  const add = (list) => {
    for (const option of list) if (!options.has(option.label)) options.set(option.label, option);
  };
  const owners = new Set(names.map((each) => each.owner.split('.')[0]).filter(Boolean));
  add(localCompletionSource(context)?.options ?? []);
  add([...owners].map((label) => ({ label, detail: 'module' })));
  add(globalCompletion(context)?.options ?? []);
  add(completeAnyWord(context)?.options ?? []);
  return { from: word ? word.from : context.pos, options: [...options.values()], validFor: /^\w*$/ };
}
