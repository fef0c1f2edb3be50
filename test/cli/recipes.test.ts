import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ROOT } from '../support.js';

const MAIN = join(ROOT, 'dist/cli/main.js');
const COMMAND = `node ${MAIN}`;
const hasParallel = spawnSync('parallel', ['--version']).status === 0;

/** Fewer shards than the recipes have: each starts processes. */
const SHARDS = 3;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ptx-litmus-recipes-'));
  cpSync(join(ROOT, 'litmus/fences'), join(folder, 'tests'), { recursive: true });
  const test = readFileSync(join(ROOT, 'litmus/classic/MP+rel.gpu+acq.gpu.litmus'), 'utf8');
  writeFileSync(join(folder, 'tests/broken.litmus'), test.replace('st.release.gpu', 'st.relaxed.gpu'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const recipe = (name: string): string => readFileSync(join(ROOT, 'docs/recipes', name), 'utf8');

interface Ended {
  readonly code: number | null;
  readonly out: string;
}

function bash(script: string, env: Readonly<Record<string, string>> = {}, ...args: readonly string[]): Ended {
  const { status, stdout, stderr } = spawnSync('bash', ['-c', script, 'recipe', ...args], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, PTX_LITMUS: COMMAND, ...env },
  });
  return { code: status, out: stdout + stderr };
}

/** What one run of these tests gives, which is the same for every recipe. */
let known: Ended | undefined;
const oneRun = (): Ended => {
  known ??= bash(`${COMMAND} check tests`);
  return known;
};
const merged = (): Ended => bash(`${COMMAND} merge shards/*.ndjson`);
/** But for the time. */
const timeless = ({ code, out }: Ended): Ended => ({ code, out: out.replace(/[\d.]+ s$/m, 'N s') });

describe('the recipe for', () => {
  it.skipIf(!hasParallel && process.env['REQUIRE_PARALLEL'] === undefined)(
    'GNU parallel gives what one run gives, also when a shard fails half-way at first',
    () => {
      // The first time shard 2 is run its process is killed, with a log that has begun.
      const failing = join(folder, 'ptx-litmus');
      writeFileSync(
        failing,
        `#!/usr/bin/env bash\nif [[ "$*" == *"--shard 2/${SHARDS}"* && ! -e failed ]]; then\n  touch failed\n` +
          `  echo '{"kind":"header"}' > shards/2.ndjson\n  kill -9 $$\nfi\nexec ${COMMAND} "$@"\n`,
        { mode: 0o755 },
      );
      const script = join(ROOT, 'docs/recipes/gnu-parallel.sh');
      const run = bash(`bash ${script} tests shards ${SHARDS}`, { PTX_LITMUS: failing });
      expect(bash('test -e failed').code).toBe(0);
      expect(timeless(run)).toEqual(timeless(oneRun()));
      expect(run.code).toBe(1);
      rmSync(join(folder, 'shards/3.ndjson'));
      expect(merged()).toMatchObject({ code: 2, out: expect.stringContaining(`no log of shard ${SHARDS}/${SHARDS}`) });
    },
  );

  it('Slurm gives what one run gives, task by task', () => {
    const script = recipe('slurm.sbatch');
    const shards = Number(/^#SBATCH --array=1-(\d+)$/m.exec(script)?.[1]);
    expect(script.match(/^shards=.*$/gm)).toEqual([`shards=${shards}`]);
    const fewer = script.replace(`\nshards=${shards}\n`, `\nshards=${SHARDS}\n`);
    for (let task = SHARDS; task >= 1; task--)
      expect(
        bash(fewer, { SLURM_ARRAY_TASK_ID: String(task), SLURM_CPUS_PER_TASK: '1' }, 'tests'),
        `task ${task}`,
      ).toMatchObject({ code: 0 });
    expect(timeless(merged())).toEqual(timeless(oneRun()));
  });

  it('Kubernetes gives what one run gives, pod by pod', () => {
    const { spec } = parse(recipe('kubernetes-job.yaml')) as {
      spec: {
        completions: number;
        completionMode: string;
        template: {
          spec: { containers: { command: string[]; args: string[]; env: { name: string; value: string }[] }[] };
        };
      };
    };
    expect(spec.completionMode).toBe('Indexed');
    const [container] = spec.template.spec.containers;
    expect(container?.command).toEqual(['bash', '-c']);
    expect(container?.env.find(({ name }) => name === 'SHARDS')?.value).toBe(String(spec.completions));
    for (let index = 0; index < SHARDS; index++)
      expect(
        bash(container?.args[0] ?? '', { JOB_COMPLETION_INDEX: String(index), SHARDS: String(SHARDS) }),
        `pod ${index}`,
      ).toMatchObject({ code: 0 });
    expect(timeless(merged())).toEqual(timeless(oneRun()));
  });

  it('GitHub Actions gives what one run gives, machine by machine', () => {
    const { jobs } = parse(recipe('github-actions.yml')) as {
      jobs: {
        shard: { strategy: { matrix: { shard: number[] } }; steps: { run?: string }[] };
        report: { needs: string; steps: { run?: string }[] };
      };
    };
    const scriptOf = ({ steps }: { steps: { run?: string }[] }): string =>
      (steps.find(({ run }) => run !== undefined)?.run ?? '').replaceAll('npx --yes ptx-litmus', COMMAND);
    mkdirSync(join(folder, 'litmus'));
    cpSync(join(folder, 'tests'), join(folder, 'litmus'), { recursive: true });
    for (const shard of jobs.shard.strategy.matrix.shard)
      expect(
        bash(`set -e\n${scriptOf(jobs.shard).replaceAll(/\$\{\{ matrix\.shard \}\}/g, String(shard))}`),
        `shard ${shard}`,
      ).toMatchObject({ code: 0 });
    expect(jobs.report.needs).toBe('shard');
    const report = bash(scriptOf(jobs.report));
    expect(timeless(report)).toEqual(timeless(bash(`${COMMAND} check litmus/ -f github`)));
    expect(report.out).toContain('::error file=litmus/broken.litmus');
  });
});
