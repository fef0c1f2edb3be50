import type { Job, SuiteTask } from '../job.js';
import { baselineJob } from './baseline.js';
import { checkJob } from './check.js';
import { compareJob } from './compare.js';
import { diffJob } from './diff.js';

/** What commands do with each test of a suite, by name: a process is told the name and the settings. */
export const JOBS = {
  check: checkJob,
  baseline: baselineJob,
  diff: diffJob,
  compare: compareJob,
} as const;

export type JobName = keyof typeof JOBS;
export type SettingsOf<Name extends JobName> = Parameters<(typeof JOBS)[Name]>[0];
export type TaskOf<Name extends JobName> = Parameters<ReturnType<(typeof JOBS)[Name]>>[0];
/** What an answer of the job says of one test. */
export type FoundBy<Name extends JobName> = Awaited<ReturnType<ReturnType<(typeof JOBS)[Name]>>>['value'][number];

/** A job with its settings, of a name that is known at run time only. */
export function startJob<Name extends JobName>(name: Name, settings: SettingsOf<Name>): Job<SuiteTask, unknown> {
  const make = JOBS[name] as (given: SettingsOf<Name>) => Job<SuiteTask, unknown>;
  return make(settings);
}
