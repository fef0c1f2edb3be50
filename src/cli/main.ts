#!/usr/bin/env node
import { accessSync, constants, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';
import { crc32 } from 'node:zlib';

/**
 * Starts the command line, one script, from V8's code cache: half of a short command is otherwise spent on compiling.
 * The first run of a build under a version of node keeps its code beside the script; without a cache, or with one that
 * V8 refuses, it is compiled as ever. (node has this built in from 22 on, and for one module at a time.)
 */
/** Validating and optimizing 35 MB of WASM costs more than a few tests are worth. */
const FLAGS = ['--wasm-lazy-validation', '--liftoff-only'];
/**
 * The heap of a large launch would grow to three times what is alive; held to half as much again it is collected beside
 * the search, and takes no longer. A process that decides tests for another is replaced when it is large.
 */
if (process.send === undefined) FLAGS.push('--heap-growing-percent=50');
const folder = dirname(fileURLToPath(import.meta.url));
const path = join(folder, 'command-line.cjs');
const text = readFileSync(path, 'utf8');
const cache = join(folder, `code-${process.version}-${process.arch}-${crc32(text).toString(16)}.cache`);
const cachedData = readCache();
const script = new Script(`(function (require, module, exports, __filename, __dirname) {${text}\n})`, {
  filename: path,
  ...(cachedData && { cachedData }),
});
// V8 takes a cache only under the flags under which it was written: the run that writes it goes without.
if (cachedData !== undefined) for (const flag of FLAGS) setFlagsFromString(flag);
// A process that decides tests for another has other flags: V8 would refuse what it leaves.
if (cachedData === undefined && process.send === undefined) process.once('exit', keepCache);
const module = { exports: {} };
(script.runInThisContext() as (...given: unknown[]) => void)(createRequire(path), module, module.exports, path, folder);

function readCache(): Buffer | undefined {
  try {
    return readFileSync(cache);
  } catch {
    return undefined;
  }
}

/** Functions that this run has called are in it. Where nothing can be written, nothing is lost. */
function keepCache(): void {
  try {
    accessSync(folder, constants.W_OK);
    const written = `${cache}.${process.pid}`;
    writeFileSync(written, script.createCachedData());
    renameSync(written, cache);
  } catch {
    return;
  }
}
