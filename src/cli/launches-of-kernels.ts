import { existsSync } from 'node:fs';
import { UsageError } from '../diagnostics/usage-error.js';
import { demangled } from '../kernel/demangle.js';
import type { VariableSyntax } from '../syntax/litmus-ast.js';
import type { ModuleEntry } from '../syntax/module-ast.js';
import { holdsKernels, type Kernels, readKernels } from './read-kernels.js';

/**
 * A program or a module is no test: in its place come the launches of it, in the file of its name beside it. Where
 * there is none it is said what the file holds, and what to do; undefined: it has mistakes.
 */
export function launchesOfKernels(
  paths: readonly string[],
  nvccArgs: string | undefined,
): readonly string[] | undefined {
  const tests = paths.map((path) => (holdsKernels(path) && existsSync(path) ? testBeside(path) : path));
  const alone = paths.filter((path, i) => holdsKernels(path) && tests[i] === undefined);
  for (const path of alone) {
    const kernels = readKernels(path, nvccArgs);
    if (kernels === undefined) return undefined;
    process.stderr.write(`${kernels.map((one) => listed(path, one)).join('\n')}\n`);
  }
  if (alone.length > 0)
    throw new UsageError(
      `nothing says how ${alone.length === 1 ? 'this kernel is' : 'these kernels are'} launched: ` +
        `${alone.map((path) => `ptx-litmus init ${path}`).join(', ')} writes a test to start from`,
    );
  for (const [i, path] of paths.entries())
    if (tests[i] !== path) process.stderr.write(`ptx-litmus: ${path}: checking ${tests[i]}, which launches it\n`);
  return [...new Set(tests.flatMap((path) => path ?? []))];
}

function testBeside(path: string): string | undefined {
  const test = path.replace(/\.(ptx|cu)$/, '.litmus');
  return existsSync(test) ? test : undefined;
}

function listed(path: string, { module: { version, target, entries } }: Kernels): string {
  const made = [version === undefined ? '' : `PTX ${version}`, target ?? ''].filter((part) => part !== '').join(', ');
  const kernels = entries.length === 1 ? 'one kernel' : `${entries.length === 0 ? 'no' : entries.length} kernels`;
  return [`${path}: ${kernels}${made === '' ? '' : ` (${made})`}`, ...entries.map(signature)].join('\n');
}

const signature = ({ name, parameters, bounds }: ModuleEntry): string =>
  `  ${demangled(name)} (${parameters.map(typeOf).join(', ')})${[...bounds]
    .map(([word, numbers]) => ` .${word}${numbers.length === 0 ? '' : ` ${numbers.join(', ')}`}`)
    .join('')}`;

function typeOf({ directives, elements }: VariableSyntax): string {
  const type = directives.find(({ name }) => /^[ubsf]\d/.test(name))?.name ?? '';
  return `.${type}${elements === undefined ? '' : `[${elements}]`}`;
}
