import type { Opened } from './opened.js';

/** Says how often something was compared: a law that is asked of nothing holds. */
export type Count = (what: string, times?: number) => void;

/** A law that holds of each test of litmus/. */
export interface Judge {
  readonly name: string;
  /** One test of so many is asked; with SWEEP=all every one, also where that is infinity. */
  readonly every: number | ((file: string) => number);
  /** Throws what is wrong. */
  judge(test: Opened, count: Count): void | Promise<void>;
}
