import type { Span } from '../diagnostics/source.js';
import { kindOf, type Trace } from './trace.js';

/** A thread begins that does what whoever makes the last of some atomics does, which finds a value. */
export interface LastStep {
  readonly kind: 'last';
  readonly row: number;
  readonly thread: number;
  readonly rows: readonly number[];
  /** The one that comes last in the run. */
  readonly read: number;
  readonly finds: bigint;
  /** The statement of the atomics, and that where their threads all go on. */
  readonly block: readonly [atomic: number, join: number];
  readonly span: Span;
}

/** Whether a thread that comes to where one of several goes another way accesses memory of its own there. */
export function usesOwnMemory(trace: Trace, { read, block: [atomic, join] }: LastStep): boolean {
  const { launch } = kindOf(trace, read);
  const { pieces, count } = trace.accesses;
  for (let row = 0; row < count; row++) {
    const { statement, launch: of } = kindOf(trace, row);
    if (trace.pieces[pieces.at(row)]?.object.owner === undefined || of !== launch) continue;
    if (statement > atomic && statement < join) return true;
  }
  return false;
}
