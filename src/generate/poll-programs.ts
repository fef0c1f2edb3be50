import { pollTwoWays } from './polls.js';
import { ProgramThread } from './program-thread.js';
import type { GeneratedProgram, ProgramOptions } from './programs.js';
import { Random } from './random.js';

/** Programs whose loops wait for one of two things: both come, one of them, or none. */
export function* generatePollPrograms({ seed, mostAccesses }: ProgramOptions): Generator<GeneratedProgram, never> {
  const random = new Random(seed);
  for (let number = 1; ; number++)
    yield { name: `poll-${seed}-${number}`, themes: ['polls'], body: pollProgram(random, mostAccesses) };
}

function pollProgram(random: Random, mostAccesses: number): string {
  const count = random.chance(60) ? 2 : 3;
  const together = random.chance(30);
  const bodies = Array.from({ length: count }, (_, i) => {
    const thread = new ProgramThread(i);
    const polls = i === count - 1 || (i > 0 && random.chance(25));
    if (polls) wait(thread, random);
    else set(thread, random, 1 + random.below(Math.max(1, Math.min(3, mostAccesses - 2))));
    return { place: `cta ${together ? 0 : i}`, thread };
  });
  const observed = [...bodies.flatMap(({ thread }, i) => thread.registers.map((name) => `P${i}:${name}`)), 'f', 'g'];
  const threads = bodies.map(
    ({ place, thread }, i) => `P${i} @ ${place} {\n${thread.lines.map((line) => `  ${line}\n`).join('')}}\n`,
  );
  const declarations = ['d', 'f', 'g'].map((name) => `  .global .u32 ${name} = 0;\n`);
  return (
    `{\n${declarations.join('')}}\n${threads.join('')}` +
    `exists (${observed[0]} == 1)\nlocations [${observed.join('; ')};]\n`
  );
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
