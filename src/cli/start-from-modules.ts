import { UsageError } from '../diagnostics/usage-error.js';
import { fileProblem } from '../files/file-problem.js';
import { LARGEST_MODULE } from '../files/read-modules.js';
import { readText } from '../files/read-text.js';
import { testOfEntry } from '../generate/test-of-entry.js';
import type { VariableSyntax } from '../syntax/litmus-ast.js';
import type { ModuleEntry, ModuleFile } from '../syntax/module-ast.js';
import { parseModule } from '../syntax/parse-module.js';
import { EXIT_CODES, type ExitCode } from './exit-codes.js';
import { isModule } from './find-tests.js';
import { shown } from './read-input.js';

/** Prints a kernel test to start from for each kernel of some modules; what they hold is told beside it. */
export function startFromModules(paths: readonly string[]): ExitCode {
  const tests = paths.find((path) => !isModule(path));
  if (tests !== undefined)
    throw new UsageError(
      `a module is no test: name .ptx files alone to get tests to start from, or leave them out here`,
    );
  let code: ExitCode = EXIT_CODES.good;
  for (const path of paths) {
    const module = shown(parseModule({ path, text: textOf(path) }));
    if (module === undefined) {
      code = EXIT_CODES.usage;
      continue;
    }
    process.stderr.write(`${listed(module)}\n`);
    process.stdout.write(module.entries.map((entry) => testOfEntry(module, entry)).join('\n'));
  }
  return code;
}

function textOf(path: string): string {
  try {
    return readText(path, LARGEST_MODULE);
  } catch (thrown) {
    const problem = fileProblem(thrown);
    throw problem === undefined ? thrown : new UsageError(`${path}: ${problem}`);
  }
}

function listed({ source, version, target, entries }: ModuleFile): string {
  const made = [version === undefined ? '' : `PTX ${version}`, target ?? ''].filter((part) => part !== '').join(', ');
  const kernels = entries.length === 1 ? 'one kernel' : `${entries.length === 0 ? 'no' : entries.length} kernels`;
  return [`${source.path}: ${kernels}${made === '' ? '' : ` (${made})`}`, ...entries.map(signature)].join('\n');
}

const signature = ({ name, parameters, bounds }: ModuleEntry): string =>
  `  ${name} (${parameters.map(typeOf).join(', ')})${[...bounds]
    .map(([word, numbers]) => ` .${word}${numbers.length === 0 ? '' : ` ${numbers.join(', ')}`}`)
    .join('')}`;

function typeOf({ directives, elements }: VariableSyntax): string {
  const type = directives.find(({ name }) => /^[ubsf]\d/.test(name))?.name ?? '';
  return `.${type}${elements === undefined ? '' : `[${elements}]`}`;
}
