import { type Found, runSchedules } from './run.js';

/** Small kernels for the tests of this folder. */
export interface Kernel {
  /** Declarations of memory, `;` after each. */
  readonly memory?: string;
  /** Declarations of the body, before its instructions. */
  readonly variables?: string;
  /** `.param .u64 NAME` of each location that is passed. */
  readonly passed?: readonly string[];
  readonly body: string;
  readonly place: string;
  readonly schedules?: number;
}

const HEAD = '.version 9.0\n.target sm_90a\n.address_size 64\n';
const REGISTERS =
  '.reg .pred %p<9>;\n.reg .b16 %h<9>;\n.reg .b32 %r<40>;\n.reg .b64 %rd<20>;\n.reg .f32 %f<9>;\n.reg .f64 %fd<5>;\n';

/** At the start the addresses that are passed are in `%rd10`, `%rd11`, ..., and the number of the thread in `%r0`. */
export function moduleOf({ variables = '', passed = [], body }: Kernel): string {
  const loads = passed.map((name, i) => `ld.param.u64 %rd${10 + i}, [${name}];\n`).join('');
  const parameters = passed.map((name) => `.param .u64 ${name}`).join(', ');
  const head = `${HEAD}.visible .entry k(${parameters})\n{\n${REGISTERS}${variables}\n`;
  return `${head}mov.u32 %r0, %tid.x;\n${loads}${body}\nret;\n}\n`;
}

export function run(kernel: Kernel): Found {
  const { memory = '', passed = [], place, schedules = 200 } = kernel;
  const list = passed.map((name) => `&${name}`).join(', ');
  const text = `PTX sample\n{ ${memory} }\nlaunch K "k.ptx" :: k (${list}) @ ${place}\n`;
  return runSchedules({ text, modules: { 'k.ptx': moduleOf(kernel) } }, { schedules, seed: 7 });
}

/** The races, each as the two lines in which they stand, sorted. */
export function racesOf(kernel: Kernel): readonly string[] {
  const lines = moduleOf(kernel).split('\n');
  return [...run(kernel).races.keys()]
    .map((key) =>
      key
        .split(' ')
        .map((line) =>
          (lines[Number(line) - 1] ?? '')
            .replace(/;.*/, '')
            .replace(/^\s*\w+:\s/, '')
            .trim(),
        )
        .join(' | '),
    )
    .sort();
}
