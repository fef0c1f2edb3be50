import { spawnSync } from 'node:child_process';
import { bundle } from '../mutation.mjs';
import { ROOT } from '../places.mjs';

/** Bundles main.ts and runs it: see there for what it does and takes. */
const main = await bundle('test/fuzz/main.ts', 'fuzz/main.mjs');
const env = { ...process.env, PTX_LITMUS_ROOT: ROOT };
process.exitCode = spawnSync('node', [main, ...process.argv.slice(2)], { stdio: 'inherit', env }).status ?? 1;
