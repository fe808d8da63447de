/** Bundles the editor into ../build under a name that carries a hash, so that browsers never show a stale one. */

import { build } from 'esbuild';
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';

const out = new URL('../build/', import.meta.url);
const { outputFiles, metafile } = await build({
  entryPoints: ['src/index.js'],
  bundle: true,
  format: 'esm',
  target: 'es2022',
  minify: true,
  legalComments: 'inline',
  charset: 'utf8',
  metafile: true,
  write: false,
});
const code = outputFiles[0].contents;
const name = `editor-${createHash('sha256').update(code).digest('hex').slice(0, 10)}.js`;
await mkdir(out, { recursive: true });
for (const old of await readdir(out)) if (old.startsWith('editor-') && old !== name) await rm(new URL(old, out));
await writeFile(new URL(name, out), code);
await writeFile(new URL('LICENSES.txt', out), await licences(Object.keys(metafile.inputs)));
console.log(`${name}: ${(code.length / 1024).toFixed(0)} KB, ${(gzipSync(code).length / 1024).toFixed(0)} KB gzipped`);

/** The licence texts of the packages in the bundle, which their licence asks for; each text once. */
async function licences(files) {
  const packages = new Set(files.flatMap((file) => file.match(/node_modules\/((?:@[^/]+\/)?[^/]+)\//)?.[1] ?? []));
  const texts = new Map();
  for (const each of [...packages].sort()) {
    const text = (await readFile(new URL(`node_modules/${each}/LICENSE`, import.meta.url), 'utf8')).trim();
    texts.set(text, [...(texts.get(text) ?? []), each]);
  }
  return [...texts].map(([text, names]) => `${names.join(', ')}\n\n${text}\n`).join('\n---\n\n');
}
