import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
  // Two for each shard.
  mkdirSync(join(folder, 'tests'));
  for (const name of readdirSync(join(ROOT, 'litmus/fences')).filter((one) => one.startsWith('MP+rel')))
    cpSync(join(ROOT, 'litmus/fences', name), join(folder, 'tests', name));
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

  describe('comments in a pull request', () => {
    interface Review {
      readonly body: string;
      readonly comments: readonly { path: string; line: number; body: string }[];
    }
    /** What the script of the recipe says, where a pull request shows some lines and has some comments. */
    async function reviewed(patch: string, old: Review['comments'] = []): Promise<Review | undefined> {
      const { jobs } = parse(recipe('github-comments.yml')) as {
        jobs: { comment: { steps: { run?: string; with?: { script?: string } }[] } };
      };
      cpSync(join(folder, 'tests'), join(folder, 'litmus'), { recursive: true });
      const { steps } = jobs.comment;
      const command = (steps.find(({ run }) => run !== undefined)?.run ?? '').replace('npx --yes ptx-litmus', COMMAND);
      expect(bash(command).code).toBe(1);
      let said: Review | undefined;
      const [listFiles, listReviewComments] = ['files', 'comments'];
      const createReview = (review: Review): void => {
        said = review;
      };
      const github = {
        paginate: async (list: string) =>
          list === listFiles ? [{ filename: 'litmus/broken.litmus', patch }] : [...old],
        rest: { pulls: { listFiles, listReviewComments, createReview } },
      };
      const script = steps.find((step) => step.with?.script !== undefined)?.with?.script ?? '';
      const context = { repo: { owner: 'o', repo: 'r' }, issue: { number: 1 } };
      const require = () => ({ readFileSync: (path: string) => readFileSync(join(folder, path), 'utf8') });
      const run = new Function('github', 'context', 'require', `return (async () => {${script}})();`);
      await run(github, context, require);
      return said;
    }
    const patch = (): string => {
      const lines = readFileSync(join(folder, 'tests/broken.litmus'), 'utf8').trimEnd().split('\n');
      return [`@@ -0,0 +1,${lines.length} @@`, ...lines.map((line) => `+${line}`)].join('\n');
    };

    it('stand at the lines that it shows', async () => {
      const review = await reviewed(patch());
      const text = readFileSync(join(folder, 'tests/broken.litmus'), 'utf8').split('\n');
      expect(review?.comments.length).toBeGreaterThan(0);
      for (const { path, line, body } of review?.comments ?? []) {
        expect(path).toBe('litmus/broken.litmus');
        expect(text[line - 1]).toMatch(/forbid|~exists/);
        expect(body).toContain('is not met');
      }
    });

    it('are said once', async () => {
      const review = await reviewed(patch());
      expect(await reviewed(patch(), review?.comments)).toBeUndefined();
    });

    it('are in the text of the review for lines that it does not show', async () => {
      const review = await reviewed('@@ -1,1 +1,1 @@\n-old\n+new');
      expect(review?.comments).toEqual([]);
      expect(review?.body).toMatch(/litmus\/broken\.litmus:\d+/);
    });
  });

  it('code quality of GitLab has each finding at its line, by a fingerprint that stays', () => {
    const { litmus } = parse(recipe('gitlab-code-quality.yml')) as {
      litmus: { script: string[]; after_script: string[]; artifacts: { paths: string[] } };
    };
    cpSync(join(folder, 'tests'), join(folder, 'litmus'), { recursive: true });
    const script = [...litmus.script, ...litmus.after_script].join('\n').replace('npx --yes ptx-litmus', COMMAND);
    const quality = (): unknown => {
      bash(script);
      return JSON.parse(readFileSync(join(folder, 'litmus-quality.json'), 'utf8'));
    };
    const first = quality();
    expect(first).toContainEqual(
      expect.objectContaining({
        severity: 'critical',
        location: expect.objectContaining({ path: 'litmus/broken.litmus' }),
      }),
    );
    expect(quality()).toEqual(first);
    for (const path of litmus.artifacts.paths) expect(readFileSync(join(folder, path), 'utf8')).toContain('<!doctype');
  });
});
