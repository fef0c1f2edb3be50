/**
 * What a text cites of its test that comments change: the line of an offset, or a hash of the test. While sentences are
 * put together it is a mark in them; where a text is kept, it is a part of its own, which becomes text when it is read.
 */
export type Cited = number | 'sha256' | 'md5';

/** The characters are of those that Unicode leaves to private agreement. */
export const markOf = (cited: Cited): string => `\ue000${cited}\ue001`;
const MARK = /\ue000(\d+|sha256|md5)\ue001/;

/** Whether a text has a mark, or characters that would be taken for one. */
export const hasMarks = (text: string): boolean => /[\ue000\ue001]/.test(text);

/** A text by its parts: what it says, and every second one what it cites there. */
export function partsOf(text: string): readonly (string | Cited)[] {
  return text.split(MARK).map((part, i) => (i % 2 === 0 || !/^\d/.test(part) ? part : Number(part)));
}

/** How long a text is, for columns: a line that is cited by a mark is given two digits. */
export function shownLength(text: string): number {
  return partsOf(text).reduce<number>((length, part, i) => length + (i % 2 === 0 ? String(part).length : 2), 0);
}
