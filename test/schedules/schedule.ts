import { BLOCKED, NEXT } from './compile.js';
import { Machine, Stop } from './machine.js';
import type { Instruction } from './module.js';
import type { TestPlan } from './plan.js';
import type { Random } from './random.js';
import type { Thread } from './threads.js';
import { apartAtBarrier } from './warps.js';

/** How a run ended: all threads did, or they wait for ever, or there was no end in sight. */
export interface Ending {
  readonly kind: 'done' | 'deadlock' | 'bound' | 'trap' | 'undefined';
  readonly machine: Machine;
  /** Of a deadlock: where threads wait. */
  readonly waiting: readonly Instruction[];
}

/** Steps of a run, a thread, and of a thread without one that others could see. */
const STEPS = 20000;
const STEPS_IN_ALL = 400000;
const UNSEEN_STEPS = 20000;
/** How often a thread must have read the same to be set aside, and until all of them count as waiting for ever. */
const POLLS = 3;
const LAST_POLLS = 150;

/** Who comes next, and for how many steps. */
type Policy = (machine: Machine) => readonly [thread: Thread, steps: number];

function anyOf({ ready, random }: Machine): Thread {
  return ready[random.below(ready.length)]!;
}

/** The best of some that are drawn: not always the best of all. */
function favored(machine: Machine, rank: (thread: Thread) => number): Thread {
  let best = machine.ready[0]!;
  for (const thread of machine.ready) if (rank(thread) > rank(best)) best = thread;
  return machine.random.chance(0.02) ? anyOf(machine) : best;
}

function policyOf(random: Random, threads: readonly Thread[]): Policy {
  const victim = threads[random.below(threads.length)]!;
  const isVictim = [
    (thread: Thread) => thread === victim,
    (thread: Thread) => thread.warp === victim.warp,
    (thread: Thread) => thread.cta === victim.cta,
    (thread: Thread) => thread.launch === victim.launch,
  ][random.below(4)]!;
  switch (random.below(8)) {
    case 0:
      return (machine) => [favored(machine, ({ component }) => component), 1 + machine.random.below(20)];
    case 1:
      return (machine) => [favored(machine, ({ component }) => -component), 1 + machine.random.below(20)];
    case 2:
      return (machine) => [anyOf(machine), 1 + machine.random.below(100)];
    case 3:
    case 4:
      // Some are starved: they come when they are drawn thrice in a row.
      return (machine) => {
        let thread = anyOf(machine);
        for (let i = 0; i < 8 && isVictim(thread); i++) thread = anyOf(machine);
        return [thread, 1 + machine.random.below(4)];
      };
    case 5:
      return (machine) => {
        let thread = anyOf(machine);
        for (let i = 0; i < 8 && !isVictim(thread); i++) thread = anyOf(machine);
        return [thread, 1 + machine.random.below(4)];
      };
    case 6:
      return (machine) => [anyOf(machine), 1 + machine.random.below(5)];
    default:
      return (machine) => [anyOf(machine), 1];
  }
}

/** How likely it is that bytes of copies move before a thread makes steps. */
const RATES = [0, 0.01, 0.05, 0.3, 0.9];

/** Runs the thread to its next step that others can see; tells how many instructions that were. */
function step(machine: Machine, thread: Thread): number {
  const { code } = thread.launch.plan;
  const { regs } = thread;
  let count = 0;
  while (count++ < UNSEEN_STEPS) {
    const instruction = code[thread.pc];
    if (instruction === undefined) {
      machine.exit(thread);
      return count;
    }
    if (instruction.guard >= 0 && regs[instruction.guard] !== instruction.sense) {
      thread.pc++;
      continue;
    }
    const outcome = instruction.run(thread, machine);
    if (outcome === NEXT) thread.pc++;
    if (outcome === BLOCKED || instruction.isVisible) return count;
  }
  return STEPS_IN_ALL;
}

export function runOnce(plan: TestPlan, seed: number): Ending {
  const machine = new Machine(plan, seed);
  const { random, threads, ready, parked, copies } = machine;
  const policy = policyOf(random, threads);
  const rate = RATES[random.below(RATES.length)]!;
  const most = STEPS_IN_ALL + STEPS * threads.length;
  let steps = 0;
  const end = (kind: Ending['kind'], waiting: readonly Instruction[] = []): Ending => ({ kind, machine, waiting });
  try {
    while (machine.alive > 0 || copies.length > 0) {
      if (copies.length > 0 && (ready.length === 0 || random.chance(rate))) {
        machine.moveSome();
        continue;
      }
      if (ready.length === 0) {
        if (parked.length === 0 || parked.every(({ polls }) => polls > LAST_POLLS))
          return end('deadlock', stuck(machine));
        machine.wakeParked();
      }
      const [thread, burst] = policy(machine);
      for (let i = 0; i < burst && thread.state === 'ready'; i++) {
        steps += step(machine, thread);
        if (thread.polls >= POLLS && thread.state === 'ready' && thread.change === machine.change) machine.park(thread);
      }
      if (steps > most) return end('bound');
    }
    return end('done');
  } catch (error) {
    if (error instanceof Stop) return end(error.kind);
    throw error;
  }
}

/** Where the threads are that wait for ever. Lanes apart at a barrier for all of the warp are undefined, too. */
function stuck(machine: Machine): readonly Instruction[] {
  const places = new Set<Instruction>();
  for (const thread of machine.threads) {
    if (thread.state === 'done') continue;
    const at = thread.launch.plan.instructions[thread.pc];
    if (at !== undefined) places.add(at);
    const apart = apartAtBarrier(thread.warp);
    if (apart !== undefined) machine.note('aligned-barrier-by-part-of-a-warp', apart);
  }
  return [...places];
}
