import { relative, resolve } from 'node:path';
import type { Model } from '../cat/model.js';
import type { ModuleText } from '../diagnostics/source.js';
import type { TestSource } from '../suite/test-source.js';
import { compileModule, programBeside } from './compile-module.js';
import type { ExitCode } from './exit-codes.js';
import { filesOfModel, watchFiles } from './watch.js';

/** What is checked again and again. */
export interface Watched {
  /** Of tests and models, as the command line has them. */
  readonly paths: readonly string[];
  readonly models: readonly string[];
  readonly first: { readonly sources: readonly TestSource[]; readonly models: readonly Model[] };
  /** The tests as they are now. */
  readonly readSources: () => Promise<readonly TestSource[]>;
  /** Undefined where a model has mistakes, which are said. */
  readonly loadModels: () => readonly Model[] | undefined;
  readonly check: (sources: readonly TestSource[], models: readonly Model[]) => Promise<ExitCode>;
}

const say = (text: string): void => void process.stderr.write(`${text}\n`);

/** Checks everything once, and then again what an edit of a test, of a model or of a module touches. */
export async function checkAgainAndAgain(watched: Watched): Promise<never> {
  const { first, check } = watched;
  let { models } = first;
  let modules = modulesOf(first.sources);
  const written = watched.models.filter((name) => name.endsWith('.cat'));
  const files = models.flatMap(filesOfModel);
  // Watching comes first: an edit during the first check, or right behind it, is seen.
  const edits = await watchFiles([...watched.paths, ...files, ...written, ...filesOfModules(modules)]);
  await check(first.sources, models);
  say('watching for edits; Ctrl-C ends');
  return edits.forEach(async (touched) => {
    await compileEdited(modules, touched);
    const sources = await readAgain(watched.readSources);
    if (sources === undefined) return;
    modules = modulesOf(sources);
    edits.add(filesOfModules(modules));
    const ofModels = new Set([...models.flatMap(filesOfModel), ...written.map((path) => resolve(path))]);
    if ([...touched].some((path) => ofModels.has(path))) {
      const again = watched.loadModels();
      if (again === undefined) return;
      const changed = again.filter((model) => filesOfModel(model).some((path) => touched.has(path)));
      models = again;
      say(`edited: ${changed.map(({ name }) => name).join(', ')}`);
      await check(sources, changed);
    }
    const edited = sources.filter((source) => filesOf(source).some((path) => touched.has(path)));
    if (edited.length === 0) return;
    const paths = new Set(edited.flatMap(filesOf).filter((path) => touched.has(path)));
    say(`edited: ${[...paths].map((path) => relative('', path)).join(', ')}`);
    await check(edited, models);
  });
}

/** A test and the modules that it names, those that are not there yet excepted. */
const filesOf = ({ path, modules = {} }: TestSource): readonly string[] =>
  [path, ...Object.values(modules).flatMap(filesOfModule)].map((one) => resolve(one));

/** Of a program that is compiled for a test that itself and its headers: what is made of them lies elsewhere. */
const filesOfModule = (one: ModuleText): readonly string[] =>
  'problem' in one ? (one.programs ?? []) : (one.programs ?? [one.path]);

const modulesOf = (sources: readonly TestSource[]): readonly string[] => [
  ...new Set(sources.flatMap((source) => filesOf(source).slice(1))),
];

const filesOfModules = (modules: readonly string[]): readonly string[] =>
  modules.flatMap((module) => [module, ...[programBeside(module) ?? []].flat()]);

/** Of a source program the module beside it is compiled, whose edit is the next one. */
async function compileEdited(modules: readonly string[], touched: ReadonlySet<string>): Promise<void> {
  for (const module of modules) {
    const program = programBeside(module);
    if (program === undefined || !touched.has(program)) continue;
    say(`edited: ${relative('', program)}`);
    say(await compileModule(relative('', program), relative('', module)));
  }
}

/** The tests as they are now: a file that is gone for a moment is no reason to stop watching. */
async function readAgain(read: Watched['readSources']): Promise<readonly TestSource[] | undefined> {
  try {
    return await read();
  } catch (thrown) {
    say(thrown instanceof Error ? thrown.message : String(thrown));
    return undefined;
  }
}
