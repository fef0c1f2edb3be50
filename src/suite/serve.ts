import { setFlagsFromString } from 'node:v8';
import { worker } from 'workerpool';
import type { Undecided } from '../program/undecided.js';
import { Decider, type RawAnswer } from './decider.js';
import type { AskedTask } from './job.js';
import type { JobName, SettingsOf } from './jobs/jobs.js';

/** Makes this process one that decides tests for another (`Lane`). */
export function serve(): void {
  // Ctrl-C goes to all processes of a terminal; whoever asks for the tests ends this one when it has to end.
  process.on('SIGINT', () => undefined);
  // With the default code is optimized before enough is known of it, and again and again: a fourth of a suite's time.
  setFlagsFromString('--interrupt-budget=1000000');
  let decider: Decider | undefined;
  worker({
    /** Gives the number of the process. */
    start: async (name: JobName, settings: readonly SettingsOf<JobName>[]): Promise<number> => {
      decider = await Decider.start(name, settings);
      return process.pid;
    },
    answer: async (asked: AskedTask, over: Undecided | null): Promise<RawAnswer> => {
      if (decider === undefined) throw new Error('asked before it was started');
      return decider.answer(asked, over ?? undefined);
    },
  });
}
