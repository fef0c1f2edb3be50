import { BUILT_IN_FUNCTIONS } from '../cat/built-in-functions.js';
import { BASE_SETS, DERIVED_RELATIONS, EXECUTION_RELATIONS, STATIC_RELATIONS } from '../execution/base-relations.js';
import { builtInModels, loadModel } from '../files/load-model.js';
import { type ArgumentsOf, defineCommand } from './command.js';
import { EXIT_CODES, type ExitCode } from './exit-codes.js';
import { flag, texts } from './option.js';
import { shown } from './read-input.js';

const POSITIONALS = { name: { type: 'string', describe: 'a built-in model or a .cat file' } } as const;
const OPTIONS = {
  list: flag('list the models, sets and relations'),
  axioms: flag('print only the names of its axioms'),
  include: texts('a folder for included files', 'I'),
};
type ModelArguments = ArgumentsOf<typeof POSITIONALS> & ArgumentsOf<typeof OPTIONS>;

export const modelCommand = defineCommand({
  usage: 'model [name]',
  describe: 'list the models and their vocabulary, or print one',
  positionals: POSITIONALS,
  options: OPTIONS,
  run: runModel,
});

/** Lists the models and what they may speak of, or prints one. */
function runModel({ name, list, axioms, include }: ModelArguments): ExitCode {
  if (name === undefined || list) {
    const lines = [
      'models',
      ...builtInModels().map((model) => `  ${model.padEnd(10)} ${loadModel(model).value?.title ?? ''}`),
    ];
    lines.push('sets', `  ${[...BASE_SETS.keys()].join(' ')}`);
    const relations = [EXECUTION_RELATIONS, DERIVED_RELATIONS].flatMap((table) => Object.keys(table));
    lines.push('relations', `  ${[...STATIC_RELATIONS.keys(), ...relations].join(' ')}`);
    lines.push('functions', `  ${[...BUILT_IN_FUNCTIONS.keys()].join(' ')}`);
    process.stdout.write(`${lines.join('\n')}\n`);
    return EXIT_CODES.good;
  }
  const model = shown(loadModel(name, include));
  if (model === undefined) return EXIT_CODES.usage;
  if (!axioms) {
    process.stdout.write(model.source.text);
    return EXIT_CODES.good;
  }
  const lines = model.checks.map(
    ({ role, negated, test, name: axiom }) => `${role.padEnd(17)}${axiom.padEnd(32)} ${negated ? '~' : ''}${test}`,
  );
  process.stdout.write(`${lines.join('\n')}\n`);
  return EXIT_CODES.good;
}
