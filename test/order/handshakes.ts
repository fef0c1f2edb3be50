import type { Random } from '../../src/generate/random.js';
import { kernelModule } from '../kernel-module.js';
import { type GeneratedLaunch, generatedLaunches } from './generated-launches.js';

const SCOPES = ['cta', 'gpu', 'sys'] as const;
type Scope = (typeof SCOPES)[number];
/** How something is released, or acquired: by the access itself, by a fence beside it, or not at all. */
const MANNERS = ['itself', 'fence', 'not'] as const;
type Manner = (typeof MANNERS)[number];
const CONDITIONS = ['eq', 'ge', 'ne0'] as const;
/** How a wait is written: a loop, its first look apart, with pauses, with a time-out, for a change, for two flags. */
const SHAPES = ['loop', 'loop', 'apart', 'paused', 'timed', 'change', 'both'] as const;

/** What one thread does, in order. */
type Step =
  | { readonly kind: 'write' | 'read'; readonly at: number; readonly value: number }
  | { readonly kind: 'set'; readonly flag: number; readonly value: number; readonly how: Manner; readonly scope: Scope }
  | {
      readonly kind: 'add';
      readonly flag: number;
      readonly value: number;
      readonly how: Manner;
      readonly scope: Scope;
      /** Whether the result decides what is written, and by which value. */
      readonly last: number | undefined;
    }
  | {
      readonly kind: 'wait';
      readonly flag: number;
      readonly value: number;
      readonly how: Manner;
      readonly scope: Scope;
      readonly condition: (typeof CONDITIONS)[number];
      readonly isKept: boolean;
      /** It looks by an atomic that changes nothing. */
      readonly isAtomic: boolean;
      readonly shape: (typeof SHAPES)[number];
    }
  | {
      readonly kind: 'last';
      readonly flag: number;
      readonly value: number;
      readonly how: Manner;
      readonly scope: Scope;
      readonly isBounded: boolean;
      /** What it reads if it finds the value, as the last. */
      readonly reads: readonly number[];
      /** How the last one sets the count back, if it does. */
      readonly reset: string | undefined;
    }
  | {
      readonly kind: 'take';
      readonly flag: number;
      readonly how: Manner;
      readonly scope: Scope;
      readonly isExchange: boolean;
    }
  | { readonly kind: 'reset'; readonly flag: number }
  | { readonly kind: 'barrier' };

interface Plan {
  readonly ctas: number;
  readonly block: number;
  readonly threads: Step[][];
}

/** Launches of a few threads that hand data on by flags and counts, most of them with a mistake or two. */
export const handshakes = (seed: number): Generator<GeneratedLaunch> =>
  generatedLaunches('handshake', seed, { planOf, spoil, textOf, moduleOf });

const one = <T>(random: Random, all: readonly T[]): T => all[random.below(all.length)] as T;
const right = (random: Random): Manner => (random.below(2) === 0 ? 'itself' : 'fence');

function planOf(random: Random): Plan {
  const count = 2 + random.below(2);
  const isSpread = random.below(2) === 0;
  const scope: Scope = isSpread ? one(random, ['gpu', 'sys']) : one(random, SCOPES);
  const threads = Array.from({ length: count }, (): Step[] => []);
  const plan = { ctas: isSpread ? count : 1, block: isSpread ? 1 : count, threads };
  const shapes = [chain, counted, pingPong, progress, counted, lastOne, lastOne, locked, locked];
  one(random, shapes)(threads, random, scope);
  return plan;
}

const set = (flag: number, value: number, random: Random, scope: Scope): Step => ({
  ...{ kind: 'set', flag, value, how: right(random), scope },
});
const wait = (
  flag: number,
  value: number,
  random: Random,
  scope: Scope,
  condition: (typeof CONDITIONS)[number] = one(random, CONDITIONS),
): Step => ({
  ...{ kind: 'wait', flag, value, how: right(random), scope, condition },
  ...{ isKept: random.below(6) === 0, isAtomic: random.below(6) === 0, shape: one(random, SHAPES) },
});

