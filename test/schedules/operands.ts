/** Operands of an instruction, as written; names of registers are already slots of the register file. */
export interface Register {
  readonly kind: 'register';
  readonly slot: number;
  readonly width: number;
  readonly name: string;
}

export type Operand =
  | Register
  | { readonly kind: 'number'; readonly value: bigint }
  /** A decimal float, which becomes bits where its type is known. */
  | { readonly kind: 'decimal'; readonly value: number }
  | { readonly kind: 'special'; readonly name: string }
  | { readonly kind: 'symbol'; readonly name: string; readonly offset: number }
  | {
      readonly kind: 'address';
      readonly base: Operand;
      readonly offset: number;
      readonly coordinates: readonly Operand[];
    }
  | { readonly kind: 'vector'; readonly parts: readonly Operand[] }
  | { readonly kind: 'pair'; readonly first: Operand; readonly second: Operand }
  | { readonly kind: 'not'; readonly operand: Operand }
  | { readonly kind: 'sink' };

/** What a name means where it stands. */
export type FindRegister = (name: string) => Register | undefined;

const OF_AXIS = /^%(n?tid|n?ctaid|n?clusterid|cluster_n?ctaid)\.[xyzw]$/;
const ALONE = new RegExp(
  `^%(${[
    'laneid|n?warpid|n?smid|gridid|clock(_hi|64)?|globaltimer(_lo|_hi)?|cluster_n?ctarank|is_explicit_cluster',
    'lanemask_(eq|le|lt|ge|gt)|(dynamic|total|aggr)_smem_size|envreg\\d+|pm\\d+',
  ].join('|')})$`,
);

/** The parts of a list that stand outside of brackets. */
export function splitList(text: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    const char = text[i]!;
    if ('[{('.includes(char)) depth++;
    else if (']})'.includes(char)) depth--;
    else if (char === ',' && depth === 0) {
      parts.push(text.slice(start, i).trim());
      start = i + 1;
    }
  }
  const last = text.slice(start).trim();
  return last === '' && parts.length === 0 ? [] : [...parts, last];
}

/** An integer as PTX writes it, or `undefined`. */
export function integerOf(text: string): bigint | undefined {
  const found = /^(-?)(0[xX][0-9a-fA-F]+|0[bB][01]+|\d+)U?$/.exec(text);
  if (found === null) return undefined;
  const [, sign, digits = '0'] = found;
  const size = /^0\d+$/.test(digits) ? BigInt(`0o${digits.slice(1)}`) : BigInt(digits.toLowerCase());
  return sign === '-' ? -size : size;
}

/** The bits of a number that is written in them: `0f3F800000`, `0d...`. */
export function floatBitsOf(text: string): bigint | undefined {
  const found = /^0([fFdD])([0-9a-fA-F]{8}|[0-9a-fA-F]{16})$/.exec(text);
  return found === null ? undefined : BigInt(`0x${found[2]}`);
}

function addressOf(text: string, find: FindRegister): Operand {
  const [first = '', coordinates] = splitList(text);
  const { base, offset } = baseAndOffset(first, find);
  const inner = coordinates === undefined ? [] : splitList(coordinates.replace(/^\{|\}$/g, ''));
  return { kind: 'address', base, offset, coordinates: inner.map((one) => parseOperand(one, find)) };
}

function baseAndOffset(text: string, find: FindRegister): { readonly base: Operand; readonly offset: number } {
  const found = /^([^+\s]+?)\s*\+\s*(-?\s*\w+)$/.exec(text) ?? /^([^-\s]+)\s*(-\s*\w+)$/.exec(text);
  const offset = found === null ? undefined : integerOf((found[2] ?? '').replace(/\s+/g, ''));
  if (found === null || offset === undefined) return { base: parseOperand(text, find), offset: 0 };
  return { base: parseOperand(found[1] ?? '', find), offset: Number(offset) };
}

export function parseOperand(text: string, find: FindRegister): Operand {
  if (text === '_') return { kind: 'sink' };
  if (text.startsWith('[') && text.endsWith(']')) return addressOf(text.slice(1, -1).trim(), find);
  if (/^[{(]/.test(text)) {
    const parts = splitList(text.slice(1, -1)).map((part) => parseOperand(part, find));
    return { kind: 'vector', parts };
  }
  if (text.startsWith('!')) return { kind: 'not', operand: parseOperand(text.slice(1).trim(), find) };
  const pair = text.split('|');
  if (pair.length === 2) {
    const [first = '', second = ''] = pair;
    return { kind: 'pair', first: parseOperand(first.trim(), find), second: parseOperand(second.trim(), find) };
  }
  const bits = floatBitsOf(text) ?? integerOf(text);
  if (bits !== undefined) return { kind: 'number', value: bits };
  if (/^-?(\d+\.\d*|\.\d+|\d+(?=[eE]))([eE][+-]?\d+)?$/.test(text)) return { kind: 'decimal', value: Number(text) };
  const register = find(text);
  if (register !== undefined) return register;
  if (text === 'WARP_SZ') return { kind: 'number', value: 32n };
  if (OF_AXIS.test(text) || ALONE.test(text)) return { kind: 'special', name: text };
  const found = /^([\w$%.]+?)(?:\s*\+\s*(-?\w+))?$/.exec(text);
  const offset = found?.[2] === undefined ? 0n : integerOf(found[2]);
  if (found === null || offset === undefined) throw new Error(`an operand that is not known: ${text}`);
  return { kind: 'symbol', name: found[1] ?? '', offset: Number(offset) };
}
