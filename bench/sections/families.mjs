import { THREADS } from '../families/threads.mjs';
import { COMMAND_LINE, timed, withFile } from '../measure.mjs';

/** Families of n threads: whole processes, to 64 threads or the limit, with whatever peers are given. */
export const title = 'Families: seconds of a whole process, axioms under 7.5, the machine under 9.4';

const SIZES = [4, 6, 8, 12, 16, 32, 64];

export function* rows({ limit, peers }) {
  const ours = (more) => (file) => ({
    command: process.execPath,
    args: [COMMAND_LINE, 'check', '--witnesses', '0', '--timeout', String(limit), ...more, file],
    decided: ({ status }) => status === 0,
  });
  const engines = [
    ['axioms', ours(['--model', 'ptx-7.5'])],
    ['machine', ours(['--engine', 'operational'])],
    ...peers.map(({ name, command }) => [
      name,
      (file) => ({ command: 'sh', args: ['-c', command(file)], decided: ({ status }) => status === 0 }),
    ]),
  ];
  for (const [family, make] of Object.entries(THREADS)) {
    for (const [engine, call] of engines) {
      for (const n of SIZES) {
        const { seconds, decided } = withFile(make(n), (file) => {
          const { command, args, decided } = call(file);
          const ended = timed(command, args, limit + 10);
          return { seconds: ended.seconds, decided: decided(ended) };
        });
        yield { name: `${family}, ${n}: ${engine}`, seconds: decided ? seconds : undefined };
        if (!decided) break;
      }
    }
  }
}
