import { defineConfig } from 'vitest/config';

// Two workers: on two cores vitest would take one, and the suites share nothing but the built command.
export default defineConfig({
  test: { include: ['test/**/*.test.ts'], testTimeout: 120_000, hookTimeout: 120_000, pool: 'forks', maxWorkers: 2 },
});
