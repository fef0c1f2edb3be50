import { locate, scopeOf, spaceOf } from './accesses.js';
import { withComponent } from './clock.js';
import { type Compiled, type Family, NEXT, operandAt, type Run, visible } from './compile.js';
import { arriveWhenCopied } from './copies.js';
import { Unsupported } from './launch.js';
import type { Machine } from './machine.js';
import { arrive, barrierAt, completeTransactions, expect, initialize, type Mbarrier, observe } from './mbarrier.js';
import { GENERIC, type Segment, SHARED, type Space } from './memory.js';
import type { Instruction } from './module.js';
import type { Operand } from './operands.js';
import type { Actor, Scope, Thread } from './threads.js';
import { CTA, WEAK } from './threads.js';

/** The instructions on mbarriers (PTX ISA 9.7.15.16). */
export const mbarrier: Family = (at, compiler) => {
  const { words } = at;
  if (words.some((word) => /^(multicast|phase_type|layout)/.test(word)))
    throw new Unsupported(`${at.opcode} is not known`);
  switch (words[1]) {
    case 'init':
    case 'inval':
      return initOrInval(at, compiler);
    case 'arrive':
    case 'arrive_drop':
      return arrival(at, compiler);
    case 'expect_tx':
    case 'complete_tx':
      return transactions(at, compiler);
    case 'test_wait':
    case 'try_wait':
      return wait(at, compiler);
    default:
      throw new Unsupported(`${at.opcode} is not known`);
  }
};

/** The object, whose address must be of shared memory, and whose use is an access to its 8 bytes. */
interface Use {
  readonly space: Space;
  readonly scope: Scope;
  readonly writes: boolean;
  readonly at: Instruction;
}

function find(machine: Machine, thread: Thread, address: number, { space, scope, writes, at }: Use): Segment {
  const segment = locate(machine, thread, { space, address, size: 8 }, at);
  if (segment.cta === undefined) return machine.fail('mbarrier-outside-of-shared-memory', at);
  machine.detector.access(thread, segment, machine.memory.offset, 8, { writes, scope, way: 'mbarrier' }, at);
  return segment;
}

const initOrInval: Family = (at, compiler) => {
  const address = compiler.address(at.operands[0]);
  const count = compiler.source(at.operands[1] ?? { kind: 'number', value: 1n }, 32);
  const isInit = at.words[1] === 'init';
  const space = spaceOf(at.words);
  return visible((thread, machine) => {
    const segment = locate(machine, thread, { space, address: address(thread), size: 8 }, at);
    const { offset } = machine.memory;
    if (segment.cta !== thread.cta) machine.fail('mbarrier-of-another-cta', at);
    machine.detector.access(isInit ? initializer(machine, thread) : thread, segment, offset, 8, WRITE, at);
    if (isInit) initialize(machine, segment, offset, (thread.regs[count] as number) | 0, at);
    else if (!segment.mbarriers.delete(offset)) machine.note('mbarrier-not-initialized', at);
  });
};

const WRITE = { writes: true, scope: WEAK, way: 'plain' } as const;

/** Initializations are a stream of their own: `fence.mbarrier_init` releases them alone. */
function initializer(machine: Machine, thread: Thread): Actor {
  if (thread.inits < 0) thread.inits = machine.newComponent(thread.launch);
  thread.initCount++;
  thread.clock = withComponent(thread.clock, thread.inits, thread.initCount);
  const { clock, covered } = thread;
  return { component: thread.inits, epoch: thread.initCount, clock, covered, isAsyncProxy: false, thread };
}

