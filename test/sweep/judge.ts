import type { Opened } from './opened.js';

/** Says how often something was compared: a law that is asked of nothing holds. */
export type Count = (what: string, times?: number) => void;

/** A law that holds of each test of litmus/. */
export interface Judge {
  readonly name: string;
  /** One test of so many is asked; with SWEEP=all every one, also where that is infinity. */
  readonly every: number | ((file: string) => number);
  /** Judges with one share ask the same tests, of which that is decided once; without it, the share is their own. */
  readonly share?: string;
  /** Throws what is wrong. */
  judge(test: Opened, count: Count): void | Promise<void>;
}

/** Of three folders, whose tests take longer than all the others, a third of what is asked of those. */
export const fewerOfLarge =
  (every: number) =>
  (file: string): number =>
    /^(compiled|matrix|tcgen05)\//.test(file) ? 3 * every : every;
/** The share of those who ask for all that can happen in a test. */
export const WHOLE = 'all that can happen';
