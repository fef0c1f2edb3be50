import { adviseCommand } from './advise-command.js';
import { baselineCommand } from './baseline-command.js';
import { checkCommand } from './check-command.js';
import { type Command, type CommandGroup, commandName } from './command.js';
import { compareCommand } from './compare-command.js';
import { convertCommand } from './convert-command.js';
import { diffCommand } from './diff-command.js';
import { explainCommand } from './explain-command.js';
import { exportCommand } from './export-command.js';
import { genCommand } from './gen-command.js';
import { graphCommand } from './graph-command.js';
import { initCommand } from './init-command.js';
import { lspCommand } from './lsp-command.js';
import { mergeCommand } from './merge-command.js';
import { modelCommand } from './model-command.js';
import { recordCommand } from './record-command.js';
import { runCommand } from './run-command.js';
import { simulateCommand } from './simulate-command.js';

/** All commands, in the order of the help. */
export const COMMANDS: readonly (Command | CommandGroup)[] = [
  checkCommand,
  initCommand,
  modelCommand,
  convertCommand,
  explainCommand,
  graphCommand,
  adviseCommand,
  diffCommand,
  baselineCommand,
  compareCommand,
  mergeCommand,
  exportCommand,
  runCommand,
  recordCommand,
  simulateCommand,
  genCommand,
  lspCommand,
];

/** Their names, for suggestions. */
export function commandNames(): readonly string[] {
  return COMMANDS.map(commandName);
}

const withOptions = (): readonly Command[] => COMMANDS.flatMap((one) => ('commands' in one ? one.commands : [one]));

/** The names of the options that are more than said or not. */
export const optionsWithValues = (): ReadonlySet<string> =>
  new Set(
    withOptions().flatMap(({ options }) =>
      Object.entries(options).flatMap(([name, of]) => ('type' in of && of.type === 'boolean' ? [] : [name])),
    ),
  );

/** The names of all options, for suggestions: yargs has none for options. */
export function optionNames(): readonly string[] {
  return [
    ...new Set([
      'help',
      'version',
      'no-progress',
      'no-times',
      ...withOptions().flatMap(({ options }) => Object.keys(options)),
    ]),
  ];
}
