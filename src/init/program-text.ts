import type { Dimensions } from '../syntax/launch-ast.js';
import type { LaunchHint } from './alternatives.js';

/** What the text of a CUDA program says of its kernels, as far as that is found without compiling it. */
export interface ProgramText {
  /** The names of the parameters of a kernel; undefined where the text does not have it. */
  parametersOf(kernel: string): readonly string[] | undefined;
  /** Launches `kernel<<<grid, block, shared>>>(…)` whose numbers are constants. */
  launchesOf(kernel: string): readonly LaunchHint[];
}

/** Reads a program. */
export function programText(text: string): ProgramText {
  const plain = withoutComments(text);
  const constants = constantsIn(plain);
  return {
    parametersOf: (kernel) => parametersIn(plain, kernel),
    launchesOf: (kernel) => launchesIn(plain, kernel, constants),
  };
}

const withoutComments = (text: string): string =>
  text.replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, (comment) => comment.replace(/[^\n]/g, ' '));

const escaped = (name: string): string => name.replace(/[$]/g, '\\$&');

function parametersIn(text: string, kernel: string): readonly string[] | undefined {
  for (const { index } of text.matchAll(/\b__global__\b/g)) {
    const head = new RegExp(`^__global__[^;{]*?\\b${escaped(kernel)}\\s*\\(`).exec(text.slice(index, index + 2000));
    if (head === null) continue;
    const list = listAt(text, index + head[0].length);
    return list?.map((one) => /(\w+)\s*(?:\[[^\]]*\]\s*)*(?:=.*)?$/.exec(one.trim())?.[1] ?? '');
  }
  return undefined;
}

/** What stands between commas, up to the bracket that closes what was open before. */
function listAt(text: string, from: number): readonly string[] | undefined {
  let depth = 0;
  let start = from;
  const parts: string[] = [];
  for (let at = from; at < text.length; at++) {
    const char = text[at] ?? '';
    if ('([{<'.includes(char)) depth += 1;
    else if (')]}>'.includes(char) && depth > 0) depth -= 1;
    else if (char === ')' || (char === ',' && depth === 0)) {
      parts.push(text.slice(start, at).trim());
      start = at + 1;
      if (char === ')') return parts.length === 1 && parts[0] === '' ? [] : parts;
    }
  }
  return undefined;
}

type Constants = ReadonlyMap<string, string>;

/** Names that stand for one number: `#define N 4`, `constexpr int N = 4`, `dim3 block(32, 4)`. */
function constantsIn(text: string): Constants {
  const defined = [...text.matchAll(/^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+([^\n]+)$/gm)];
  const declared = [
    ...text.matchAll(/\b(?:constexpr|const)\s+(?:static\s+|unsigned\s+|long\s+)*\w+\s+(\w+)\s*=\s*([^;{}]+);/g),
  ];
  const local = [...text.matchAll(/\b(?:int|unsigned|size_t|auto|uint32_t)\s+(\w+)\s*=\s*([\w\s()+*/%<-]+);/g)];
  const places = [...text.matchAll(/\bdim3\s+(\w+)\s*[({=]\s*([^;]+?)[)}]?\s*;/g)];
  const all = [...local, ...defined, ...declared, ...places];
  return new Map(all.map(([, name = '', value = '']) => [name, value.trim()]));
}

const MOST_NAMES = 8;

/** The value of an expression of constants. */
export function valueOf(expression: string, constants: Constants, depth = MOST_NAMES): bigint | undefined {
  const tokens = expression.match(/0x[\da-f]+|\d+|\w+|<<|>>|[()+\-*/%]|\S/gi) ?? [];
  let at = 0;
  const primary = (): bigint | undefined => {
    const token = tokens[at++];
    if (token === '(') {
      // A cast says nothing of the value.
      if (/^(int|unsigned|size_t|long)$/.test(tokens[at] ?? '') && tokens[at + 1] === ')') {
        at += 2;
        return primary();
      }
      const value = sum();
      return tokens[at++] === ')' ? value : undefined;
    }
    if (token === undefined) return undefined;
    if (/^(0x[\da-f]+|\d+)$/i.test(token)) {
      if (/^[ul]+$/i.test(tokens[at] ?? '')) at += 1;
      return BigInt(token);
    }
    const named = constants.get(token) ?? /^(\d+)[ul]+$/i.exec(token)?.[1];
    return named === undefined || depth === 0 ? undefined : valueOf(named, constants, depth - 1);
  };
  const product = (): bigint | undefined => {
    let value = primary();
    while (/^[*/%]$/.test(tokens[at] ?? '')) {
      const operator = tokens[at++];
      const right = primary();
      if (value === undefined || right === undefined || (operator !== '*' && right === 0n)) return undefined;
      value = operator === '*' ? value * right : operator === '/' ? value / right : value % right;
    }
    return value;
  };
  const sum = (): bigint | undefined => {
    let value = product();
    while (/^([+-]|<<|>>)$/.test(tokens[at] ?? '')) {
      const operator = tokens[at++];
      const right = product();
      if (value === undefined || right === undefined || right > 64n) {
        if (value === undefined || right === undefined || operator === '<<' || operator === '>>') return undefined;
      }
      value =
        operator === '+'
          ? value + right
          : operator === '-'
            ? value - right
            : operator === '<<'
              ? value << right
              : value >> right;
    }
    return value;
  };
  const value = sum();
  return at >= tokens.length ? value : undefined;
}

function launchesIn(text: string, kernel: string, constants: Constants): readonly LaunchHint[] {
  const launch = new RegExp(
    `\\b${escaped(kernel)}\\s*(?:<[^<>;]*(?:<[^<>;]*>[^<>;]*)*>)?\\s*<<<([\\s\\S]*?)>>>\\s*\\(`,
    'g',
  );
  return [...text.matchAll(launch)].flatMap((found): readonly LaunchHint[] => {
    const [grid, block, shared] = listAt(`${found[1]})`, 0) ?? [];
    const given = listAt(text, (found.index ?? 0) + found[0].length) ?? [];
    const values = given.flatMap((one, index): readonly (readonly [number, bigint])[] => {
      const value = valueOf(one, constants);
      return value === undefined ? [] : [[index, value]];
    });
    const bytes = shared === undefined ? undefined : valueOf(shared, constants);
    const hint = {
      grid: sizeOf(grid ?? '', constants),
      block: sizeOf(block ?? '', constants),
      shared: bytes === undefined ? undefined : Number(bytes),
      values: new Map(values),
    };
    return hint.block === undefined && hint.grid === undefined ? [] : [hint];
  });
}

function sizeOf(given: string, constants: Constants): Dimensions | undefined {
  const named = /^\w+$/.test(given) ? (constants.get(given) ?? given) : given;
  const inner = /^dim3\s*[({]([\s\S]*)[)}]$/.exec(named.trim())?.[1] ?? named;
  const parts = listAt(`${inner})`, 0) ?? [];
  const numbers = parts
    .map((one) => valueOf(one, constants))
    .map((one) => (one === undefined ? undefined : Number(one)));
  if (numbers.length === 0 || numbers.length > 3) return undefined;
  const [x, y = 1, z = 1] = numbers;
  if (x === undefined || numbers.includes(undefined) || x < 1) return undefined;
  return [x, y, z];
}
