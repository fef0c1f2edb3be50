import { loadTests, parseTests } from '../check/load-tests.js';
import type { Family } from '../generate/families.js';
import { type GeneratedTest, generateTests } from '../generate/generate-tests.js';
import type { Program } from '../program/program.js';
import type { ModelComparison } from './compare-models.js';

export interface SynthesisOptions {
  readonly seed: number;
  readonly families: readonly Family[];
  /** The most events of the cycle that a test is made of. */
  readonly mostEvents: number;
  /** How many tests are compared, at most: more of those with more events, of which there are more. */
  readonly mostTests: number;
  /** In milliseconds, for the whole search. */
  readonly remaining: () => number;
}

/** A test that tells two models apart. */
export interface Distinguishing {
  readonly text: string;
  readonly program: Program;
  readonly comparison: ModelComparison;
}

export interface Synthesis {
  readonly found: Distinguishing | undefined;
  /** How many tests were compared, and how many of them were not decided by both models. */
  readonly tests: number;
  readonly undecided: number;
  /** All tests up to this many events, of those drawn, show no difference; the search ended in the next size. */
  readonly events: number;
  readonly outOfTime: boolean;
}

/**
 * Looks for a smallest test on which a comparison finds a difference: tests are drawn with few events first, and one
 * that is found is made smaller as long as it still shows a difference.
 */
export function synthesize(
  compare: (program: Program) => ModelComparison,
  { seed, families, mostEvents, mostTests, remaining }: SynthesisOptions,
): Synthesis {
  const seen = new Set<string>();
  let tests = 0;
  let undecided = 0;
  const searched = (events: number, outOfTime: boolean, found?: Distinguishing): Synthesis => {
    return { found, tests, undecided, events, outOfTime };
  };
  const share = (size: number): number => size * size;
  const shares = Array.from({ length: mostEvents - 1 }, (_, i) => share(i + 2)).reduce((a, b) => a + b, 0);
  for (let size = 2; size <= mostEvents; size++) {
    const count = Math.ceil((mostTests * share(size)) / shares);
    for (const test of drawn(seed + size, families, size, count)) {
      if (remaining() <= 0) return searched(size - 1, true);
      if (seen.has(test.cycle + test.name)) continue;
      seen.add(test.cycle + test.name);
      const program = programOf(test.text);
      if (program === undefined) throw new Error(`the generated test ${test.name} cannot be read`);
      tests += 1;
      const comparison = compare(program);
      if (comparison.differences.length > 0) {
        const text = renamed(test.text);
        const found = { text, program: programOf(text) ?? program, comparison };
        return searched(size - 1, false, shrink(found, compare, remaining));
      }
      if (comparison.open.length > 0) undecided += 1;
    }
  }
  return searched(mostEvents, false);
}

/** The simple families come first, each with its share. */
function* drawn(
  seed: number,
  families: readonly Family[],
  mostEvents: number,
  count: number,
): Generator<GeneratedTest> {
  for (const family of families) {
    let number = 0;
    for (const test of generateTests({ seed, mostEvents, families: [family] })) {
      yield test;
      if (++number >= count / families.length) break;
    }
  }
}

/**
 * Leaves out one part after the other, from the end, as long as the models still differ and the text has nothing to
 * complain of.
 */
function shrink(
  found: Distinguishing,
  compare: (program: Program) => ModelComparison,
  remaining: () => number,
): Distinguishing {
  for (const { start, end } of partsOf(found.text)) {
    if (remaining() <= 0) return found;
    const text = `${found.text.slice(0, start)}${found.text.slice(end)}`.replace(/^[ \t]*;?[ \t]*\n/gm, '');
    const program = programOf(text);
    if (program === undefined || program.warnings.length > 0) continue;
    const comparison = compare(program);
    if (comparison.differences.length > 0) return shrink({ text, program, comparison }, compare, remaining);
  }
  return found;
}

/**
 * What a test can do without: clauses that only list values, instructions, labels, memory that nothing names any more.
 */
function partsOf(text: string): readonly { readonly start: number; readonly end: number }[] {
  const [file] = parseTests({ path: 'found.litmus', text }).value ?? [];
  if (file === undefined) return [];
  const statements = file.threads.flatMap((thread) => thread.statements.map(({ span }) => span));
  const declarations = file.declarations.map(({ span }) => span);
  return [
    ...file.clauses.flatMap((clause) => (clause.kind === 'locations' ? [clause.span] : [])),
    ...[...declarations, ...statements].reverse(),
  ];
}

/** The test is no longer of the cycle that it was drawn from. */
function renamed(text: string): string {
  return text.replace(/^PTX [^\n]*\n"[^\n]*"\n/, 'PTX distinguishing\n"two models judge this test differently"\n');
}

function programOf(text: string): Program | undefined {
  const { value } = loadTests({ path: 'found.litmus', text });
  return value?.[0];
}
