import type { Options } from 'yargs';
import { UsageError } from '../diagnostics/usage-error.js';
import type { OptionTable } from './command.js';
import type { ProjectFile, ProjectOption } from './project-file.js';

/** What a project says of the options of a command: the defaults in place of ours. */
export function withDefaults(command: string, options: OptionTable, project: ProjectFile | undefined): OptionTable {
  if (project === undefined) return options;
  const given = new Map([
    ...modelsAndFolders(options, project),
    ...project.options,
    ...(project.ofCommands.get(command) ?? []),
  ]);
  return Object.fromEntries(
    Object.entries(options).map(([name, settings]) => {
      const one = given.get(name);
      if (one === undefined) return [name, settings];
      return [name, { ...settings, demandOption: false, default: checked(name, settings, one) }];
    }),
  );
}

/** A model is a default only where there is one: others take it from what they read, or need two. */
function modelsAndFolders(
  { model, include }: OptionTable,
  { models, include: folders, path }: ProjectFile,
): readonly (readonly [string, ProjectOption])[] {
  const ofModels = model?.default === undefined || models.length === 0 ? [] : [models];
  return [
    ...ofModels.map((value) => ['model', { value: model?.array ? value : value[0], at: path }] as const),
    ...(include === undefined || folders.length === 0 ? [] : [['include', { value: folders, at: path }] as const]),
  ];
}

/** Throws `UsageError`, with the line of the project file, for a value that the option does not take. */
function checked(name: string, settings: Options, { value, at }: ProjectOption): unknown {
  const fail = (expected: string): never => {
    throw new UsageError(`${at}: "${name}" is ${JSON.stringify(value)}; expected ${expected}`);
  };
  if (settings.type === 'boolean') return typeof value === 'boolean' ? value : fail('true or false');
  if (settings.type === 'number') return typeof value === 'number' ? value : fail('a number');
  const values = settings.array === true && Array.isArray(value) ? value : [value];
  const { choices } = settings;
  if (choices !== undefined)
    for (const one of values)
      if (!choices.includes(one as string)) fail(`one of ${choices.map((word) => `"${word}"`).join(', ')}`);
  if (settings.coerce !== undefined)
    try {
      settings.coerce(value);
    } catch (thrown) {
      if (thrown instanceof UsageError) throw new UsageError(`${at}: ${thrown.message}`);
      throw thrown;
    }
  else if (values.some((one) => typeof one !== 'string')) fail(settings.array ? 'a list of texts' : 'a text');
  return settings.array === true ? values : value;
}
