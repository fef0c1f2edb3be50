/** Registers: of a ticket, of the same once more, and a predicate. */
interface Registers {
  readonly ticket: string;
  readonly again: string;
  readonly predicate: string;
}

/** What of a ticket is the number of a tile: some tell all tickets apart, others do not. */
const NUMBERS = {
  even: () => '',
  rows: (at, { ticket: t, again: s }) =>
    `div.u32 ${t}, ${t}, 2; rem.u32 ${s}, ${s}, 2; mad.lo.u32 ${t}, ${t}, ${1 + at}, ${s};`,
  columns: (at, { ticket: t, again: s }) =>
    `div.u32 ${t}, ${t}, 3; rem.u32 ${s}, ${s}, 3; mad.lo.u32 ${t}, ${s}, ${1 + at}, ${t};`,
  reversed: (_, { ticket: t }) => `sub.u32 ${t}, 8, ${t};`,
  least: (at, { ticket: t }) => `min.u32 ${t}, ${t}, ${1 + 2 * at};`,
  pairs: (_, { ticket: t }) => `xor.b32 ${t}, ${t}, 1;`,
  halves: (_, { ticket: t }) => `shr.u32 ${t}, ${t}, 1;`,
  wrapped: (at, { ticket: t, again: s, predicate: p }) =>
    `setp.ge.u32 ${p}, ${t}, 3; @${p} sub.u32 ${s}, ${s}, ${1 + at}; selp.u32 ${t}, ${s}, ${t}, ${p};`,
} as const satisfies Readonly<Record<string, (at: number, registers: Registers) => string>>;

export type TileNumber = keyof typeof NUMBERS;
export const TILE_NUMBERS = Object.keys(NUMBERS) as TileNumber[];

/** Code that makes the number of a tile of a ticket, and leaves it where that was; `at` is 0, 1 or 2. */
export function tileNumber(by: TileNumber, at: number, registers: Registers): string {
  return `mov.u32 ${registers.again}, ${registers.ticket}; ${NUMBERS[by](at, registers)}`;
}
