import { enabledIn, execute, initialStates } from '../operational/machine.js';
import type { MachineContext } from '../operational/machine-context.js';
import { traceStep } from '../operational/trace.js';
import { beginning, type Run } from '../operational/walk-states.js';
import { describeChoices } from './describe-choices.js';
import { describeStep, describeWaiting } from './describe-run.js';

/** A step that can be taken by hand, and the run that it makes. */
export interface Choice {
  readonly run: Run;
  readonly text: string;
}

/**
 * The steps from a run, or before the first one: where threads choose before all operations, the first step is to say
 * what.
 */
export function choicesFrom(context: MachineContext, run: Run | undefined): readonly Choice[] {
  if (run === undefined)
    return initialStates(context).map((state) => ({
      run: beginning(state),
      text: describeChoices(undefined, state).join('; '),
    }));
  return enabledIn(run.state).flatMap((event) =>
    execute(run.state, event).map((state) => ({
      run: { state, event: event.id, before: run, disorder: run.disorder, length: run.length + 1 },
      text: [describeStep(run.state, traceStep(run.state, event.id, state)), ...describeChoices(run.state, state)].join(
        '; ',
      ),
    })),
  );
}

/** Where there is nothing to choose at first, the run is there already. */
export function firstRun(context: MachineContext): Run | undefined {
  const [only, ...others] = initialStates(context);
  return only !== undefined && others.length === 0 ? beginning(only) : undefined;
}

/** What is to be said where no step can be taken. */
export const endOf = (run: Run): readonly string[] => ['nothing more happens', ...describeWaiting(run)];
