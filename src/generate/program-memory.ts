/** A location of a program, with the types by which it may be accessed and at which offsets. */
export interface Spot {
  readonly declaration: string;
  readonly observed: readonly string[];
  readonly space: 'global' | 'shared';
  readonly places: readonly { readonly address: string; readonly type: string }[];
}

/** A location that is accessed as a whole. */
export const WORD = (name: string, space: Spot['space'], type = 'u32'): Spot => ({
  declaration: `.${space} .${type} ${name}${space === 'shared' ? ' @ cta 0' : ''} = 0;`,
  observed: [name],
  space,
  places: [{ address: name, type }],
});

export const declareWords = (names: readonly string[]): readonly string[] =>
  names.map((name) => WORD(name, 'global').declaration);

/** Two bytes that are also accessed one by one. */
export const BYTES = (name: string): Spot => ({
  declaration: `.global .align 2 .u8 ${name}[2] = {0, 0};`,
  observed: [`${name}[0]`, `${name}[1]`],
  space: 'global',
  places: [
    { address: name, type: 'u16' },
    { address: name, type: 'u16' },
    { address: name, type: 'u8' },
    { address: `${name}+1`, type: 'u8' },
  ],
});
