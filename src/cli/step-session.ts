import { createInterface } from 'node:readline/promises';
import type { Run } from '../operational/explore.js';
import { Machine } from '../operational/machine.js';
import type { MachineContext } from '../operational/machine-context.js';
import { traceStep } from '../operational/trace.js';
import { describeStep, describeWaiting } from '../report/describe-run.js';
import { EXIT_CODES, type ExitCode } from './exit-codes.js';

const HELP = 'a number takes a step, u takes the last one back, q quits';

/** Lets a user run the machine by hand: the steps that can be taken are numbered; one can be taken back. */
export async function stepThrough(context: MachineContext): Promise<ExitCode> {
  const machine = new Machine(context);
  const lines = createInterface({ input: process.stdin, terminal: false });
  const write = (text: string): void => void process.stdout.write(`${text}\n`);
  let run: Run = { state: machine.initial(), event: undefined, before: undefined, disorder: 0, length: 0 };
  const choicesFrom = (at: Run): readonly { readonly run: Run; readonly text: string }[] =>
    machine.enabled(at.state).flatMap((event) =>
      machine.execute(at.state, event).map((state) => ({
        run: { state, event: event.id, before: at, disorder: at.disorder, length: at.length + 1 },
        text: describeStep(context, state, traceStep(context, at.state, event.id, state)),
      })),
    );
  const show = (): readonly { readonly run: Run; readonly text: string }[] => {
    const choices = choicesFrom(run);
    choices.forEach(({ text }, i) => write(`  ${i + 1}  ${text}`));
    if (choices.length === 0) write(['nothing more happens', ...describeWaiting(context, run)].join('\n'));
    return choices;
  };
  write(HELP);
  let choices = show();
  for await (const line of lines) {
    const answer = line.trim();
    if (answer === 'q') break;
    const taken = choices[Number(answer) - 1];
    if (answer === 'u' && run.before !== undefined) run = run.before;
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
