/** Lists of PTX instruction forms: what they share. */
export const product = (...lists: readonly (readonly string[])[]): readonly string[] =>
  lists.reduce<readonly string[]>((all, list) => all.flatMap((prefix) => list.map((item) => prefix + item)), ['']);

/** Forms of one family for one target; some are near misses. */
export interface FormGroup {
  readonly family: string;
  readonly target: 'sm_75' | 'sm_90a' | 'sm_100a';
  readonly forms: readonly string[];
}

/** `{f4, f5, f6}`: `count` registers of a bank from number `from`. */
export const regs = (bank: string, count: number, from = 0): string =>
  `{${Array.from({ length: count }, (_, i) => `${bank}${from + i}`).join(', ')}}`;

/** ` r0, r1, r2;`: the operands of an instruction on registers of one bank. */
export const list = (bank: string, count: number): string =>
  ` ${Array.from({ length: count }, (_, i) => `${bank}${i}`).join(', ')};`;

/** The bank that registers of a type are in. */
export const bankOf = (type: string): string => {
  if (/pred$/.test(type)) return 'p';
  if (/128$/.test(type)) return 'q';
  if (/f64$/.test(type)) return 'e';
  if (/f32$/.test(type)) return 'f';
  if (/64$|f32x2$/.test(type)) return 'd';
  return /(8|16)$/.test(type) ? 'h' : 'r';
};

/** Every type, with that many operands of its bank. */
export const typed = (types: readonly string[], count: number): readonly string[] =>
  types.map((type) => `${type}${list(bankOf(type), count)}`);
