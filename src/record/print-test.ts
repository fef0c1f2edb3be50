import type { KernelTest, LaunchText } from './kernel-test.js';
import type { Size } from './recording.js';

const EXPECTED = ['no-race', 'no-undefined', 'no-deadlock', 'no-trap', 'no-uninitialized'];

/** The text of a kernel test, as docs/kernels.md has it. */
export function printTest({ name, sentence, declarations, launches, notes }: KernelTest): string {
  const lines = [
    `PTX ${name}`,
    `"${inQuotes(sentence)}"`,
    ...notes.map((note) => `"${inQuotes(note)}"`),
    '{',
    ...declarations.map((one) => `  ${one}`),
    '}',
    ...launches.flatMap(printLaunch),
    ...EXPECTED.map((one) => `expect ${one}`),
  ];
  return `${lines.join('\n')}\n`;
}

const inQuotes = (text: string): string => text.replace(/["\n\r]/g, "'");

function printLaunch({ name, module, entry, arguments: given, ...place }: LaunchText): readonly string[] {
  const cluster = place.cluster === undefined ? [] : [`cluster ${printSize(place.cluster)}`];
  const words = [`grid ${printSize(place.grid)}`, `block ${printSize(place.block)}`, ...cluster, ...place.more];
  return [
    `launch ${name} "${module}" :: ${entry} (${given.join(', ')})`,
    `  @ ${words.join(', ')} {`,
    '  run auto;',
    '}',
  ];
}

const printSize = ([x, y, z]: Size): string => (y === 1 && z === 1 ? `${x}` : `(${x}, ${y}, ${z})`);
