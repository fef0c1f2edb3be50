import type { Random } from '../../src/generate/random.js';
import type { Instruction, LoopingProgram, LoopingThread, ReferencePromise } from '../reference/forward-progress.js';

/** Draws programs of two or three threads that loop over one shared word, and writes them as tests. */
export function drawLoopingProgram(random: Random): LoopingProgram {
  const draw = random.chance(75) ? drawWaiting : drawAnything;
  const threads = Array.from({ length: 2 + random.below(2) }, () => ({
    cta: random.below(2),
    instructions: draw(random, 1 + random.below(4), 6),
  }));
  return { initial: random.below(2), threads };
}

/** The instructions of one thread, so many. */
export const drawInstructions = (random: Random, length: number): readonly Instruction[] =>
  random.chance(75) ? drawWaiting(random, length, length) : drawAnything(random, length);

const VALUES = 2;

/** Any instructions: most of these programs hang under every model, or under none. */
function drawAnything(random: Random, length: number): readonly Instruction[] {
  return Array.from({ length }, () => {
    const [register, value, target] = [random.below(2), random.below(VALUES), random.below(length + 1)];
    const when = random.below(2) === 0 ? 'equal' : 'unequal';
    const all: readonly Instruction[] = [
      { kind: 'store', value },
      { kind: 'load', register },
      { kind: 'exchange', register, value },
      { kind: 'branch', register, when, value, target },
      { kind: 'branch', register, when, value, target },
      { kind: 'jump', target },
    ];
    return all[random.below(all.length)] ?? { kind: 'store', value };
  });
}

/** Stores, and loops that wait for a value or go on until an exchange finds one: what tells models apart. */
function drawWaiting(random: Random, pieces: number, most: number): readonly Instruction[] {
  const instructions: Instruction[] = [];
  for (let i = 0; i < pieces && instructions.length < most - 1; i++) {
    const [register, value, target] = [random.below(2), random.below(VALUES), instructions.length];
    const back = random.below(4) === 0 ? random.below(target + 1) : target;
    const when = random.chance(30) ? 'equal' : 'unequal';
    const round: Instruction = { kind: 'branch', register, when, value: random.below(VALUES), target: back };
    instructions.push(
      ...random.weighted<readonly Instruction[]>([
        [3, [{ kind: 'store', value }]],
        [4, [{ kind: 'load', register }, round]],
        [2, [{ kind: 'exchange', register, value }, round]],
        [1, [{ kind: 'exchange', register, value }]],
      ]),
    );
  }
  return instructions;
}

/** The program as a test; each thread is a warp of its own in its CTA. */
export function writeLoopingProgram({ initial, threads }: LoopingProgram, promise: string): string {
  const bodies = threads.map(
    ({ cta, instructions }, index) =>
      `P${index} @ cta ${cta}, warp ${index} {\n${statementsOf(instructions).join('\n')}\n}`,
  );
  const declared = `{ .global .u32 x = ${initial}; forward-progress ${promise}; }`;
  return `PTX looping\n${declared}\n${bodies.join('\n')}\nexpect no-deadlock\n`;
}

function statementsOf(instructions: LoopingThread['instructions']): readonly string[] {
  const lines = instructions.map((one, index) => `L${index}: ${textOf(one)}`);
  return [...lines, `L${instructions.length}:`];
}

function textOf(instruction: Instruction): string {
  switch (instruction.kind) {
    case 'store':
      return `st.relaxed.gpu.global.u32 [x], ${instruction.value};`;
    case 'load':
      return `ld.relaxed.gpu.global.u32 r${instruction.register}, [x];`;
    case 'exchange':
      return `atom.relaxed.gpu.global.exch.b32 r${instruction.register}, [x], ${instruction.value};`;
    case 'jump':
      return `bra L${instruction.target};`;
    case 'branch': {
      const { register, when, value, target } = instruction;
      return `setp.${when === 'equal' ? 'eq' : 'ne'}.u32 p, r${register}, ${value}; @p bra L${target};`;
    }
  }
}

/** Programs that tell a mistake which was made, or may be. */
export const FOUND: readonly (readonly [
  what: string,
  program: LoopingProgram,
  text: string,
  promise: ReferencePromise,
])[] = [
  [
    'a CTA whose only thread never begins, though it does nothing that others notice',
    {
      initial: 0,
      threads: [
        { cta: 1, instructions: [{ kind: 'store', value: 1 }] },
        {
          cta: 1,
          instructions: [
            { kind: 'load', register: 0 },
            { kind: 'branch', register: 0, when: 'equal', value: 0, target: 0 },
          ],
        },
        { cta: 0, instructions: [{ kind: 'jump', target: 1 }] },
      ],
    },
    'gpu=hsa,cta=lobe',
    { gpu: 'hsa', cta: 'lobe' },
  ],
  [
    'a thread that stops before its last instruction, which is a branch',
    {
      initial: 0,
      threads: [
        { cta: 1, instructions: [{ kind: 'store', value: 1 }] },
        {
          cta: 1,
          instructions: [
            { kind: 'load', register: 0 },
            { kind: 'branch', register: 0, when: 'equal', value: 0, target: 0 },
          ],
        },
        {
          cta: 0,
          instructions: [
            { kind: 'load', register: 0 },
            { kind: 'jump', target: 2 },
          ],
        },
      ],
    },
    'gpu=hsa,cta=unfair',
    { gpu: 'hsa', cta: 'unfair' },
  ],
  [
    'a thread that stops in the middle, where another one waits for it',
    {
      initial: 0,
      threads: [
        {
          cta: 0,
          instructions: [
            { kind: 'exchange', register: 0, value: 1 },
            { kind: 'branch', register: 0, when: 'unequal', value: 0, target: 0 },
          ],
        },
        {
          cta: 1,
          instructions: [
            { kind: 'exchange', register: 0, value: 1 },
            { kind: 'store', value: 0 },
            { kind: 'load', register: 0 },
          ],
        },
      ],
    },
    'hsa',
    'hsa',
  ],
];
