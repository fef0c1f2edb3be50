import { type Command, type CommandGroup, commandName } from './command.js';
import { findProjectFile, type ProjectFile, readProjectFile } from './project-file.js';

let current: ProjectFile | undefined;

/** The project file of the working folder, if there is one. */
export function readProject(commands: readonly (Command | CommandGroup)[]): ProjectFile | undefined {
  const path = findProjectFile(process.cwd());
  const known = commands.flatMap((one): readonly (readonly [string, Command])[] =>
    'commands' in one
      ? one.commands.map((inner) => [`${one.usage} ${commandName(inner)}`, inner])
      : [[commandName(one), one]],
  );
  const options = new Map(known.map(([name, one]) => [name, Object.keys(one.options)]));
  current = path === undefined ? undefined : readProjectFile(path, options);
  return current;
}

/** The same for the command that was called. */
export const currentProject = (): ProjectFile | undefined => current;
