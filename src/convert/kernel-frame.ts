import type { KernelThread } from './kernel-body.js';
import type { KernelNames } from './kernel-names.js';

/** What a kernel does around the bodies of its threads, where it is more than to take parameters and return. */
export interface KernelFrame {
  /** As the entry declares them. */
  readonly parameters: readonly string[];
  /** Its first lines: what is handed over, by name, gets into its register. */
  begin(names: KernelNames): readonly string[];
  /** The number of the own CTA, among those that the test has. */
  readonly ctaOf: (register: string) => string;
  /** The number of the own thread in its CTA, among those that the test has. */
  readonly tidOf: (register: string) => string;
  /** What stands before an instruction of a thread, both by their numbers. */
  lineOf(thread: number, instruction: number): string;
  /** In the place of a return behind a body, for the threads that take it; `number` holds which of them it is. */
  end(names: KernelNames, members: readonly KernelThread[], number: string): readonly string[];
  /** Behind all bodies. */
  finish(number: string): readonly string[];
  /** Before a branch back: a loop that only waits must come to an end. */
  beforeBranchBack(names: KernelNames): readonly string[];
}
