import { PIPELINES, pipeline } from '../families/pipelines.mjs';
import { THREADS } from '../families/threads.mjs';
import { COMMAND_LINE, timed, withFile } from '../measure.mjs';

/** How long `--timeout 5` takes where more would be needed. */
export const title = '--timeout 5: seconds of the whole process (at most 7)';

export function* rows() {
  const many = Array.from({ length: 1000 }, (_, i) => `P${i} @ cta ${i} { ld.global.u32 r0, [x]; }`).join('\n');
  const largest = PIPELINES.reduce((a, b) => (a.iterations > b.iterations ? a : b));
  const tests = [
    ...Object.entries(THREADS).map(([family, make]) => [`${family}, 64`, make(64)]),
    ['1,000 threads', `PTX many\n{ .global .u32 x = 0; }\n${many}\nexists (P0:r0 == 1)\n`],
    ['the largest pipeline', pipeline(largest)],
  ];
  for (const [name, text] of tests) {
    for (const engine of ['axiomatic', 'operational']) {
      const args = [COMMAND_LINE, 'check', '--engine', engine, '--unroll', '50', '--timeout', '5'];
      yield {
        name: `${name}: ${engine}`,
        seconds: withFile(text, (file) => timed(process.execPath, [...args, file])).seconds,
      };
    }
  }
}
