import { kindOf, type Trace } from '../follow/trace.js';
import type { OrderEdge } from './whole-run.js';

/** What an access is, as far as pipelines tell it from others. */
type Part = 'OPERAND' | 'ACCUMULATOR' | 'CP' | 'CP_4X256B' | 'SHIFT' | 'ST' | 'LD';

/** `place`: where both begin at one column; `shape`: where they are of the same columns, too. */
interface Pipelined {
  readonly edge: OrderEdge;
  readonly first: Part;
  readonly second: Part;
  readonly same?: 'place' | 'shape';
}

/**
 * Accesses of one warp, and one CTA group, that are executed in the order of their issue (PTX ISA 9.7.18.6.2;
 * models/ptx-9.4.cat, pipelined-accesses).
 */
const PIPELINED: readonly Pipelined[] = [
  { edge: 'tensor-accumulators', first: 'ACCUMULATOR', second: 'ACCUMULATOR', same: 'shape' },
  { edge: 'tensor-operands', first: 'OPERAND', second: 'ACCUMULATOR' },
  { edge: 'tensor-operands', first: 'OPERAND', second: 'CP' },
  { edge: 'tensor-operands', first: 'OPERAND', second: 'SHIFT' },
  { edge: 'tensor-operands', first: 'CP_4X256B', second: 'OPERAND' },
  { edge: 'tensor-operands', first: 'CP', second: 'OPERAND', same: 'place' },
  { edge: 'tensor-operands', first: 'SHIFT', second: 'OPERAND' },
  { edge: 'tensor-operands', first: 'SHIFT', second: 'CP_4X256B' },
  { edge: 'tensor-transfers', first: 'ST', second: 'LD' },
  { edge: 'tensor-transfers', first: 'ST', second: 'ST' },
  { edge: 'tensor-transfers', first: 'LD', second: 'ST' },
];

/** The pair by which two accesses are pipelined, if they are issued one after the other. */
export function pipelineOf(trace: Trace, first: number, second: number): Pipelined | undefined {
  const [a, b] = [trace.tensors.get(first), trace.tensors.get(second)];
  if (a === undefined || b === undefined || a.warp !== b.warp) return undefined;
  const [x, y] = [kindOf(trace, first).tags, kindOf(trace, second).tags];
  const isOneGroup = a.use.group !== undefined && a.use.group === b.use.group;
  return PIPELINED.find(
    (pair) =>
      x.has(pair.first) &&
      y.has(pair.second) &&
      (pair.edge === 'tensor-transfers' || isOneGroup) &&
      (pair.same === undefined || areSame(trace, first, second, pair.same)),
  );
}

function areSame({ accesses }: Trace, a: number, b: number, what: 'place' | 'shape'): boolean {
  const { pieces, starts, sizes } = accesses;
  const columns = what === 'place' ? [pieces, starts] : [pieces, starts, sizes];
  return columns.every((column) => column.at(a) === column.at(b));
}
