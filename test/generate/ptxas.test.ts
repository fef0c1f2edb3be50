import { expect, it } from 'vitest';
import { assemble } from '../ptxas.js';
import { describeWith, PTXAS } from '../resources.js';
import { drawTests } from './draw-tests.js';

const TESTS = 500;
/** PTX ISA 9.4 has it, the assembler of 9.0 does not. */
const NEWER = /proxy\.alias\.(acquire|release)/;
const REGISTERS = '.reg .pred %p<9>; .reg .b32 r<9>, %s<9>; .reg .b64 %rd<9>;';

/** Each thread of a test as a kernel; its threads share the declarations. */
function kernels(text: string, prefix: string): readonly string[] {
  const [, memory = '', bodies = ''] = /^\{\n(.*?)^\}\n(.*?)^exists/ms.exec(text) ?? [];
  const shared: string[] = [];
  const global: string[] = [];
  for (const line of memory.trim().split('\n')) {
    const declaration = line
      .replace(/ = (mbarrier\(\d+\)|\{[^}]*\}|\d+)/, '')
      .replace(/ @ cta \d+/, '')
      .replace(/ aliases \w+/, '');
    (declaration.includes('.shared') ? shared : global).push(
      declaration.replace(/(\.global.* )(\w+)(\[4\])?;/, `$1${prefix}$2$3;`),
    );
  }
  const names = [...memory.matchAll(/\.global.* (\w+)(?:\[4\])?(?: =| aliases)/g)].map((match) => match[1] ?? '');
  const renamed =
    names.length === 0
      ? bodies
      : bodies.replace(new RegExp(`(?<=\\[|, )(${names.join('|')})(?=\\]|;)`, 'g'), `${prefix}$1`);
  const threads = [...renamed.matchAll(/^P(\d) @[^\n]*\{\n(.*?)^\}/gms)].filter(([thread]) => !NEWER.test(thread));
  return [
    ...global,
    ...threads.map(
      ([, thread, body]) =>
        `.visible .entry ${prefix}P${thread}() {\n${REGISTERS}\n${shared.join('\n')}\n${body}ret;\n}`,
    ),
  ];
}

describeWith(PTXAS, 'ptxas', () => {
  it(`assembles the threads of ${TESTS} generated tests`, () => {
    const lines = ['.version 9.0', '.target sm_100a', '.address_size 64'];
    drawTests(TESTS, 3).forEach(({ text }, i) => lines.push(...kernels(text, `t${i}_`)));
    expect(lines.filter((line) => line.startsWith('.visible')).length).toBeGreaterThan(2 * TESTS);
    const module = lines.join('\n');
    const assembled = assemble(module, '-arch=sm_100a');
    const text = module.split('\n');
    const refused = [...(assembled === 'sound' ? [] : assembled.wrong)].map(
      ([line, message]) => `${text[line - 1]}: ${message}`,
    );
    expect(refused).toEqual([]);
    expect(assembled).toBe('sound');
  });
});
