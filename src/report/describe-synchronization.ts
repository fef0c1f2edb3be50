import type { WhyNot } from '../check/why-not.js';
import { citation } from '../diagnostics/source.js';
import type { ExecutionEvent } from '../events/program-event.js';
import type { CandidateExecution } from '../execution/candidate-execution.js';
import type { Missing } from '../explain/missing.js';
import type { Near } from '../explain/near.js';
import type { Reach, Synchronization } from '../explain/synchronization.js';
import type { UndefinedHint } from '../explain/undefined.js';
import type { Placement } from '../program/placement.js';
import { eventName, placeInSource, placeOf } from './describe-event.js';

/** What a synchronization needs, and that it has it. */
export function describeSynchronization(execution: CandidateExecution, one: Synchronization): readonly string[] {
  const words = new Words(execution);
  const scopes = one.reach.map(({ from, to, scope }) => `.${scope} of ${words.letter(from)} holds ${words.thread(to)}`);
  if (one.kind === 'fence-sc')
    return [
      `${words.at(one.first)} and ${words.at(one.second)} are ordered by the one order of fence.sc:`,
      `   ${[...scopes, words.common(one.first, one.second)].join('; ')}`,
      '   the other order does not help: with it an axiom is broken as well',
    ];
  const { release, acquire, write, read } = one;
  const carried = release === write ? '' : `, which releases by ${words.at(write)}`;
  const observed = acquire === read ? '' : `, which acquires what ${words.at(read)} observed`;
  return [
    `${words.at(release)}${carried} synchronizes with ${words.at(acquire)}${observed}:`,
    '   release before, acquire after; ' +
      `${[words.meeting(write, read), ...scopes, words.common(release, acquire)].join('; ')}`,
  ];
}

/** What lies behind an undefined execution: a sentence each. */
export function describeUndefinedHint(
  execution: CandidateExecution,
  { invalidatedBy, near }: UndefinedHint,
  events: readonly number[],
): readonly string[] {
  const words = new Words(execution);
  return [
    ...invalidatedBy.map(
      (inval) => `${words.access(inval)} comes before it in this execution, and ends the life of the object`,
    ),
    ...near.map((one) => `${words.notCounting(one, events)}; make it an acquire whose scope holds both`),
  ];
}

/** One thing that is missing, and what would be there instead. */
export function describeMissing(execution: CandidateExecution, missing: Missing): string {
  const describe = MISSING_TEXTS[missing.kind] as (missing: Missing, words: Words) => string;
  return describe(missing, new Words(execution));
}

/** How what is missing of each kind is described. */
const MISSING_TEXTS: {
  readonly [Kind in Missing['kind']]: (missing: Extract<Missing, { readonly kind: Kind }>, words: Words) => string;
} = {
  weak: ({ event }, words) =>
    `${words.access(event)} is weak, and weak accesses synchronize with nothing: it would have to be .relaxed or ` +
    'stronger, at a scope that holds both threads',
  red: ({ event }, words) => `${words.access(event)} is a red, and the read of a red acquires nothing; an atom does`,
  scope: ({ reach }, words) => words.outOfReach(reach),
  proxy: ({ first, second }, words) =>
    `${words.access(first)} and ${words.access(second)} are not morally strong, that is nothing keeps them apart or ` +
    `in order by itself: ${words.mismatch(first, second)}`,
  'no-release': ({ write, after, near }, words) =>
    `${words.access(write)} does not release what comes before it (${words.at(after)}): it would have to be ` +
    `.release, or at least .relaxed behind a release fence${words.near(near, after, write)}`,
  'no-acquire': ({ read, before, near }, words) =>
    `${words.access(read)} acquires nothing for what comes after it (${words.at(before)}): it would have to be ` +
    `.acquire, or at least .relaxed before an acquire fence${words.near(near, read, before)}`,
  'no-fence-sc': ({ from, to, scope, fences }, words) => {
    const others = fences.map((fence) => words.access(fence));
    const instead = others.length === 0 ? '' : `; ${others.join(' and ')} is none`;
    const between = `between ${words.at(from)} and ${words.at(to)} of ${words.thread(from)}`;
    return `${between} there is no fence.sc.${scope}${instead}`;
  },
  'across-proxies': ({ from, to, advice }, words) => `${words.at(from)} and ${words.at(to)}: ${advice}`,
  'not-told': ({ wait, operation }, words) =>
    `${words.at(wait)} finds ${words.at(operation)} complete, but acquires nothing: it would have to be an acquire, ` +
    'or an acquire fence follow it',
};

class Words {
  constructor(private readonly execution: CandidateExecution) {}

  private event(id: number): ExecutionEvent | undefined {
    return this.execution.universe.events[id];
  }

