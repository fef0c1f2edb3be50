import { createInterface } from 'node:readline/promises';
import type { MachineContext } from '../operational/machine-context.js';
import { type Choice, choicesFrom, endOf, firstRun } from '../report/machine-steps.js';
import { EXIT_CODES, type ExitCode } from './exit-codes.js';

const HELP = 'a number takes a step, u takes the last one back, q quits';

/** Lets a user run the machine by hand: the steps that can be taken are numbered; one can be taken back. */
export async function stepThrough(context: MachineContext): Promise<ExitCode> {
  const lines = createInterface({ input: process.stdin, terminal: false });
  const write = (text: string): void => void process.stdout.write(`${text}\n`);
  const begun = firstRun(context);
  let run = begun;
  const show = (): readonly Choice[] => {
    const choices = choicesFrom(context, run);
    choices.forEach(({ text }, i) => write(`  ${i + 1}  ${text}`));
    if (choices.length === 0 && run !== undefined) write(endOf(run).join('\n'));
    return choices;
  };
  write(HELP);
  let choices = show();
  for await (const line of lines) {
    const answer = line.trim();
    if (answer === 'q') break;
    const taken = choices[Number(answer) - 1];
    if (answer === 'u' && run !== undefined && run !== begun) run = run.before;
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
