import { spawnSync } from 'node:child_process';
import { bundle } from '../mutation.mjs';

/** Bundles main.ts and runs it: see there for what it does and takes. */
const main = await bundle('test/cross-check/main.ts', 'cross-check/main.mjs');
process.exitCode = spawnSync('node', [main, ...process.argv.slice(2)], { stdio: 'inherit' }).status ?? 1;
