import type { Argv, InferredOptionTypes, Options, PositionalOptions } from 'yargs';
import { UsageError } from '../diagnostics/usage-error.js';
import type { ExitCode } from './exit-codes.js';

export type OptionTable = Readonly<Record<string, Options>>;
type PositionalTable = Readonly<Record<string, PositionalOptions>>;

type CamelCase<Name> = Name extends `${infer Head}-${infer Tail}` ? `${Head}${Capitalize<CamelCase<Tail>>}` : Name;

/** What a table of options, or of arguments without a name, leaves for a command to read. */
export type ArgumentsOf<Table extends OptionTable> = {
  readonly [Name in keyof Table as CamelCase<Name>]: InferredOptionTypes<Table>[Name];
};

/** A command: how it is called, what it takes, as data, and what it does. */
export interface Command {
  /** The name and the arguments, as yargs writes them; several are ways to call the same. */
  readonly usage: string | readonly string[];
  readonly describe: string;
  readonly positionals: PositionalTable;
  readonly options: OptionTable;
  /** What its help ends with. */
  readonly epilogue?: string;
  run(args: unknown): ExitCode | Promise<ExitCode>;
}

/** Several commands under one name. */
export interface CommandGroup {
  readonly usage: string;
  readonly describe: string;
  readonly commands: readonly Command[];
  /** What is said if none of them is named. */
  readonly missing: string;
}

/** A command whose arguments have the types that its tables give them. */
export function defineCommand<const P extends PositionalTable, const O extends OptionTable>(
  command: Omit<Command, 'run' | 'positionals' | 'options'> & {
    readonly positionals: P;
    readonly options: O;
    run(args: ArgumentsOf<P> & ArgumentsOf<O>): ExitCode | Promise<ExitCode>;
  },
): Command {
  return { ...command, run: (args) => command.run(args as ArgumentsOf<P> & ArgumentsOf<O>) };
}

/** The word by which it is called. */
export const commandName = ({ usage }: Pick<Command, 'usage'>): string => [usage].flat()[0]?.split(' ')[0] ?? '';

/** Makes a command known to yargs, its options as `optionsOf` has them; `finish` is given the exit code. */
export function addCommand(
  parser: Argv,
  command: Command | CommandGroup,
  optionsOf: (name: string, options: OptionTable) => OptionTable,
  finish: (code: ExitCode) => void,
  group = '',
): Argv {
  if ('commands' in command)
    return parser.command(command.usage, command.describe, (parent) =>
      command.commands
        .reduce((all, one) => addCommand(all, one, optionsOf, finish, `${command.usage} `), parent as Argv)
        .demandCommand(1, command.missing),
    );
  const { usage, describe, positionals, epilogue } = command;
  const options = optionsOf(`${group}${commandName(command)}`, command.options);
  const build = (one: Argv): Argv => {
    for (const [argument, settings] of Object.entries(positionals)) one.positional(argument, settings);
    for (const [option, settings] of Object.entries(options)) one.option(option, settings);
    if (epilogue !== undefined) one.epilogue(epilogue);
    return one.check((given) => refuseRepeated(options, given));
  };
  return parser.command([usage].flat(), describe, build, async (args) => finish(await command.run(args)));
}

/** Options are given once each, but for those that may be repeated: yargs would make a list of them. */
function refuseRepeated(options: OptionTable, given: Readonly<Record<string, unknown>>): true {
  for (const [name, { array }] of Object.entries(options)) {
    const value = given[name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())];
    if (array !== true && Array.isArray(value)) throw new UsageError(`--${name} is given more than once`);
  }
  return true;
}
