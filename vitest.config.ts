import { defineConfig } from 'vitest/config';

// No test measures time: the limit is for what hangs, also on a slow machine that does something else.
// Two workers: on two cores vitest would take one, and the suites share nothing but the built command.
export default defineConfig({
  test: {
    reporters: ['default', './test/slowest-tests.ts'],
    include: ['test/**/*.test.ts'], testTimeout: 900_000, hookTimeout: 900_000, pool: 'forks', maxWorkers: 2 },
});
