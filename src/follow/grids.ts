import type { Span } from '../diagnostics/source.js';
import type { GridWait } from '../program/operation.js';
import { launchesOf } from './launch-order.js';
import type { Recorder } from './recorder.js';
import type { LaunchCode } from './setting.js';
import type { Step } from './trace.js';
import type { Turn } from './turn.js';

/** What orders grids in the followed run. */
export type GridStep =
  /** A grid begins, after all of others; `launchedBy`: once each CTA of these has let it, or has ended. */
  | {
      readonly kind: 'grid-start';
      readonly row: number;
      readonly launch: number;
      readonly after: readonly number[];
      readonly launchedBy: readonly number[];
    }
  /** Threads let dependent grids begin, as far as their CTA goes (griddepcontrol.launch_dependents). */
  | { readonly kind: 'grid-trigger'; readonly row: number; readonly steps: readonly Step[] }
  /** Threads of a dependent grid have waited for all of others (griddepcontrol.wait). */
  | {
      readonly kind: 'grid-wait';
      readonly row: number;
      readonly waiters: readonly Step[];
      readonly after: readonly number[];
      readonly span: Span;
    };

/** Lanes let dependent grids begin: what they have released before by a fence is handed on to these (9.7.15.14). */
export function letGridsBegin(recorder: Recorder, turn: Turn): void {
  const { synchronizations, accesses, releasing } = recorder;
  const steps = recorder.stepsOfAll(turn);
  recorder.advance(turn);
  if (steps.some(({ thread }) => releasing.has(thread))) recorder.handsByAccesses = true;
  synchronizations.push({ kind: 'grid-trigger', row: accesses.count, steps });
}

/** Lanes of a dependent grid wait for those that it depends on; these were followed before it. */
export function waitForGrids(
  recorder: Recorder,
  turn: Turn,
  { complete, launchedBy }: GridWait,
  launches: readonly LaunchCode[],
): void {
  if (launchedBy.length > 0) throw turn.notFollowed('the start of a dependent grid');
  recorder.advance(turn);
  const { synchronizations, accesses } = recorder;
  const waiters = recorder.stepsOfAll(turn);
  const after = launchesOf(launches, complete);
  synchronizations.push({ kind: 'grid-wait', row: accesses.count, waiters, after, span: turn.statement.span });
}
