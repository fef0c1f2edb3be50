import { BUILT_IN_FUNCTIONS } from '../cat/resolve-model.js';
import { renderDiagnostics } from '../diagnostics/render.js';
import { BASE_SETS, DERIVED_RELATIONS, EXECUTION_RELATIONS, STATIC_RELATIONS } from '../execution/base-relations.js';
import { EXIT_CODES, type ExitCode } from './exit-codes.js';
import { builtInModels, loadModel } from './load-model.js';

export interface ModelArguments {
  readonly name: string | undefined;
  readonly list: boolean;
  readonly axioms: boolean;
  readonly include: readonly string[];
}

/** Lists the models and what they may speak of, or prints one. */
export function runModel({ name, list, axioms, include }: ModelArguments): ExitCode {
  if (name === undefined || list) {
    const lines = [
      'models',
      ...builtInModels().map((model) => `  ${model.padEnd(10)} ${loadModel(model).value?.title ?? ''}`),
    ];
    lines.push('sets', `  ${[...BASE_SETS.keys()].join(' ')}`);
    const relations = [EXECUTION_RELATIONS, DERIVED_RELATIONS].flatMap((table) => Object.keys(table));
    lines.push('relations', `  ${[...STATIC_RELATIONS.keys(), ...relations].join(' ')}`);
    lines.push('functions', `  ${BUILT_IN_FUNCTIONS.join(' ')}`);
    process.stdout.write(`${lines.join('\n')}\n`);
    return EXIT_CODES.good;
  }
  const { value, diagnostics } = loadModel(name, include);
  if (diagnostics.length > 0) process.stderr.write(`${renderDiagnostics(diagnostics)}\n`);
  if (value === undefined) return EXIT_CODES.usage;
  if (!axioms) {
    process.stdout.write(value.source.text);
    return EXIT_CODES.good;
  }
  const lines = value.checks.map(
    ({ role, negated, test, name: axiom }) => `${role.padEnd(17)}${axiom.padEnd(32)} ${negated ? '~' : ''}${test}`,
  );
  process.stdout.write(`${lines.join('\n')}\n`);
  return EXIT_CODES.good;
}
