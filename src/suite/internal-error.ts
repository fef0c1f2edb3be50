import { join } from 'node:path';
import { WrongRefutation } from '../axiomatic/confirmation/wrong-refutation.js';
import { writeText } from '../files/write-text.js';
import { sha256 } from './digests.js';

/**
 * What to print of a bug of ours; the whole stack where PTX_LITMUS_DEBUG is set. `where`: the test that met it, if one
 * did.
 */
export function internalError(thrown: unknown, where = ''): string {
  const text = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  const shown = process.env['PTX_LITMUS_DEBUG'] === undefined ? (text.split('\n')[0] ?? '') : text;
  return (
    `ptx-litmus: internal error${where}, please report it with the test and the command line\n${shown}\n` +
    writtenFor(thrown)
  );
}

/** The question behind a wrong refutation goes into a file of the working folder: it is what the report needs. */
function writtenFor(thrown: unknown): string {
  if (!(thrown instanceof WrongRefutation)) return '';
  const path = `ptx-litmus-refutation-${sha256(thrown.smt2).slice(0, 12)}.smt2`;
  try {
    writeText(join('.', path), thrown.smt2);
    return `the question is in ${path}: add it to the report\n`;
  } catch {
    return `the question could not be written to ${path}: run again in a folder that can be written\n`;
  }
}