/** Each hands on to the next. */
function chain(threads: Step[][], random: Random, scope: Scope): void {
  for (const [i, steps] of threads.entries()) {
    if (i > 0) steps.push(wait(i - 1, 1, random, scope), { kind: 'read', at: i - 1, value: i });
    if (i > 1 && random.below(2) === 0) steps.push({ kind: 'read', at: 0, value: 4 + i });
    steps.push({ kind: 'write', at: i, value: 10 + i });
    if (i < threads.length - 1) steps.push(set(i, 1, random, scope));
  }
}

/** All come together by a count, once or twice. */
function counted(threads: Step[][], random: Random, scope: Scope): void {
  const rounds = threads.length === 2 ? 1 + random.below(2) : 1;
  const isMean = random.below(3) === 0;
  for (const [i, steps] of threads.entries())
    for (let round = 0; round < rounds; round++) {
      steps.push({ kind: 'write', at: i, value: 10 * (round + 1) + i });
      const last = random.below(4) === 0 ? threads.length * rounds + random.below(2) : undefined;
      steps.push({ kind: 'add', flag: 0, value: isMean && i === 0 ? 2 : 1, how: right(random), scope, last });
      const all = (threads.length + (isMean ? 1 : 0)) * (round + 1);
      steps.push(wait(0, all, random, scope, random.below(4) === 0 ? 'eq' : 'ge'));
      steps.push({ kind: 'read', at: (i + 1) % threads.length, value: 2 * i + round });
      if (round + 1 < rounds && random.below(2) === 0) {
        steps.push({ kind: 'add', flag: 1, value: 1, how: right(random), scope, last: undefined });
        steps.push(wait(1, threads.length, random, scope, 'ge'));
      }
    }
}

/** Who counts last reads what the others have written. */
function lastOne(threads: Step[][], random: Random, scope: Scope): void {
  const isBounded = random.below(3) === 0;
  const reset = one(random, [undefined, undefined, 'weak', `relaxed.${scope}`]);
  const all = threads.map((_, i) => i);
  for (const [i, steps] of threads.entries()) {
    steps.push({ kind: 'write', at: i, value: 10 + i });
    const reads = all.filter((at) => at !== i);
    steps.push({
      kind: 'last',
      flag: 0,
      value: threads.length - 1,
      how: right(random),
      scope,
      isBounded,
      reads,
      reset,
    });
  }
}

/** Each takes a lock, and gives it back. */
function locked(threads: Step[][], random: Random, scope: Scope): void {
  const isExchange = random.below(3) === 0;
  for (const [i, steps] of threads.entries()) {
    if (random.below(4) === 0) steps.push({ kind: 'write', at: 2, value: 10 + i });
    steps.push({ kind: 'take', flag: 0, how: right(random), scope, isExchange });
    steps.push({ kind: 'read', at: 0, value: i }, { kind: 'write', at: 0, value: 10 + i });
    if (random.below(2) === 0) steps.push({ kind: 'write', at: 1, value: 10 + i });
    steps.push(set(0, 0, random, scope));
  }
}

/** One writes, the other answers, and the flag is used again. */
function pingPong(threads: Step[][], random: Random, scope: Scope): void {
  const [first = [], second = []] = threads;
  for (let round = 0; round < 2; round++) {
    first.push({ kind: 'write', at: 0, value: 10 + round }, set(0, 1, random, scope));
    second.push(wait(0, 1, random, scope, 'eq'), { kind: 'read', at: 0, value: round });
    if (random.below(2) === 0) {
      second.push(set(0, 0, random, scope));
      first.push({ ...wait(0, 0, random, scope, 'eq') });
    } else {
      second.push({ kind: 'reset', flag: 0 }, set(1, round + 1, random, scope));
      first.push(wait(1, round + 1, random, scope, 'ge'));
    }
  }
}

