import type { Limits } from '../check/limits.js';
import { readWithin } from '../check/read-within.js';
import { type Diagnosed, type Diagnostic, error, warning } from '../diagnostics/diagnostic.js';
import { type Source, spanOf } from '../diagnostics/source.js';
import { parseLog } from '../syntax/parse-log.js';

/** The outcomes that a log says were seen, or are allowed, for one test. */
export interface ObservedTest {
  readonly test: string;
  readonly states: readonly ObservedState[];
}

export interface ObservedState {
  /** By name as our conditions have it (`P1:r0`, `x`), in no order. */
  readonly values: ReadonlyMap<string, bigint>;
  /** How often it was seen; undefined where the log does not count. */
  readonly count: number | undefined;
}

/** Reads a log: blocks of herd7 or litmus7, with or without counts, or the JSON or NDJSON of this tool. */
export function readObservations(source: Source, limits: Partial<Limits> = {}): Diagnosed<readonly ObservedTest[]> {
  const none = (message: string, hint: string): Diagnosed<readonly ObservedTest[]> => ({
    value: undefined,
    diagnostics: [error('L0006', spanOf(source, 0, 1), message, hint)],
  });
  const text = source.text.trimStart();
  if (text.startsWith('{')) {
    const tests = fromJson(text);
    if (tests === undefined)
      return none(
        'this is JSON, but no result of ptx-litmus',
        'check -f json --states, or -f ndjson --states, writes one',
      );
    return tests.length === 0
      ? none('these results have no final states', 'check --states adds them')
      : { value: tests, diagnostics: [] };
  }
  const { value, diagnostics } = readWithin(source, limits, (checkBudget) => parseLog(source, checkBudget));
  if (value === undefined) return { value, diagnostics };
  if (value.length === 0)
    return none(
      'no test in this log',
      'a log has blocks that begin with "Test <name> Allowed" (herd7, litmus7), or is the JSON of this tool',
    );
  const tests: ObservedTest[] = [];
  const damaged: Diagnostic[] = [];
  for (const { test, states, announced } of value) {
    if (announced !== states.length)
      damaged.push(
        warning(
          'L0006',
          spanOf(source, source.text.indexOf(test), source.text.indexOf(test) + test.length),
          `${test}: the log says that it has ${announced} states, and has ${states.length}`,
          'it may have been cut off',
        ),
      );
    const read = states.map(({ values, count }) => {
      const numbers = [...values].map(([name, written]) => [ourName(name), numberOf(written)] as const);
      return {
        values: new Map(numbers.flatMap(([name, number]) => (number === undefined ? [] : [[name, number] as const]))),
        count,
        bad: numbers.find(([, number]) => number === undefined)?.[0],
      };
    });
    const bad = read.find((state) => state.bad !== undefined);
    if (bad !== undefined) return none(`${test}: the value of ${bad.bad} is no number`, 'only numbers can be compared');
    tests.push({ test, states: merged(read) });
  }
  return { value: tests, diagnostics: damaged };
}

/** `1:r0` and `[x]` of the logs are `P1:r0` and `x` of our conditions. */
function ourName(name: string): string {
  const plain = name.replace(/^\[(.*)\]$/, '$1').replace(/%/g, '');
  return /^\d+:/.test(plain) ? `P${plain}` : plain;
}

function numberOf(written: string): bigint | undefined {
  const match = /^(-?)(0x[0-9a-fA-F]+|\d+)$/.exec(written.trim());
  if (match === null) return undefined;
  const value = BigInt(match[2] ?? '0');
  return match[1] === '-' ? -value : value;
}

/** A name for a state that equal ones share, whatever the order of its values. */
export function stateKey(values: ReadonlyMap<string, bigint>): string {
  return [...values]
    .map(([name, value]) => `${name}=${value};`)
    .sort()
    .join(' ');
}

function merged(states: readonly ObservedState[]): readonly ObservedState[] {
  const byKey = new Map<string, ObservedState>();
  for (const state of states) {
    const known = byKey.get(stateKey(state.values));
    const count = known?.count === undefined ? state.count : known.count + (state.count ?? 0);
    byKey.set(stateKey(state.values), { values: state.values, count });
  }
  return [...byKey.values()];
}

interface ResultLike {
  readonly test?: { readonly name?: unknown };
  readonly states?: unknown;
}

function fromJson(text: string): readonly ObservedTest[] | undefined {
  const results = resultsOf(text);
  return results?.flatMap(({ test, states }) => {
    if (typeof test?.name !== 'string' || !Array.isArray(states)) return [];
    const read = states.map((state: Readonly<Record<string, string>>) => ({
      values: new Map(Object.entries(state).map(([name, value]) => [name, BigInt(value)] as const)),
      count: undefined,
    }));
    return [{ test: test.name, states: read }];
  });
}

function resultsOf(text: string): readonly ResultLike[] | undefined {
  try {
    const whole = JSON.parse(text) as { readonly results?: unknown };
    return Array.isArray(whole.results) ? whole.results : undefined;
  } catch {
    // NDJSON: a value in each line.
    try {
      const lines = text
        .split('\n')
        .filter((line) => line.trim() !== '')
        .map((line) => JSON.parse(line) as ResultLike & { readonly kind?: unknown });
      return lines.filter(({ kind }) => kind === 'result');
    } catch {
      return undefined;
    }
  }
}
