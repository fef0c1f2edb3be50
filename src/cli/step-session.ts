import { createInterface } from 'node:readline/promises';
import { enabledIn, execute, initialStates } from '../operational/machine.js';
import type { MachineContext } from '../operational/machine-context.js';
import { traceStep } from '../operational/trace.js';
import { beginning, type Run } from '../operational/walk-states.js';
import { describeChoices } from '../report/describe-choices.js';
import { describeStep, describeWaiting } from '../report/describe-run.js';
import { EXIT_CODES, type ExitCode } from './exit-codes.js';

const HELP = 'a number takes a step, u takes the last one back, q quits';

/** Lets a user run the machine by hand: the steps that can be taken are numbered; one can be taken back. */
export async function stepThrough(context: MachineContext): Promise<ExitCode> {
  const lines = createInterface({ input: process.stdin, terminal: false });
  const write = (text: string): void => void process.stdout.write(`${text}\n`);
  const begun = initialStates(context);
  // Where threads choose before all operations, the first step is to say what.
  let run: Run | undefined = begun.length === 1 && begun[0] !== undefined ? beginning(begun[0]) : undefined;
  const choicesFrom = (at: Run | undefined): readonly { readonly run: Run; readonly text: string }[] =>
    at === undefined
      ? begun.map((state) => ({
          run: beginning(state),
          text: describeChoices(undefined, state).join('; '),
        }))
      : enabledIn(at.state).flatMap((event) =>
          execute(at.state, event).map((state) => ({
            run: { state, event: event.id, before: at, disorder: at.disorder, length: at.length + 1 },
            text: [describeStep(state, traceStep(at.state, event.id, state)), ...describeChoices(at.state, state)].join(
              '; ',
            ),
          })),
        );
  const show = (): readonly { readonly run: Run; readonly text: string }[] => {
    const choices = choicesFrom(run);
    choices.forEach(({ text }, i) => write(`  ${i + 1}  ${text}`));
    if (choices.length === 0 && run !== undefined) write(['nothing more happens', ...describeWaiting(run)].join('\n'));
    return choices;
  };
  write(HELP);
  let choices = show();
  for await (const line of lines) {
    const answer = line.trim();
    if (answer === 'q') break;
    const taken = choices[Number(answer) - 1];
    if (answer === 'u' && run !== undefined && (run.before !== undefined || begun.length > 1)) run = run.before;
    else if (answer === 'u') write('this is the beginning');
    else if (taken !== undefined) {
      run = taken.run;
      write(`> ${taken.text}`);
    } else {
      write(`${answer === '' ? 'nothing' : `"${answer}"`} is no step here: ${HELP}`);
      continue;
    }
    choices = show();
  }
  lines.close();
  return EXIT_CODES.good;
}
