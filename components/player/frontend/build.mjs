/** Bundles the player into ../build. */

import { build } from 'esbuild';

import { bundle } from '../../bundling.mjs';

await bundle(build, new URL('./', import.meta.url), 'player', { loader: { '.css': 'text' } });