const arrival: Family = (at, compiler) => {
  const { words } = at;
  const { operands } = at;
  // Without a result an operand fewer: `mbarrier.arrive.shared::cluster.b64 _, [bar]` has the sink.
  const into = operands[0]?.kind === 'address' ? undefined : operands[0];
  const rest = into === undefined ? operands : operands.slice(1);
  const address = compiler.address(rest[0]);
  const expects = words.includes('expect_tx');
  const number = compiler.source(rest[1] ?? { kind: 'number', value: 1n }, 32);
  const target = compiler.target(into);
  const isRelease = !words.includes('relaxed');
  const scope = scopeOf(words, CTA);
  const drops = words[1] === 'arrive_drop';
  const use = { space: spaceOf(words), scope, writes: true, at };
  const isIncomplete = words.includes('noComplete');
  return visible((thread, machine) => {
    const segment = find(machine, thread, address(thread), use);
    const barrier = barrierAt(machine, segment, machine.memory.offset, at);
    const value = (thread.regs[number] as number) | 0;
    const count = expects ? 1 : value;
    if (isIncomplete && barrier.pending <= count && barrier.transactions === 0) machine.note('mbarrier-completed', at);
    thread.regs[target] = arrive(
      machine,
      barrier,
      thread,
      { count, scope, isRelease, drops, bytes: expects ? value : 0 },
      at,
    );
    machine.changed();
  });
};

const transactions: Family = (at, compiler) => {
  const address = compiler.address(at.operands[0]);
  const bytes = compiler.source(at.operands[1], 32);
  const isExpect = at.words[1] === 'expect_tx';
  const use = { space: spaceOf(at.words), scope: scopeOf(at.words, CTA), writes: true, at };
  return visible((thread, machine) => {
    const segment = find(machine, thread, address(thread), use);
    const barrier = barrierAt(machine, segment, machine.memory.offset, at);
    const count = (thread.regs[bytes] as number) | 0;
    if (isExpect) expect(machine, barrier, count, at);
    else completeTransactions(machine, barrier, count, at);
    machine.changed();
  });
};

/** How often a try fails although the phase is complete. */
const FAILS = 1 / 16;

const wait: Family = (at, compiler): Compiled => {
  const { words } = at;
  const into = operandAt(at, 0);
  const plain: Operand = into.kind === 'pair' ? into.first : into;
  const target = compiler.target(plain);
  const address = compiler.address(at.operands[1]);
  const isParity = words.includes('parity');
  const state = compiler.source(at.operands[2], isParity ? 32 : 64);
  const scope = scopeOf(words, CTA);
  const isAcquire = !words.includes('relaxed');
  const use = { space: spaceOf(words), scope, writes: false, at };
  const mayFail = words[1] === 'try_wait';
  const run: Run = (thread, machine) => {
    const start = address(thread);
    const segment = find(machine, thread, start, use);
    const { offset } = machine.memory;
    if (segment.cta !== thread.cta) return machine.fail('mbarrier-of-another-cta', at);
    const barrier = barrierAt(machine, segment, offset, at);
    const isDone = isParity
      ? (barrier.phase & 1) !== ((thread.regs[state] as number) & 1)
      : isPast(machine, barrier, Number(thread.regs[state]), at);
    const isSeen = isDone && !(mayFail && machine.random.chance(FAILS));
    thread.regs[target] = isSeen ? 1 : 0;
    if (isSeen) observe(barrier, thread, scope, isAcquire, machine, { segment, offset });
    else if (!isDone) machine.sees(thread, start, barrier.phase);
    return NEXT;
  };
  return { run, isVisible: true };
};

/** Whether the phase of a token is over: it must be this one or the one before. */
function isPast(machine: Machine, { phase }: Mbarrier, token: number, at: Instruction): boolean {
  if (token !== phase && token !== phase - 1) machine.note('mbarrier-token-of-an-older-phase', at);
  return token < phase;
}

/** `cp.async.mbarrier.arrive`: an arrival when all copies of the thread so far are complete. */
export const arriveOnCopies: Family = (at, compiler) => {
  const address = compiler.address(at.operands[0]);
  const isCounted = at.words.includes('noinc');
  return visible((thread, machine) => {
    const space = at.words.some((word) => word.startsWith('shared')) ? SHARED : GENERIC;
    const segment = locate(machine, thread, { space, address: address(thread), size: 8 }, at);
    const { offset } = machine.memory;
    if (segment.cta !== thread.cta) machine.fail('mbarrier-of-another-cta', at);
    machine.detector.access(thread, segment, offset, 8, { writes: true, scope: CTA, way: 'mbarrier' }, at);
    const barrier = barrierAt(machine, segment, offset, at);
    if (!isCounted) barrier.pending++;
    arriveWhenCopied(machine, thread, segment, offset, at);
  });
};
