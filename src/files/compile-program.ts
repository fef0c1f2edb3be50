import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { fileProblem } from './file-problem.js';
import { makeFolder } from './write-text.js';

/** A program of CUDA: it is compiled, and what nvcc makes of it is kept. */
export const isProgram = (path: string): boolean => path.endsWith('.cu');

/** What nvcc is given besides what it always is. */
export interface NvccArguments {
  /** By the launches of a test: one text, if at all. */
  readonly ofTest: readonly string[];
  /** By who asks. */
  readonly given?: string | undefined;
}

/** The words of some arguments. */
const wordsIn = (text = ''): readonly string[] => text.split(/\s+/).filter((word) => word !== '');

/** A test says how a program is compiled; it starts no other programs, and writes no files. */
const OF_TESTS: readonly RegExp[] = [
  /^(-arch|--gpu-architecture)=\w+$/,
  /^-[DU]\w+(=[\w.+-]*)?$/,
  /^-I[\w./-]+$/,
  /^-(std=[\w+]+|O[0-3]|G|maxrregcount=\d+)$/,
  /^--?(use_fast_math|extended-lambda|(expt-)?relaxed-constexpr|expt-extended-lambda)$/,
  /^-(ftz|fmad|prec-div|prec-sqrt)=(true|false)$/,
];

/** The arguments, or why there are none. */
function argumentsIn({ ofTest, given }: NvccArguments): readonly string[] | { readonly problem: string } {
  const [first, second] = ofTest;
  if (second !== undefined)
    return { problem: `launches of one test compile it in two ways: nvcc "${first}" and nvcc "${second}"` };
  const wrong = wordsIn(first).find((word) => !OF_TESTS.some((form) => form.test(word)));
  if (wrong !== undefined)
    return {
      problem:
        `nvcc "${first}": a test gives nvcc -arch, -D, -U, -I, -std, -O and the like, and not ${wrong}; ` +
        '--nvcc-args takes any',
    };
  return [...wordsIn(first), ...wordsIn(given)];
}

/** The module that a program was compiled to. */
export interface CompiledProgram {
  /** Where it is kept. */
  readonly path: string;
  readonly text: string;
  /** The program, and the headers that it includes outside of the toolkit and the system. */
  readonly programs: readonly string[];
}

/** A module that is kept, with what it was made from: it holds as long as none of that changes. */
interface Kept {
  readonly program: string;
  readonly arguments: readonly string[];
  readonly hash: string;
  /** Each file that was read, with its hash. */
  readonly dependencies: readonly (readonly [path: string, hash: string])[];
}

const KEPT = 'compiled.json';
/** Where the program names no other. */
const DEFAULT_TARGET = 'sm_90a';
const TENSOR_MEMORY_TARGET = 'sm_100a';

/** The folder in which modules are kept: of the user, as the XDG Base Directory Specification has it. */
const cacheFolder = (): string =>
  join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'ptx-litmus', 'compiled');

/** What nvcc is given: what is given here comes in the place of what it would be otherwise. */
export function nvccArguments(text: string, given: readonly string[]): readonly string[] {
  const has = (word: string): boolean =>
    given.some((one) => one === word || one.startsWith(`${word}=`) || one.startsWith(`-${word}`));
  const target = /\btcgen05\b/.test(text) ? TENSOR_MEMORY_TARGET : DEFAULT_TARGET;
  const hasTarget = has('-arch') || has('-gencode') || has('--gpu-architecture');
  return [
    ...(has('-G') || has('--device-debug') ? [] : ['-lineinfo']),
    '-ptx',
    ...(has('-std') ? [] : ['-std=c++17']),
    ...(hasTarget ? [] : [`-arch=${target}`]),
    ...given,
  ];
}

/**
 * Compiles a program with nvcc, or takes what it was compiled to before: where the program, each header that it
 * includes, the arguments and the compiler are the same.
 */
export function compileProgram(path: string, nvcc: NvccArguments): CompiledProgram | { readonly problem: string } {
  const given = argumentsIn(nvcc);
  if ('problem' in given) return given;
  try {
    return compiledProgram(resolve(path), given);
  } catch (thrown) {
    const problem = fileProblem(thrown);
    if (problem === undefined) throw thrown;
    return { problem: `${problem} (what nvcc makes of it is kept in ${cacheFolder()}; XDG_CACHE_HOME names another)` };
  }
}

