import type { Random } from '../../src/generate/random.js';
import { kernelModule } from '../kernel-module.js';
import { type GeneratedLaunch, generatedLaunches } from './generated-launches.js';
import { descriptor } from './tensor-body.js';

/** What tcgen05 instructions do to columns; `fill` and `spill` write what products read in shared memory. */
type Action = 'mma' | 'mma-from' | 'cp' | 'shift' | 'st' | 'ld' | 'fill' | 'free';

/** How one actor tells another one to go on: by an arrival of its commit, or of its own; or by a barrier. */
interface HandOver {
  readonly how: 'commit' | 'arrive' | 'barrier' | 'none';
  readonly isComplete: boolean;
  readonly isBefore: boolean;
  readonly isAfter: boolean;
  readonly releases: boolean;
  readonly acquires: boolean;
}

interface Round {
  readonly actor: number;
  readonly action: Action;
  readonly column: number;
  readonly next: number;
  readonly handOver: HandOver;
}

/**
 * Actors are lanes of one warp, where loads and stores are of all of them; or warps that share a quarter of tensor
 * memory, where one lane does what is no matter of the warp.
 */
interface Plan {
  readonly are: 'lanes' | 'warps';
  readonly allocates: boolean;
  readonly rounds: Round[];
}

/** Launches that hand tensor memory from one actor to another, some of them without a fence, a wait or a commit. */
export const tensorLaunches = (seed: number): Generator<GeneratedLaunch> =>
  generatedLaunches('tensor', seed, { planOf, spoil, textOf, moduleOf });

const ACTIONS: readonly Action[] = ['mma', 'mma', 'mma-from', 'cp', 'shift', 'st', 'ld', 'ld', 'fill'];
const COLUMNS = [0, 0, 0, 8, 4, 16] as const;
const isSeldom = (random: Random): boolean => random.below(6) === 0;

function handOverOf(random: Random, action: Action): HandOver {
  const isIssued = ['mma', 'mma-from', 'cp', 'shift'].includes(action);
  const how = random.pick(isIssued ? (['commit', 'commit', 'none', 'barrier'] as const) : HOW);
  return {
    how,
    ...{ isComplete: !isSeldom(random), isBefore: !isSeldom(random), isAfter: !isSeldom(random) },
    ...{ releases: !isSeldom(random), acquires: random.below(3) > 0 },
  };
}
const HOW = ['arrive', 'arrive', 'barrier', 'none'] as const;

function planOf(random: Random): Plan {
  const rounds: Round[] = [];
  let actor = random.below(2);
  for (let left = 2 + random.below(3); left > 0; left--) {
    const action = random.pick(ACTIONS);
    const handOver = handOverOf(random, action);
    const next = handOver.how === 'none' ? actor : random.below(2);
    rounds.push({ actor, action, column: random.pick(COLUMNS), next, handOver });
    actor = next;
  }
  const allocates = random.below(3) === 0;
  if (allocates) rounds.push({ ...(rounds.at(-1) as Round), actor, action: 'free', column: 0, next: actor });
  return { are: random.pick(['lanes', 'warps'] as const), allocates, rounds };
}

/** Puts a mistake into a plan. */
function spoil({ rounds }: Plan, random: Random): void {
  const at = random.below(rounds.length);
  const round = rounds[at] as Round;
  rounds[at] =
    random.below(2) === 0
      ? { ...round, column: random.pick(COLUMNS) }
      : { ...round, handOver: { ...round.handOver, isComplete: false } };
}

function textOf(name: string, { are }: Plan): string {
  const listed = Array.from({ length: 4 }, (_, i) => `x[${i}];`).join(' ');
  return (
    `PTX ${name}\n{ .global .align 16 .u32 x[256] = 0; }\n` +
    `launch K "k.ptx" (x) @ grid 1, block ${are === 'lanes' ? 2 : 160}\nlocations [${listed}]\n`
  );
}

/** Of a launch of warps, for the engines: a lane of each. */
export const withOneLaneEach = (text: string): string => text.replace('block 160', 'block 160 { run tid 0, 128; }');

function moduleOf({ are, allocates, rounds }: Plan): string {
  const objects = rounds.map((_, i) => `bar${i}`);
  const setUp = are === 'lanes' ? 'mov.u32 %r2, %r1;' : WARPS;
  const meet = are === 'lanes' ? 'bar.sync 0;' : 'bar.sync 1, 64;';
  const alloc = 'tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot], 32;';
  const body = [
    setUp,
    SETTINGS,
    'setp.ne.u32 %p1, %r1, 0; @%p1 bra I;',
    ...objects.map((one) => `mbarrier.init.shared::cta.b64 [${one}], 1;`),
    'I:',
    allocates ? ofActor(are, 0, 'A', alloc, true) : '',
    'tcgen05.fence::before_thread_sync;',
    meet,
    'tcgen05.fence::after_thread_sync;',
    ...rounds.map((round, i) => codeOf(are, round, i)),
  ];
  const declared =
    '.shared .align 128 .b8 sa[4096]; .shared .align 128 .b8 sb[256]; .shared .align 4 .b32 slot; ' +
    objects.map((one) => `.shared .align 8 .b64 ${one};`).join(' ');
  return kernelModule({ target: 'sm_100a', declared, body: `${body.join('\n')}\nEND:` });
}

