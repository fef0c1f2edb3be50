import { join } from 'node:path';
import { type WrittenKernel, writeKernel } from '../convert/write-kernel.js';
import { UsageError } from '../diagnostics/usage-error.js';
import { writeText } from '../files/write-text.js';
import { buildTest } from '../follow/build-test.js';
import type { LitmusFile } from '../syntax/litmus-ast.js';
import { printLitmus } from '../syntax/print-litmus.js';
import type { ConvertArguments } from './convert-command.js';
import { EXIT_CODES, type ExitCode } from './exit-codes.js';
import { findTests, parseFound } from './find-tests.js';
import { shown } from './read-input.js';

/** What names the files of a test: its name, as far as a file can have it. */
const fileName = (name: string): string => name.replace(/[^\w.+-]/g, '_') || 'test';

/** Writes tests as kernel tests, a module and a test each; what a kernel cannot say is an error, never left out. */
export async function convertToKernels({ paths, out, slice, ...reading }: ConvertArguments): Promise<ExitCode> {
  if (slice) throw new UsageError('--slice goes with --to litmus and --to nvlitmus');
  let code: ExitCode = EXIT_CODES.good;
  const taken = new Set<string>();
  for (const source of await findTests(paths, reading)) {
    const files = shown(parseFound(source));
    if (files === undefined) code = EXIT_CODES.usage;
    for (const file of files ?? []) {
      let name = fileName(file.name);
      for (let n = 2; taken.has(name); n++) name = `${fileName(file.name)}-${n}`;
      taken.add(name);
      const written = kernelOf(file, `${name}.ptx`);
      if (written === undefined) code = EXIT_CODES.usage;
      else tell(written, name, out);
    }
  }
  return code;
}

function kernelOf(file: LitmusFile, path: string): WrittenKernel | undefined {
  const program = shown(buildTest(file));
  return program && shown(writeKernel(file, program, path));
}

/** Into a folder, two files; to standard output, each under its name. */
function tell({ test, module }: WrittenKernel, name: string, out: string | undefined): void {
  const text = printLitmus(test);
  if (out === undefined) {
    process.stdout.write(`// ${name}.ptx\n${module}\n// ${name}.litmus\n${text}\n`);
    return;
  }
  writeText(join(out, `${name}.ptx`), module);
  writeText(join(out, `${name}.litmus`), text);
  process.stdout.write(`${join(out, `${name}.litmus`)}\n`);
}
