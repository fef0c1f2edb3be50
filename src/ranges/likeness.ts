import { askedBy } from '../build/asked.js';
import type { ParameterBytes, Watch } from '../follow/watch.js';
import { planLaunches } from '../kernel/plan-launches.js';
import type { Declaration, RecordInitial } from '../syntax/litmus-ast.js';
import { alikeAround } from './alike.js';
import { asksOfValues, type Family, instanceOf } from './family.js';
import { RunLog } from './run-log.js';

/** A range whose values are arguments alone, and how far apart in the list of tests two neighbors are. */
interface Axis {
  readonly values: readonly bigint[];
  readonly stride: number;
}

/** Of longer families the logs of the last tests alone are kept. */
const MOST_LOGS = 64;

/** Ranges at whose ends a test has been read: that their values fit is known of these. */
const MOST_ENDS = 3;

/** Which tests of a family are followed alike, as far as that is proved. */
export class Likeness {
  private readonly axes: readonly Axis[];
  private readonly varied: Watch['varied'];
  private readonly dependentLoads = new Map<number, Set<number>>();
  private readonly isContentAsked: boolean;
  private readonly logs = new Map<number, RunLog>();

  constructor(family: Family) {
    const { ranges, file } = family;
    const varied = new Map<string, ParameterBytes[]>();
    this.axes = ranges.slice(0, MOST_ENDS).flatMap(({ values, isArgument }, i): readonly Axis[] => {
      const stride = ranges.slice(i + 1).reduce((product, one) => product * one.values.length, 1);
      if (!isArgument || values.length < 3) return [];
      const own = variedBetween(family, 0, stride);
      if (own === undefined) return [];
      for (const [name, bytes] of own) varied.set(name, [...(varied.get(name) ?? []), ...bytes]);
      return [{ values, stride }];
    });
    this.varied = varied;
    this.isContentAsked = file.clauses.some(({ kind }) => kind !== 'expect' && kind !== 'allow');
    // Registers are not looked at, and what is asked must be the same.
    if (askedBy(file.clauses).registers.length > 0 || asksOfValues(family)) this.axes = [];
  }

  /** Hears how a test is followed, where that may tell something of others. */
  watch(index: number): RunLog | undefined {
    if (this.axes.length === 0) return undefined;
    const log = new RunLog(this.varied, this.dependentLoads, this.isContentAsked);
    this.logs.set(index, log);
    for (const [old] of this.logs) {
      if (this.logs.size <= Math.max(MOST_LOGS, 2)) break;
      this.logs.delete(old);
    }
    return log;
  }

  /** The tests behind one that are followed like it and like one before it: that one, and those. */
  alikeTo(index: number): readonly { readonly before: number; readonly behind: readonly number[] }[] {
    const log = this.logs.get(index);
    return this.axes.flatMap(({ values, stride }) => {
      const position = Math.floor(index / stride) % values.length;
      const before = index - stride;
      const other = position === 0 ? undefined : this.logs.get(before);
      if (log === undefined || other === undefined) return [];
      const bounds = alikeAround(other, log);
      if (bounds === undefined) return [];
      const [at = 0n, next = 0n] = values.slice(position - 1);
      const behind: number[] = [];
      for (let t = 2; values[position - 1 + t] === at + BigInt(t) * (next - at); t++) {
        if (bounds.high !== undefined && BigInt(t) > bounds.high) break;
        behind.push(before + t * stride);
      }
      return behind.length === 0 ? [] : [{ before, behind }];
    });
  }
}

/** The bytes of parameters that two tests of a family give other numbers; undefined if they differ otherwise too. */
function variedBetween(
  family: Family,
  a: number,
  b: number,
): ReadonlyMap<string, readonly ParameterBytes[]> | undefined {
  const [one, other] = [planLaunches(instanceOf(family, a)), planLaunches(instanceOf(family, b))];
  const shapes = [one, other].map(({ launches }) =>
    JSON.stringify(launches.map(({ launch: { shape, sharedBytes } }) => [shape, sharedBytes])),
  );
  if (shapes[0] !== shapes[1] || one.declarations.length !== other.declarations.length) return undefined;
  const varied = new Map<string, readonly ParameterBytes[]>();
  for (const [i, declared] of one.declarations.entries()) {
    const [own, its] = [fieldsOf(declared), fieldsOf(other.declarations[i])];
    if (own === undefined || its === undefined || !('name' in declared)) continue;
    if (own.length !== its.length || own.some(({ at }, field) => at !== its[field]?.at)) return undefined;
    const bytes = own.flatMap(({ at, bytes: size, value }, field): readonly ParameterBytes[] => {
      const same = its[field]?.value;
      const isSame = value.kind !== 'number' || (same?.kind === 'number' && same.value === value.value);
      return isSame ? [] : [{ at, bytes: size }];
    });
    if (bytes.length > 0) varied.set(declared.name, bytes);
  }
  return varied;
}

const fieldsOf = (declared: Declaration | undefined): RecordInitial['fields'] | undefined =>
  declared?.kind === 'location' && declared.initial?.kind === 'record' ? declared.initial.fields : undefined;
