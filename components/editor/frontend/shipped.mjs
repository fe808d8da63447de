/** Lets the unit tests run without packages: CodeMirror is the one in the bundle that is shipped (`node --import ./shipped.mjs --test`). */

import { readdirSync } from 'node:fs';
import { registerHooks } from 'node:module';

const build = new URL('../build/', import.meta.url);
const [bundle] = readdirSync(build).filter((name) => /^editor-\w+\.js$/.test(name));
const shipped = { url: new URL(bundle, build).href, format: 'module', shortCircuit: true };

globalThis.window = new EventTarget(); // the bundle listens to it
registerHooks({
  resolve: (specifier, context, next) => (specifier.startsWith('@codemirror/') ? shipped : next(specifier, context)),
});