  letter(id: number): string {
    return eventName(this.execution, id, 'the initial write');
  }

  /** `b (line 9)`. */
  at(id: number): string {
    const span = this.event(id)?.span;
    return span === undefined ? this.letter(id) : `${this.letter(id)} (${citation(span)})`;
  }

  /** `b (line 9: st.relaxed.gpu.u32 [x], 1)`. */
  access(id: number): string {
    const event = this.event(id);
    return event?.span === undefined ? this.letter(id) : `${this.letter(id)} (${placeInSource(event)})`;
  }

  thread(id: number): string {
    const thread = this.event(id)?.thread;
    return thread === undefined
      ? 'the initial state'
      : (this.execution.universe.structure.program.threads[thread]?.name ?? '');
  }

  /** Where and how what was written is observed: at one address, through one proxy. */
  meeting(write: number, read: number): string {
    const [w, r] = [this.event(write), this.event(read)];
    const target = this.execution.targets[read];
    const place = target === undefined ? 'one address' : placeOf(target);
    if (w?.kind === 'mbarrier' || r?.kind === 'mbarrier') return `they meet at the mbarrier ${place}`;
    return `they meet at ${place}, through ${r?.tags.has('ASYNC') === true ? 'the async proxy' : 'the generic proxy'}`;
  }

  /** Why two strong accesses in each other's scope are not morally strong (PTX ISA 8.7). */
  mismatch(a: number, b: number): string {
    const proxy = (id: number): string =>
      this.event(id)?.tags.has('ASYNC') === true
        ? 'async'
        : this.event(id)?.tags.has('GEN') === true
          ? 'generic'
          : 'another';
    const [x, y] = [this.execution.targets[a], this.execution.targets[b]];
    if (proxy(a) !== proxy(b)) return `one goes through the ${proxy(a)} proxy, the other through the ${proxy(b)} one`;
    if (x !== undefined && y !== undefined && (x.bytes !== y.bytes || x.offset !== y.offset))
      return 'they overlap only in part';
    return x?.virtualAddress !== y?.virtualAddress
      ? 'they use two addresses for one location'
      : 'they go through different proxies';
  }

  /** What two threads have in common, from the smallest on: `P0 and P1: one cta`. */
  common(a: number, b: number): string {
    const [x, y] = [this.event(a)?.placement, this.event(b)?.placement];
    return x === undefined || y === undefined ? '' : `${this.thread(a)} and ${this.thread(b)} are in ${together(x, y)}`;
  }

  /** What is there and does not help, and why. */
  near(found: readonly Near[] | undefined, first: number, second: number): string {
    return (found ?? []).map((one) => `; ${this.notCounting(one, [first, second])}`).join('');
  }

  /** Why something does not order a pair of events. */
  notCounting({ event, why }: Near, [first = -1, second = -1]: readonly number[]): string {
    const between = `${this.letter(first)} and ${this.letter(second)}`;
    const reasons: Readonly<Record<Exclude<WhyNot, 'narrow'>, string>> = {
      before: `stands before ${this.letter(first)}, not between ${between}`,
      behind: `stands behind ${this.letter(second)}, not between ${between}`,
      'release-only': 'releases, and acquires nothing',
      'acquire-only': 'acquires, and releases nothing',
      proxy: 'joins proxies, and hands nothing to other threads',
      restricted: 'is limited to what its restriction names',
      relaxed: 'is relaxed',
    };
    const reason = why === 'narrow' ? this.narrow(event, [first, second]) : reasons[why];
    return `${this.access(event)} does not count: it ${reason}`;
  }

  /** Which of two events is in a thread that the scope of another does not hold. */
  private narrow(id: number, pair: readonly number[]): string {
    const other = pair.find((one) => this.event(one)?.thread !== this.event(id)?.thread);
    const thread = other === undefined ? 'the other thread' : this.thread(other);
    return `is at .${this.event(id)?.scope}, which does not hold ${thread}`;
  }

  outOfReach({ from, to, scope, needed }: Reach): string {
    const where = this.common(from, to);
    const without = `which does not hold ${this.thread(to)}${where === '' ? '' : `: ${where}`}`;
    return `${this.access(from)} is at .${scope}, ${without}; it would have to be .${needed}`;
  }
}

function together(a: Placement, b: Placement): string {
  if (a.cta === b.cta) return `one CTA (cta ${a.ctaNumber})`;
  const ctas = `two CTAs (${a.ctaNumber} and ${b.ctaNumber})`;
  if (a.cluster === b.cluster) return `${ctas} of one cluster`;
  if (a.gpu === b.gpu) return `${ctas} of one GPU`;
  return `two GPUs (${a.gpu} and ${b.gpu})`;
}