function compiledProgram(program: string, given: readonly string[]): CompiledProgram | { readonly problem: string } {
  const text = readFileSync(program, 'utf8');
  const compiler = compilerVersion();
  if (compiler === undefined)
    return {
      problem:
        'nvcc, which compiles it, is not on the PATH: put it there, or compile it elsewhere ' +
        `(nvcc ${nvccArguments(text, given).join(' ')}) and name the .ptx`,
    };
  const args = nvccArguments(text, given);
  const folder = join(cacheFolder(), hashOf(JSON.stringify([program, args, compiler])).slice(0, 32));
  const module = join(folder, `${basename(program, '.cu')}.ptx`);
  const known = keptIn(folder);
  const kept = known !== undefined && isCurrent(known, module) ? known : compiled(program, args, folder, module);
  if ('problem' in kept) return kept;
  const programs = kept.dependencies.map(([one]) => one).filter((one) => !isOfSystem(one));
  return { path: module, text: readFileSync(module, 'utf8'), programs };
}

/** The program that a kept module was compiled from, with what nvcc was given. */
export function programOf(module: string): Pick<Kept, 'program' | 'arguments'> | undefined {
  return keptIn(dirname(module));
}

function compiled(
  program: string,
  args: readonly string[],
  folder: string,
  module: string,
): Kept | { readonly problem: string } {
  makeFolder(dirname(folder));
  const work = `${folder}.${process.pid}.${randomBytes(4).toString('hex')}`;
  mkdirSync(work);
  try {
    const [out, list] = [join(work, 'out.ptx'), join(work, 'out.d')];
    const { status, stdout, stderr } = spawnSync('nvcc', [...args, '-MD', '-MF', list, program, '-o', out], {
      encoding: 'utf8',
      maxBuffer: MOST_PRINTED,
    });
    if (status !== 0 || !existsSync(out)) return { problem: failure(args, program, `${stdout}${stderr}`) };
    const paths = dependenciesIn(existsSync(list) ? readFileSync(list, 'utf8') : '', program);
    const kept: Kept = {
      ...{ program, arguments: args, hash: hashOf(readFileSync(out, 'utf8')) },
      dependencies: paths.map((path) => [path, hashOfFile(path) ?? '']),
    };
    makeFolder(folder);
    // Each is there as a whole; where two are not of one run, the hash of the module tells.
    renameSync(out, module);
    const list2 = join(work, KEPT);
    writeFileSync(list2, JSON.stringify(kept));
    renameSync(list2, join(folder, KEPT));
    return kept;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

const MOST_PRINTED = 64 << 20;

const failure = (args: readonly string[], program: string, printed: string): string =>
  `nvcc does not compile it:\n${printed.trimEnd()}\n(nvcc ${args.join(' ')} ${program})`;

/** The files that a rule of make names behind its colon. */
function dependenciesIn(rule: string, program: string): readonly string[] {
  const names = rule
    .replace(/\\\r?\n/g, ' ')
    .replace(/^[^\n]*?\s:\s/, '')
    .match(/(?:\\ |\S)+/g);
  return [...new Set([program, ...(names ?? []).map((one) => resolve(one.replaceAll('\\ ', ' ')))])];
}

function keptIn(folder: string): Kept | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, KEPT), 'utf8')) as Kept;
  } catch {
    return undefined;
  }
}

const isCurrent = ({ hash, dependencies }: Kept, module: string): boolean =>
  hashOfFile(module) === hash && dependencies.every(([path, before]) => hashOfFile(path) === before);

/** Of files of the toolkit and the system nobody waits for an edit. */
const isOfSystem = (path: string): boolean => /^\/(usr|opt)\/|\/cuda[^/]*\/|[\\/]targets[\\/]/.test(path);

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

function hashOfFile(path: string): string | undefined {
  try {
    return hashOf(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Of the compiler on the PATH; asked once. */
let version: { readonly path: string | undefined; readonly printed: string | undefined } | undefined;

function compilerVersion(): string | undefined {
  const path = process.env['PATH'];
  if (version === undefined || version.path !== path) {
    const { status, stdout } = spawnSync('nvcc', ['--version'], { encoding: 'utf8' });
    version = { path, printed: status === 0 ? stdout : undefined };
  }
  return version.printed;
}
