import { relative, sep } from 'node:path';
import { type RecordedTest, recordTest } from '../../compare/baseline.js';
import { lineNumberOf } from '../../diagnostics/source.js';
import type { Program } from '../../program/program.js';
import { describeCondition } from '../../report/describe-proposition.js';
import { recordedState } from '../../report/describe-state.js';
import { citedHashes } from '../digests.js';
import { eachProgram } from '../each-program.js';
import type { DecidingSettings, Job, ModelSettings, SuiteTask } from '../job.js';
import { loadSource } from '../test-source.js';
import { modelOf } from './check.js';

export interface BaselineSettings extends DecidingSettings, ModelSettings {
  /** From which the paths of tests are recorded. */
  readonly folder: string;
}

/** A test as it is recorded, and where it says what. */
export interface PlacedRecord {
  readonly record: RecordedTest;
  /** The line of each condition and expectation. */
  readonly lines: Readonly<Record<string, number | string>>;
}

/** Records what a model says of the tests of a source. */
export function baselineJob(settings: BaselineSettings): Job<SuiteTask, PlacedRecord> {
  const model = modelOf(settings);
  return ({ source }, { solver, limits }) =>
    eachProgram(
      loadSource(source, settings, 'threads of all sizes'),
      (program): PlacedRecord => {
        const path = slashes(relative(settings.folder, program.source.path));
        const record = recordTest(solver, program, path, model, {
          ...limits,
          unroll: settings.unroll,
          sha256: citedHashes(source).sha256,
          stateText: recordedState,
          conditionText: describeCondition,
        });
        return { record, lines: linesOf(program) };
      },
      ({ record }) => record.incomplete !== undefined,
    );
}

function linesOf({ conditions, expectations }: Program): PlacedRecord['lines'] {
  return Object.fromEntries([
    ...conditions.map((condition) => [describeCondition(condition), lineNumberOf(condition.span)] as const),
    ...expectations.map(({ expectation, span }) => [`expect ${expectation}`, lineNumberOf(span)] as const),
  ]);
}

/** A path as it is recorded, whatever the system. */
export const slashes = (path: string): string => path.split(sep).join('/');
