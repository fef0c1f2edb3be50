import { defineConfig } from 'vitest/config';
import { compiledSources } from './test/compiled-sources.js';

// No test measures time: the limit is for what hangs, also on a slow machine that does something else.
// Two workers: on two cores vitest would take one. A worker keeps what it has loaded: our modules have no state but caches.
// Its young generation begins large, and one thread collects it: both cores are busy.
export default defineConfig({
  // Whoever watches sources has them as they are.
  plugins: process.argv.includes('run') ? [compiledSources(import.meta.dirname)] : [],
  test: {
    reporters: ['default', './test/slowest-tests.ts'],
    include: ['test/**/*.test.ts'], testTimeout: 900_000, hookTimeout: 900_000, pool: 'forks', maxWorkers: 2, isolate: false,
    execArgv: ['--min-semi-space-size=16', '--max-semi-space-size=32', '--single-threaded-gc'],
    // What is compiled is run as it is: it finds its threads and models beside itself.
    server: { deps: { external: [new RegExp(`^${import.meta.dirname.replace(/[^\w/-]/g, '\\$&')}/build/`)] } } },
});
