import { describe, expect, it } from 'vitest';
import { loadTests } from '../../src/check/load-tests.js';
import { renderDiagnostics } from '../../src/diagnostics/render.js';
import { SWEEP_ALL } from '../shares.js';
import { checkProgram } from '../support.js';
import { type PlantedKernel, plantedKernels } from './planted.js';

/** Of each of the eight kinds of bug; with SWEEP=all the 25 that the issue of kernels asks for. */
const PAIRS = SWEEP_ALL ? 25 : 5;
const pairs = plantedKernels(PAIRS);
/** What `run auto` misses, of all of them. */
const MISSED: readonly string[] = [];

async function races(kernel: PlantedKernel, run: string): Promise<boolean | undefined> {
  const text =
    `PTX ${kernel.name}\n"A kernel that was made at random."\n{\n${kernel.memory}\n}\n` +
    `${kernel.launch(run)}\nexpect no-race\nexpect no-undefined\n`;
  const modules = { 'planted.ptx': { path: 'planted.ptx', text: kernel.module } };
  const { value, diagnostics } = loadTests({ path: 'planted.litmus', text, modules });
  const [program] = value ?? [];
  if (program === undefined) throw new Error(renderDiagnostics(diagnostics));
  const { expectations } = await checkProgram(program, 'ptx-9.4');
  const [race, undefinedBehavior] = expectations;
  if (kernel.name.endsWith('-right')) expect(undefinedBehavior?.outcome, kernel.name).not.toBe('broken');
  return race?.outcome === 'undecided' ? undefined : race?.outcome === 'broken';
}

describe('run auto on kernels with a planted bug', () => {
  for (const kind of new Set(pairs.map(({ broken }) => broken.kind))) {
    const own = pairs.filter(({ broken }) => broken.kind === kind);

    it(`finds ${kind} wherever run all does`, async () => {
      const found = await Promise.all(own.map(({ broken }) => races(broken, 'run auto')));
      const all = await Promise.all(own.map(({ broken }) => races(broken, 'run all')));
      expect(all).toEqual(own.map(() => true));
      expect(own.filter((_, i) => found[i] !== true).map(({ broken }) => broken.name)).toEqual(
        own.map(({ broken }) => broken.name).filter((name) => MISSED.includes(name)),
      );
    });

    it(`finds nothing in the twins of ${kind}`, async () => {
      expect(await Promise.all(own.map(({ right }) => races(right, 'run auto')))).not.toContain(true);
    });
  }
});
