import type { DrawnProgram } from './generate-programs.js';
import { pollTwoWays } from './polls.js';
import { indented, printBody, printThread } from './print-body.js';
import { declareWords } from './program-memory.js';
import { observedIn, ProgramThread } from './program-thread.js';
import type { Random } from './random.js';

/** A program whose loops wait for one of two things: both come, one of them, or none. */
export function drawPollProgram(random: Random, mostAccesses: number): DrawnProgram {
  const count = random.chance(60) ? 2 : 3;
  const together = random.chance(30);
  const bodies = Array.from({ length: count }, (_, i) => {
    const thread = new ProgramThread(i);
    const polls = i === count - 1 || (i > 0 && random.chance(25));
    if (polls) wait(thread, random);
    else set(thread, random, 1 + random.below(Math.max(1, Math.min(3, mostAccesses - 2))));
    return { place: `cta ${together ? 0 : i}`, thread };
  });
  const observed = [...observedIn(bodies.map(({ thread }) => thread)), 'f', 'g'];
  const lines = bodies.flatMap(({ place, thread }, i) => printThread(i, place, indented(thread.lines)));
  return { themes: ['polls'], body: printBody({ declarations: declareWords(['d', 'f', 'g']), lines, observed }) };
}

const scope = (random: Random): string => random.pick(['gpu', 'gpu', 'gpu', 'sys', 'cta']);

function wait(thread: ProgramThread, random: Random): void {
  const flags = random.chance(50) ? (['f', 'g'] as const) : (['g', 'f'] as const);
  pollTwoWays(thread, random, { flags, scope: scope(random) });
  if (random.chance(60)) thread.line(`ld.weak.global.u32 ${thread.register('u32')}, [d];`);
  else if (random.chance(40)) thread.line(`st.${random.pick(['relaxed', 'release'])}.gpu.global.u32 [g], 1;`);
}

function set(thread: ProgramThread, random: Random, flags: number): void {
  if (random.chance(50)) thread.line('st.weak.global.u32 [d], 1;');
  for (let i = 0; i < flags; i++) {
    const order = random.pick(['release', 'release', 'relaxed']);
    const address = random.pick(['f', 'f', 'g']);
    if (random.chance(80)) thread.line(`st.${order}.${scope(random)}.global.u32 [${address}], ${1 + random.below(2)};`);
    else thread.line(`atom.${order}.${scope(random)}.global.exch.b32 ${thread.register('u32')}, [${address}], 1;`);
  }
}
