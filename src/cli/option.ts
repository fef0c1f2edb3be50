import { UsageError } from '../diagnostics/usage-error.js';

/**
 * How options and arguments are told to yargs, by what they take. The types are those of the values, which
 * `ArgumentsOf` reads; letters behind the words are short names.
 */

/** Something that is said or not. */
export const flag = (describe: string, ...alias: readonly string[]) =>
  ({ type: 'boolean', default: false, describe, alias }) as const;

/** A text, such as a path or a condition. */
export const text = (describe: string, ...alias: readonly string[]) =>
  ({ type: 'string', requiresArg: true, describe, alias }) as const;

/** Texts, each with the name of the option before it. */
export const texts = (describe: string, ...alias: readonly string[]) =>
  ({ type: 'string', array: true, nargs: 1, default: [] as string[], describe, alias }) as const;

/** One of some words. */
export const oneOf = <const Word extends string>(
  choices: readonly Word[],
  fallback: NoInfer<Word>,
  describe: string,
  ...alias: readonly string[]
) => ({ choices, default: fallback, describe, alias }) as const;

/** Several of some words, each with the name of the option before it. */
export const someOf = <const Word extends string>(choices: readonly Word[], describe: string) =>
  ({ choices, array: true, nargs: 1, default: [] as Word[], describe }) as const;

/** A number of at least so much. */
export const quantity = (name: string, least: number, describe: string) =>
  ({ coerce: number(name, least), requiresArg: true, describe }) as const;

/** A whole number of at least so much. */
export const count = (name: string, least: number, describe: string, ...alias: readonly string[]) =>
  ({ coerce: whole(name, least), requiresArg: true, describe, alias }) as const;

/** An argument without a name: the one that there must be, at least one, or any number. */
export const theOne = (describe: string) => ({ type: 'string', demandOption: true, describe }) as const;
export const atLeastOne = (describe: string) =>
  ({ type: 'string', array: true, demandOption: true, describe }) as const;
export const anyNumber = (describe: string) =>
  ({ type: 'string', array: true, default: [] as string[], describe }) as const;

/** Reads a number of at least so much, given once. */
const number =
  (name: string, least: number) =>
  (value: unknown): number => {
    if (Array.isArray(value)) throw new UsageError(`--${name} is given more than once`);
    const read = Number(value);
    if (!Number.isFinite(read) || read < least)
      throw new UsageError(`--${name} takes a number of at least ${least}, found "${String(value)}"`);
    return read;
  };

/** Reads a whole number of at least so much, given once. */
export const whole =
  (name: string, least: number) =>
  (value: unknown): number => {
    const read = number(name, least)(value);
    if (!Number.isInteger(read)) throw new UsageError(`--${name} takes a whole number, found "${String(value)}"`);
    return read;
  };