/** One goes ahead, and tells how far it is. */
function progress(threads: Step[][], random: Random, scope: Scope): void {
  const [first = [], ...others] = threads;
  for (let round = 0; round < 2; round++)
    first.push({ kind: 'write', at: round, value: 10 + round }, set(0, round + 1, random, scope));
  for (const [i, steps] of others.entries())
    for (let round = random.below(2); round < 2; round++)
      steps.push(wait(0, round + 1, random, scope, 'ge'), { kind: 'read', at: round, value: 2 * i + round });
}

/** Puts a mistake into a plan. */
function spoil({ threads, ctas }: Plan, random: Random): void {
  const steps = threads[random.below(threads.length)] ?? [];
  const at = random.below(steps.length);
  const step = steps[at];
  if (step === undefined) return;
  const { length } = steps;
  const next = random.below(length);
  switch (random.below(7)) {
    case 0:
      steps.splice(at, 1);
      return;
    case 1:
      steps.splice(at, 0, step);
      return;
    case 2:
      [steps[at], steps[next]] = [steps[next] as Step, step];
      return;
    case 3:
      if ('how' in step) steps[at] = { ...step, how: 'not' };
      return;
    case 4:
      if ('scope' in step) steps[at] = { ...step, scope: one(random, SCOPES) };
      return;
    case 5:
      if ('flag' in step && 'value' in step) steps[at] = { ...step, value: random.below(4) };
      return;
    default:
      if (ctas === 1) for (const own of threads) own.splice(random.below(own.length + 1), 0, { kind: 'barrier' });
  }
}

function textOf(name: string, { ctas, block }: Plan): string {
  const listed = [...Array.from({ length: 8 }, (_, i) => `x[${i}];`), 'd[0];', 'd[1];', 'f[0];', 'f[1];'].join(' ');
  return (
    `PTX ${name}\n{ .global .u32 d[4] = 0; .global .u32 f[4] = 0; .global .u32 x[8] = 0; }\n` +
    `launch K "k.ptx" (d, f, x) @ grid ${ctas}, block ${block}, gpu 0\nlocations [${listed}]\n`
  );
}

function moduleOf({ threads }: Plan): string {
  const bodies = threads.map(
    (steps, thread) => `T${thread}:\n${steps.map((step, i) => codeOf(step, `${thread}_${i}`)).join('\n')}\nret;`,
  );
  const ways = threads.map((_, thread) => `setp.eq.u32 %p1, %r4, ${thread}; @%p1 bra T${thread};`);
  return kernelModule({
    pointers: 3,
    body: `mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.u32 %r4, %r2, %r3, %r1;
${ways.join('\n')}
ret;
${bodies.join('\n')}`,
  });
}

