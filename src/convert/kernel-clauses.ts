import type { Program } from '../program/program.js';
import type { AddressTerm, Clause, LocationTerm, Term } from '../syntax/condition-ast.js';
import type { LitmusFile } from '../syntax/litmus-ast.js';
import { replaceTerms } from '../syntax/replace-terms.js';
import type { KernelPlace } from './kernel-places.js';
import { Inexpressible } from './written-thread.js';

/** The clauses of a test with the names that its threads, registers and shared memory have as those of a kernel. */
export function kernelClauses(
  { clauses, source }: LitmusFile,
  { locations, threads }: Program,
  places: readonly (KernelPlace | undefined)[],
  names: ReadonlyMap<string, string>,
  registerOf: (thread: string, register: string) => string,
): readonly Clause[] {
  const place = <T extends LocationTerm | AddressTerm>(one: T): T => {
    const ranges = locations.named(one.name);
    const owners = threads.filter(({ placement }) => ranges.some(({ object }) => object.cta === placement.cta));
    if (owners.length === 0) return one;
    const meant = owners.filter(
      ({ placement }) =>
        (one.cta === undefined || placement.ctaNumber === one.cta) &&
        (one.gpu === undefined || placement.gpu === one.gpu),
    );
    const at = meant.map(({ index }) => places[index]).find((found) => found !== undefined);
    if (at === undefined) return one;
    const grids = new Set(places.filter((other) => other !== undefined).map(({ grid }) => grid));
    const sameGpu = [...grids].filter(({ gpu }) => gpu === at.grid.gpu);
    if (sameGpu.some((other) => other !== at.grid && at.cta < other.ctas))
      throw new Inexpressible(`${one.name}: shared memory of one launch, where another has a CTA of that number`);
    const isOneGpu = sameGpu.length === grids.size;
    return { ...one, cta: at.cta, ...(isOneGpu ? {} : { gpu: at.grid.gpu }) };
  };
  const term = (one: Term): Term => {
    if (one.kind === 'location' || one.kind === 'address') return place(one);
    if (one.kind !== 'register') return one;
    const thread = names.get(one.thread);
    return thread === undefined ? one : { ...one, thread, register: registerOf(one.thread, one.register) };
  };
  const written = clauses.map((clause) => replaceTerms(clause, term));
  if (clauses.some(({ kind }) => kind === 'condition' || kind === 'expect')) return written;
  // A kernel test that asks for nothing asks for what no kernel should do, and a litmus test does not.
  const span = { source, start: 0, end: 0 };
  return [
    ...written,
    { kind: 'condition', quantifier: 'exists', proposition: { kind: 'constant', value: true }, span },
  ];
}
