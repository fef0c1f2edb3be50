import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SHARED } from './support.js';

/** Something that some tests need and a machine may lack. */
interface Resource {
  readonly what: string;
  readonly isThere: boolean;
  /** The environment variable that makes its absence a failure. */
  readonly required: string;
}

/** Published tests with verdicts, beside the project; not part of it. */
export const CORPUS: Resource & { readonly path: string } = {
  what: 'the published corpus (../shared/corpus)',
  path: join(SHARED, 'corpus'),
  isThere: existsSync(join(SHARED, 'corpus')),
  required: 'REQUIRE_CORPUS',
};

/** The assembler of CUDA. */
export const PTXAS: Resource = {
  what: 'ptxas',
  isThere: spawnSync('ptxas', ['--version']).status === 0,
  required: 'REQUIRE_PTXAS',
};

/** The compiler of CUDA. */
export const NVCC: Resource = {
  what: 'nvcc',
  isThere: spawnSync('nvcc', ['--version']).status === 0,
  required: 'REQUIRE_NVCC',
};

/** Tests that need a resource; without it they fail if it is required, and else are skipped, which is said. */
export function describeWith({ what, isThere, required }: Resource, name: string, tests: () => void): void {
  if (isThere) describe(name, tests);
  else if (process.env[required] !== undefined)
    describe(name, () => {
      it(`needs ${what}, which is not here though ${required} is set`, () => {
        expect.unreachable(`${what} is not here`);
      });
    });
  else {
    process.stderr.write(`skipped, for lack of ${what}: ${name}\n`);
    describe.skip(name, tests);
  }
}