function codeOf(step: Step, label: string): string {
  const flag = 'flag' in step ? `[%rd2 + ${4 * step.flag}]` : '';
  const value = 'value' in step ? step.value : 0;
  const fence = 'scope' in step && step.how === 'fence' ? `fence.acq_rel.${step.scope};` : '';
  switch (step.kind) {
    case 'write':
      return `st.global.u32 [%rd1 + ${4 * step.at}], ${step.value};`;
    case 'read':
      return `ld.global.u32 %r5, [%rd1 + ${4 * step.at}]; st.global.u32 [%rd3 + ${4 * (step.value % 8)}], %r5;`;
    case 'set':
      return `${fence} st.${step.how === 'itself' ? 'release' : 'relaxed'}.${step.scope}.global.u32 ${flag}, ${value};`;
    case 'add': {
      const how = `${step.how === 'itself' ? 'release' : 'relaxed'}.${step.scope}`;
      if (step.last === undefined) return `${fence} red.${how}.global.add.u32 ${flag}, ${step.value};`;
      return (
        `${fence} atom.${how}.global.add.u32 %r6, ${flag}, ${step.value}; add.u32 %r6, %r6, 1; ` +
        `setp.gt.u32 %p2, %r6, ${step.last}; @%p2 st.global.u32 [%rd1 + 12], 1;`
      );
    }
    case 'take': {
      const order = step.how === 'itself' ? 'acquire' : 'relaxed';
      const what = step.isExchange ? 'exch.b32 %r7, [%rd2], 1' : 'cas.b32 %r7, [%rd2], 0, 1';
      const again = `setp.ne.u32 %p3, %r7, 0; @%p3 bra W${label};`;
      return `W${label}: atom.${order}.${step.scope}.global.${what}; ${again} ${fence}`;
    }
    case 'last': {
      const order = step.how === 'itself' ? 'acq_rel' : 'relaxed';
      const how = `${order}.${step.scope}.global.${step.isBounded ? 'inc' : 'add'}`;
      const reads = step.reads.map(
        (at, i) => `ld.global.u32 %r8, [%rd1 + ${4 * at}]; st.global.u32 [%rd3 + ${4 * i}], %r8;`,
      );
      const reset = step.reset === undefined ? '' : `st.${step.reset}.global.u32 ${flag}, 0;`;
      return (
        `${fence} atom.${how}.u32 %r6, ${flag}, ${step.isBounded ? 7 : 1}; ${fence} ` +
        `setp.ne.u32 %p2, %r6, ${value}; @%p2 bra L${label}; ${reads.join(' ')} ${reset} L${label}:`
      );
    }
    case 'wait':
      return `${waitOf(step, label, flag)} ${fence}${step.isKept ? ' st.global.u32 [%rd3 + 28], %r7;' : ''}`;
    case 'reset':
      return `st.global.u32 ${flag}, 0;`;
    case 'barrier':
      return 'barrier.sync 1;';
  }
}

function waitOf(step: Extract<Step, { kind: 'wait' }>, label: string, flag: string): string {
  const how = `${step.how === 'itself' ? 'acquire' : 'relaxed'}.${step.scope}.global`;
  const look = (register: string, at = flag): string =>
    step.isAtomic ? `atom.${how}.add.u32 ${register}, ${at}, 0;` : `ld.${how}.u32 ${register}, ${at};`;
  const test = {
    eq: `setp.ne.u32 %p3, %r7, ${step.value};`,
    ge: `setp.lt.u32 %p3, %r7, ${step.value};`,
    ne0: 'setp.eq.u32 %p3, %r7, 0;',
  }[step.condition];
  const round = `${look('%r7')} ${test}`;
  const [begin, end] = [`W${label}`, `V${label}`];
  switch (step.shape) {
    case 'loop':
      return `${begin}: ${round} @%p3 bra ${begin};`;
    case 'apart':
      return `${round} @!%p3 bra ${end}; ${begin}: nanosleep.u32 20; ${round} @%p3 bra ${begin}; ${end}:`;
    case 'paused': {
      const longer = 'setp.lt.u32 %p4, %r9, 64; selp.u32 %r10, 1, 0, %p4; shl.b32 %r9, %r9, %r10;';
      return `mov.u32 %r9, 8; ${begin}: nanosleep.u32 %r9; ${longer} ${round} @%p3 bra ${begin};`;
    }
    case 'timed': {
      // So late that no schedule of test/schedules comes to it.
      const late = 'mov.u32 %r10, %clock; sub.u32 %r10, %r10, %r9; setp.gt.u32 %p4, %r10, 2000000000;';
      return (
        `mov.u32 %r9, %clock; ${begin}: ${round} @!%p3 bra ${end}; ${late} @!%p4 bra ${begin}; ` +
        `st.global.u32 [%rd3 + 24], 9; trap; ${end}:`
      );
    }
    case 'change':
      return `${look('%r9')} ${begin}: ${look('%r7')} setp.eq.u32 %p3, %r7, %r9; @%p3 bra ${begin};`;
    case 'both': {
      const other = `${look('%r9', '[%rd2]')} setp.eq.u32 %p3, %r9, 0;`;
      return `${begin}: ${other} @%p3 bra C${label}; ${round} @!%p3 bra ${end}; C${label}: bra ${begin}; ${end}:`;
    }
  }
}
