import type { FlatStatement } from '../isa/decode-thread.js';
import { WINDOWS } from '../program/locations.js';
import type { Placement } from '../program/placement.js';
import {
  type Allocation,
  allocationKey,
  BANDS,
  COLUMNS,
  TensorMemory,
  type TensorMemoryOfCta,
  WORD_BYTES,
} from '../program/tensor-memory.js';
import type { InstructionSyntax, OperandSyntax } from '../syntax/litmus-ast.js';
import type { LocationBuilder } from './build-locations.js';
import { writtenRegisters } from './build-registers.js';

interface Body {
  readonly placement: Placement;
  readonly statements: readonly FlatStatement[];
}

const SHAPES_OF_HALVES = /^16x/;
const WARPS_OF_QUARTERS = 4;
const CTA_BYTES = 0x100_0000n;

/**
 * The tensor memory of a test, made where a body uses it: which bands of lanes loads and stores tell apart, and which
 * columns each alloc gives out. An alloc in a loop gives the same columns each time. `areOfAll`: a body is that of all
 * threads of its CTA, and what a warp does together is one access.
 */
export function buildTensorMemory(
  bodies: readonly Body[],
  memory: LocationBuilder,
  areOfAll: boolean,
): TensorMemory | undefined {
  if (!bodies.some(({ statements }) => instructionsOf(statements).length > 0)) return undefined;
  const loads = bodies.filter(({ statements }) => instructionsOf(statements, 'ld', 'st').length > 0);
  const words = areOfAll ? 1 : Math.max(1, ...loads.map(({ placement }) => placement.lanes));
  const allocatorOf = (placement: Placement): string => (areOfAll ? placement.cta : placement.warp);
  const allocations = new Map<string, Allocation>();
  const ctas = new Map<string, TensorMemoryOfCta>();
  for (const { placement } of bodies) {
    const { cta, cluster, rank } = placement;
    if (ctas.has(cta) || placement.gpu === undefined) continue;
    const base = WINDOWS.tensor + BigInt(ctas.size) * CTA_BYTES;
    memory.addTensorMemory(base, placement, BANDS * COLUMNS * words * WORD_BYTES);
    const own = bodies.filter((body) => body.placement.cta === cta);
    ctas.set(cta, {
      base,
      rank,
      cluster,
      bands: bandsOf(own, areOfAll),
      allocations: allocate(own, allocations, allocatorOf),
    });
  }
  const grids = new Set(bodies.map(({ placement }) => placement.grid));
  const mixed = [...grids].filter((grid) => namesBothGroups(bodies.filter(({ placement }) => placement.grid === grid)));
  return new TensorMemory(ctas, words, allocations, new Set(mixed), allocatorOf);
}

function instructionsOf(statements: readonly FlatStatement[], ...names: readonly string[]): InstructionSyntax[] {
  return statements.filter(
    (statement): statement is InstructionSyntax =>
      statement.kind === 'instruction' &&
      statement.mnemonic === 'tcgen05' &&
      (names.length === 0 || names.includes(statement.qualifiers[0]?.text ?? '')),
  );
}

function namesBothGroups(bodies: readonly Body[]): boolean {
  const words = bodies.flatMap(({ statements }) =>
    instructionsOf(statements).flatMap(({ qualifiers }) => qualifiers.map(({ text }) => text)),
  );
  return words.includes('cta_group::1') && words.includes('cta_group::2');
}

/** The quarters of the warps that load or store, each in halves only if some shape has 16 lanes. */
function bandsOf(bodies: readonly Body[], areOfAll: boolean): readonly number[] {
  const quarters = new Set<number>();
  let halves = false;
  for (const { placement, statements } of bodies) {
    const instructions = instructionsOf(statements, 'ld', 'st');
    if (instructions.length === 0) continue;
    halves ||= instructions.some(({ qualifiers }) => qualifiers.some(({ text }) => SHAPES_OF_HALVES.test(text)));
    if (areOfAll || placement.warpNumber === undefined) [0, 1, 2, 3].forEach((quarter) => quarters.add(quarter));
    else quarters.add(placement.warpNumber % WARPS_OF_QUARTERS);
  }
  if (quarters.size === 0) quarters.add(0);
  return [...quarters].sort().flatMap((quarter) => (halves ? [2 * quarter, 2 * quarter + 1] : [2 * quarter]));
}

/** Gives each alloc of a CTA, of which it is known how many, columns of its own, in order; undefined: there is none. */
function allocate(
  bodies: readonly Body[],
  allocations: Map<string, Allocation>,
  allocatorOf: (placement: Placement) => string,
): Allocation[] | undefined {
  const wanted = new Map<string, number | undefined>();
  for (const { placement, statements } of bodies)
    for (const { operands, span } of instructionsOf(statements, 'alloc')) {
      const key = allocationKey(allocatorOf(placement), span.start);
      wanted.set(key, numberOf(operands[1], statements));
    }
  if (wanted.size === 0) return undefined;
  let column = 0;
  const known = [...wanted].flatMap(([key, columns]) => (columns === undefined ? [] : [[key, columns] as const]));
  return known.map(([key, columns]) => {
    const allocation = { column, columns };
    allocations.set(key, allocation);
    column += columns;
    return allocation;
  });
}

/** The number that an operand is: one, or a register that a body sets once, to a number. */
function numberOf(operand: OperandSyntax | undefined, statements: Body['statements']): number | undefined {
  if (operand?.kind === 'number') return Number(operand.value);
  if (operand?.kind !== 'name') return undefined;
  const { name } = operand;
  if (writtenRegisters({ statements }).filter((one) => one === name).length !== 1) return undefined;
  const [set] = statements.flatMap((statement) => {
    const isMove = statement.kind === 'instruction' && statement.mnemonic === 'mov' && statement.guard === undefined;
    const [target, value] = isMove ? statement.operands : [];
    return target?.kind === 'name' && target.name === name && value?.kind === 'number' ? [Number(value.value)] : [];
  });
  return set;
}