/** The first of the warps, and the fifth, which reaches the same lanes of tensor memory. */
const WARPS = `and.b32 %r3, %r1, 31; shr.u32 %r4, %r1, 5; setp.eq.u32 %p1, %r4, 0; setp.eq.u32 %p2, %r4, 4;
or.pred %p1, %p1, %p2; @!%p1 bra END; shr.u32 %r2, %r4, 2;`;
const SETTINGS = [
  descriptor('%rd2', 'sa'),
  descriptor('%rd3', 'sb'),
  'mov.b32 %r6, 0; setp.eq.u32 %p8, 1, 1; mul.wide.u32 %rd4, %r1, 4; add.s64 %rd4, %rd1, %rd4;',
].join('\n');

/** What an actor does: of a warp all lanes, or the first alone, between two meetings of them. */
function ofActor(are: Plan['are'], actor: number, label: string, code: string, isOfWarp: boolean): string {
  if (are === 'lanes' && isOfWarp) return code;
  const own = `setp.ne.u32 %p1, %r2, ${actor}; @%p1 bra E${label};`;
  if (are === 'lanes' || isOfWarp) return `${own}\n${code}\nE${label}:`;
  const first = `setp.ne.u32 %p2, %r3, 0; @%p2 bra F${label};`;
  return `${own}\nbar.warp.sync -1;\n${first}\n${code}\nF${label}:\nbar.warp.sync -1;\nE${label}:`;
}

function codeOf(are: Plan['are'], round: Round, at: number): string {
  const { actor, action, next, handOver } = round;
  const { how, isComplete, isBefore, isAfter, releases, acquires } = handOver;
  const isOfWarp = action === 'st' || action === 'ld' || action === 'free';
  const steps = [ofActor(are, actor, `${at}`, ACTION_CODE[action](round.column, at), isOfWarp)];
  const warpWait = `tcgen05.wait::${action}.sync.aligned;`;
  if ((action === 'st' || action === 'ld') && isComplete) steps.push(ofActor(are, actor, `${at}w`, warpWait, true));
  // A lane speaks for the others only behind a meeting.
  const isOfLanes = are === 'lanes' && how !== 'none';
  if (isBefore) steps.push(ofActor(are, actor, `${at}b`, 'tcgen05.fence::before_thread_sync;', true));
  if (isOfLanes) steps.push('bar.warp.sync -1;');
  if (how === 'barrier') steps.push(are === 'lanes' ? 'bar.sync 0;' : 'bar.sync 1, 64;');
  const object = `bar${at}`;
  const commit = `tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [${object}];`;
  const arrive = `mbarrier.arrive.${releases ? 'release.cta' : 'relaxed.cluster'}.shared::cta.b64 _, [${object}];`;
  const wait =
    `W${at}: mbarrier.try_wait.parity.${acquires ? 'acquire.cta' : 'relaxed.cluster'}.shared::cta.b64 %p3, ` +
    `[${object}], 0; @!%p3 bra W${at};`;
  if (how === 'commit' || how === 'arrive') {
    steps.push(ofActor(are, actor, `${at}c`, how === 'commit' && isComplete ? commit : arrive, false));
    // Of a warp all lanes wait; of lanes one does, and the others meet it.
    steps.push(are === 'lanes' ? ofActor(are, next, `${at}d`, wait, false) : ofActor(are, next, `${at}d`, wait, true));
  }
  if (isOfLanes) steps.push('bar.warp.sync -1;');
  if (isAfter) steps.push(ofActor(are, next, `${at}a`, 'tcgen05.fence::after_thread_sync;', true));
  return steps.join('\n');
}

/** By action, what it does to columns from one on; shared memory is written with the fence that products need. */
const ACTION_CODE: Readonly<Record<Action, (column: number, at: number) => string>> = {
  mma: (column) => `mov.b32 %r7, ${column}; tcgen05.mma.cta_group::1.kind::f16 [%r7], %rd2, %rd3, %r6, %p8;`,
  'mma-from': (column) =>
    `mov.b32 %r7, ${column}; mov.b32 %r8, 24; tcgen05.mma.cta_group::1.kind::f16 [%r8], [%r7], %rd3, %r6, %p8;`,
  cp: (column, at) =>
    `mov.b32 %r7, ${column}; tcgen05.cp.cta_group::1.${at % 2 === 0 ? '128x256b' : '4x256b'} [%r7], %rd2;`,
  shift: (column) => `mov.b32 %r7, ${column}; tcgen05.shift.cta_group::1.down [%r7];`,
  st: (column, at) =>
    `mov.b32 %r7, ${column}; add.u32 %r9, %r1, ${10 * at + 1}; tcgen05.st.sync.aligned.` +
    (at % 3 === 2 ? '16x64b.x1.b32 [%r7], {%r9};' : '32x32b.x2.b32 [%r7], {%r9, %r9};'),
  ld: (column) =>
    `mov.b32 %r7, ${column}; tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r10}, [%r7]; ` +
    'tcgen05.wait::ld.sync.aligned; st.global.u32 [%rd4], %r10;',
  fill: (column) => `st.shared.u32 [sa + ${column}], 7; fence.proxy.async;`,
  free: () => 'ld.shared.b32 %r11, [slot]; tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r11, 32;',
};
