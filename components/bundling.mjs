/** What the frontends' `build.mjs` have in common: a bundle beside its licences and a list of what it was made from. */

import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

/** Files that decide on a bundle beside the sources that are in it, from the frontend's folder. */
const RECIPE = ['../../bundling.mjs', 'build.mjs', 'package-lock.json', 'package.json'];
const LICENCE = ['license', 'license.md', 'license.txt', 'license-mit'];

const digest = (content) => createHash('sha256').update(content).digest('hex');

/**
 * Bundles `src/index.js` of a frontend into `../build`, under a name that carries a hash, so that browsers never show a stale one.
 *
 * Beside it stand `LICENSES.txt`, and `sources.sha256` (as sha256sum writes it), by which a test without Node.js knows whether the
 * bundle is that of today's sources.
 *
 * @param {typeof import('esbuild').build} build esbuild's, which only a frontend's own folder can import
 * @param {URL} frontend its folder
 */
export async function bundle(build, frontend, name, options = {}) {
  const out = new URL('../build/', frontend);
  const { outputFiles, metafile } = await build({
    absWorkingDir: fileURLToPath(frontend),
    entryPoints: ['src/index.js'],
    bundle: true,
    format: 'esm',
    target: 'es2022',
    minify: true,
    legalComments: 'inline',
    charset: 'utf8',
    metafile: true,
    write: false,
    ...options,
  });
  const code = outputFiles[0].contents;
  const file = `${name}-${digest(code).slice(0, 10)}.js`;
  const inputs = Object.keys(metafile.inputs);
  await mkdir(out, { recursive: true });
  for (const old of await readdir(out)) if (old.startsWith(`${name}-`) && old !== file) await rm(new URL(old, out));
  await writeFile(new URL(file, out), code);
  await writeFile(new URL('LICENSES.txt', out), await licences(inputs, frontend));
  await writeFile(new URL('sources.sha256', out), await sources(inputs, frontend));
  console.log(`${file}: ${(code.length / 1024).toFixed(0)} KB, ${(gzipSync(code).length / 1024).toFixed(0)} KB gzipped`);
}

async function sources(inputs, frontend) {
  const files = [...inputs.filter((file) => !file.startsWith('node_modules/')), ...RECIPE].sort();
  const lines = files.map(async (file) => `${digest(await readFile(new URL(file, frontend)))}  ${file}\n`);
  return (await Promise.all(lines)).join('');
}

/**
 * The licence texts of the packages in the bundle, which their licences ask for; each text once. Those that the frontend names count
 * even where no file of theirs was read: vis-network comes with the code of its own packages inside.
 */
async function licences(inputs, frontend) {
  const { dependencies } = JSON.parse(await readFile(new URL('package.json', frontend), 'utf8'));
  const read = inputs.flatMap((file) => file.match(/^node_modules\/((?:@[^/]+\/)?[^/]+)\//)?.[1] ?? []);
  const packages = new Set([...read, ...Object.keys(dependencies)]);
  const texts = new Map();
  for (const each of [...packages].sort()) {
    const folder = new URL(`node_modules/${each}/`, frontend);
    const file = (await readdir(folder)).find((name) => LICENCE.includes(name.toLowerCase()));
    if (!file) throw new Error(`${each} has no licence that may be passed on`);
    const text = (await readFile(new URL(file, folder), 'utf8')).replaceAll('\r\n', '\n').trim();
    texts.set(text, [...(texts.get(text) ?? []), each]);
  }
  return [...texts].map(([text, names]) => `${names.join(', ')}\n\n${text}\n`).join('\n---\n\n');
}
