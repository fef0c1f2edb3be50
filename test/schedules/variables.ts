import { floatBitsOf, integerOf, splitList } from './operands.js';
import { bitsOfDouble, bitsOfFloat } from './values.js';

/** A variable or parameter as a module or a test declares it. */
export interface Variable {
  readonly name: string;
  readonly space: 'global' | 'shared' | 'const' | 'local' | 'param';
  readonly type: string;
  /** In bytes; 0 for an array whose size the launch gives. */
  readonly size: number;
  readonly elementSize: number;
  readonly align: number;
  /** Values of the elements, in order; `undefined` where it begins as anything. */
  readonly initial: readonly Initial[] | undefined;
}

export type Initial =
  | { readonly kind: 'bits'; readonly value: bigint }
  | { readonly kind: 'address'; readonly name: string; readonly offset: number };

const IGNORED = /^\.(visible|weak|extern|common|ptr|attribute|unified|managed)(\([^)]*\))?\s*/;

export function elementSizeOf(type: string): number {
  const [, bits, times] = /^(?:bf|[bsuf])(\d+)(?:x(\d))?$/.exec(type) ?? [];
  return bits === undefined ? 0 : (Number(bits) * Number(times ?? 1)) / 8;
}

/** A number of a type, as its bits. */
export function bitsOf(text: string, type: string): bigint | undefined {
  const bits = floatBitsOf(text) ?? integerOf(text);
  if (bits !== undefined && !(/^f\d+$/.test(type) && integerOf(text) !== undefined)) return bits;
  const number = Number(text.replace(/U$/, ''));
  if (text === '' || Number.isNaN(number)) return undefined;
  if (type === 'f32') return BigInt(bitsOfFloat(number));
  if (type === 'f64') return BigInt(bitsOfDouble(number));
  return undefined;
}

function initialOf(text: string, type: string, line: number): Initial {
  const value = bitsOf(text, type);
  if (value !== undefined) return { kind: 'bits', value };
  const generic = /^generic\((.*)\)$/.exec(text);
  const [, name, offset] = /^&?([\w$]+)(?:\s*\+\s*(\d+))?$/.exec(generic?.[1] ?? text) ?? [];
  if (name === undefined) throw new Error(`line ${line}: a value that is not known: ${text}`);
  return { kind: 'address', name, offset: Number(offset ?? 0) };
}

function valuesOf(text: string, type: string, line: number): readonly Initial[] {
  const inner = /^\{(.*)\}$/.exec(text.trim());
  if (inner === null) return [initialOf(text.trim(), type, line)];
  return splitList(inner[1] ?? '').flatMap((one) => valuesOf(one, type, line));
}

/** `.shared .align 8 .b8 bar[16]`, `.global .u32 x = 3`, `.param .u64 .ptr .global .align 4 p`. */
export function parseVariable(text: string, line: number): Variable {
  let rest = text.trim();
  let space: Variable['space'] | undefined;
  let type = '';
  let align = 0;
  let lanes = 1;
  for (let found = /^\.[\w:]+(?:\([^)]*\))?\s*/.exec(rest); found !== null; found = /^\.[\w:]+\s*/.exec(rest)) {
    const ignored = IGNORED.exec(rest);
    const word = found[0].trim().slice(1);
    rest = rest.slice((ignored ?? found)[0].length);
    if (ignored !== null) continue;
    if (/^(global|shared|const|local|param)/.test(word)) space ??= word.replace(/::.*/, '') as Variable['space'];
    else if (/^v\d$/.test(word)) lanes = Number(word.slice(1));
    else if (word === 'align') {
      const [number = ''] = /^\d+\s*/.exec(rest) ?? [];
      align = Number(number);
      rest = rest.slice(number.length);
    } else if (elementSizeOf(word) > 0) type = word;
    else throw new Error(`line ${line}: .${word} is not known in ${text}`);
  }
  const [, name, dimensions = '', value] = /^([\w$%]+)((?:\s*\[\d*\])*)\s*(?:=\s*(.*))?$/.exec(rest) ?? [];
  if (name === undefined || space === undefined || type === '')
    throw new Error(`line ${line}: not a variable: ${text}`);
  const elementSize = elementSizeOf(type);
  const counts = [...dimensions.matchAll(/\[(\d*)\]/g)].map(([, count]) => Number(count));
  const size = counts.reduce((all, one) => all * one, elementSize * lanes);
  const initial = value === undefined ? undefined : valuesOf(value, type, line);
  return { name, space, type, size, elementSize, align: Math.max(align, elementSize), initial };
}
