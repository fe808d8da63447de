/** Bundles the editor into ../build under a name that carries a hash, so that browsers never show a stale one. */

import { build } from 'esbuild';
import { createHash } from 'node:crypto';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';

const out = new URL('../build/', import.meta.url);
const { outputFiles } = await build({
  entryPoints: ['src/index.js'],
  bundle: true,
  format: 'esm',
  target: 'es2022',
  minify: true,
  legalComments: 'inline',
  charset: 'utf8',
  loader: { '.css': 'text' },
  write: false,
});
const code = outputFiles[0].contents;
const name = `editor-${createHash('sha256').update(code).digest('hex').slice(0, 10)}.js`;
await mkdir(out, { recursive: true });
for (const old of await readdir(out)) if (old.startsWith('editor-') && old !== name) await rm(new URL(old, out));
await writeFile(new URL(name, out), code);
console.log(`${name}: ${(code.length / 1024).toFixed(0)} KB, ${(gzipSync(code).length / 1024).toFixed(0)} KB gzipped`);
