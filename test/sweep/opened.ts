import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkTest } from '../../src/check/check-test.js';
import type { CrossCheck } from '../../src/check/cross-check.js';
import { type Findings, findingsOf } from '../../src/check/findings.js';
import { loadTests } from '../../src/check/load-tests.js';
import type { TestResult } from '../../src/check/result.js';
import { MOST_OUTCOMES } from '../../src/compare/baseline.js';
import { renderDiagnostics } from '../../src/diagnostics/render.js';
import type { Program } from '../../src/program/program.js';
import type { LitmusFile } from '../../src/syntax/litmus-ast.js';
import { parseLitmus } from '../../src/syntax/parse-litmus.js';
import { builtInModel, ROOT, solver } from '../support.js';
import { compareEngines } from '../twins.js';

export const LITMUS = join(ROOT, 'litmus');
export const LITMUS_FILES: readonly string[] = readdirSync(LITMUS, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.litmus') && !file.startsWith('kernels/launched/'))
  .sort();

const LIMITS = { unroll: 3, timeout: 60_000, clock: () => performance.now() };

/** A test of litmus/: what several judges ask of it is found out once, when the first of them asks. */
export class Opened {
  private readonly known = new Map<string, unknown>();

  constructor(readonly file: string) {}

  get text(): string {
    return this.once('text', () => readFileSync(join(LITMUS, this.file), 'utf8'));
  }

  get loaded(): ReturnType<typeof loadTests> {
    return this.once('loaded', () => loadTests({ path: this.file, text: this.text }));
  }

  get program(): Program {
    const [program] = this.loaded.value ?? [];
    if (program === undefined) throw new Error(renderDiagnostics(this.loaded.diagnostics));
    return program;
  }

  get syntax(): LitmusFile {
    const { value, diagnostics } = this.once('syntax', () => parseLitmus({ path: this.file, text: this.text }));
    if (value === undefined) throw new Error(renderDiagnostics(diagnostics));
    return value;
  }

  /** What a built-in model says of its conditions and expectations. */
  result(model = 'ptx-9.4'): TestResult {
    return this.once(`result ${model}`, () => checkTest(solver, this.program, builtInModel(model), LIMITS));
  }

  /** What the axioms and the machine say. */
  crossCheck(): CrossCheck {
    const checked = this.result();
    return this.once('engines', () => compareEngines(this.program, { ...LIMITS, checked }));
  }

  /** All that the axioms find: with the machine, if that was asked. */
  findings(): Findings {
    const { axioms } = (this.known.get('engines') ?? {}) as Partial<CrossCheck>;
    const deadline = { remaining: () => LIMITS.timeout };
    return (
      axioms ??
      this.once('findings', () =>
        findingsOf(solver, this.program, builtInModel('ptx-9.4'), { unroll: 3, deadline, mostOutcomes: MOST_OUTCOMES }),
      )
    );
  }

  private once<T>(what: string, find: () => T): T {
    if (!this.known.has(what)) this.known.set(what, find());
    return this.known.get(what) as T;
  }
}
