import { worker } from 'workerpool';
import type { Undecided } from '../program/undecided.js';
import { Decider, type RawAnswer } from './decider.js';
import type { AskedTask } from './job.js';
import type { JobName, SettingsOf } from './jobs/jobs.js';

/** Makes this process one that decides tests for another (`Lane`). */
export function serve(): void {
  // Ctrl-C goes to all processes of a terminal; whoever asks for the tests ends this one when it has to end.
  process.on('SIGINT', () => undefined);
  let decider: Decider | undefined;
  worker({
    start: async (name: JobName, settings: readonly SettingsOf<JobName>[]): Promise<void> => {
      decider = await Decider.start(name, settings, false);
    },
    answer: (asked: AskedTask, over: Undecided | null): RawAnswer => {
      if (decider === undefined) throw new Error('asked before it was started');
      return decider.answer(asked, over ?? undefined);
    },
  });
}
