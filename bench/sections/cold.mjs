import { join } from 'node:path';
import { COMMAND_LINE, median, ROOT, timed } from '../measure.mjs';

/** Whole processes from cold. */
export const title = 'From cold: seconds of wall time, median of 9';

export function* rows({ peers }) {
  const test = join(ROOT, 'litmus/classic/MP+rel.gpu+acq.gpu.litmus');
  const commands = [
    ['check one test', process.execPath, [COMMAND_LINE, 'check', test]],
    ['check --engine operational', process.execPath, [COMMAND_LINE, 'check', '--engine', 'operational', test]],
    ['check --solver z3', process.execPath, [COMMAND_LINE, 'check', '--solver', 'z3', test]],
    ['explain --help', process.execPath, [COMMAND_LINE, 'explain', '--help']],
    ...peers.map(({ name, command }) => [name, 'sh', ['-c', command(test)]]),
  ];
  for (const [name, command, args] of commands) {
    timed(command, args);
    yield { name, seconds: median(Array.from({ length: 9 }, () => timed(command, args).seconds)) };
  }
}
