import { COLORED, PLAIN, type Style } from '../report/text.js';

export type Color = 'auto' | 'always' | 'never';

/** Colors where a terminal reads, unless the user says otherwise (NO_COLOR too). */
export function styleFor(color: Color): Style {
  return color === 'always' ||
    (color === 'auto' && process.stdout.isTTY === true && process.env['NO_COLOR'] === undefined)
    ? COLORED
    : PLAIN;
}
