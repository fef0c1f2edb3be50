import { type Diagnostic, error } from '../diagnostics/diagnostic.js';
import type { AsyncOperation } from '../program/async-operation.js';
import type { LocationTable } from '../program/locations.js';
import type { Operand, ProgramStatement } from '../program/operation.js';
import type { Placement } from '../program/placement.js';
import { boxRuns } from '../program/tensor-boxes.js';
import type { IsWritten } from './launch-threads.js';

interface Body {
  readonly statements: readonly ProgramStatement[];
  readonly labels: ReadonlyMap<string, number>;
}

/**
 * Cuts the copies of boxes of tensors into runs of bytes (PTX ISA, Tensors): rows that follow each other in both
 * memories are one run; what lies outside of the tensor is read as zeros, and not written.
 */
export function cutTiles(
  body: Body,
  locations: LocationTable,
  placement: Placement,
  isWritten: IsWritten = () => true,
): Body & { readonly diagnostics: readonly Diagnostic[] } {
  const diagnostics: Diagnostic[] = [];
  if (!body.statements.some(({ operation }) => isWhole(operation))) return { ...body, diagnostics };
  const statements: ProgramStatement[] = [];
  const places: number[] = [];
  for (const statement of body.statements) {
    places.push(statements.length);
    const { operation, span } = statement;
    const runs = isWhole(operation) ? runsOf(operation, locations, placement, isWritten) : [operation];
    if (typeof runs === 'string') diagnostics.push(error('L0104', span, runs));
    else statements.push(...runs.map((one) => ({ ...statement, operation: one })));
  }
  places.push(statements.length);
  const labels = new Map([...body.labels].map(([name, at]) => [name, places[at] ?? statements.length]));
  return { statements, labels, diagnostics };
}

type Whole = AsyncOperation & { readonly tile: NonNullable<AsyncOperation['tile']> };
const isWhole = (operation: ProgramStatement['operation']): operation is Whole =>
  operation.kind === 'async' && operation.tile?.coordinates !== undefined;

function runsOf(
  operation: Whole,
  locations: LocationTable,
  placement: Placement,
  isWritten: IsWritten,
): readonly AsyncOperation[] | string {
  const { descriptor, coordinates = [], side } = operation.tile;
  if (descriptor.base.kind !== 'constant')
    return 'which tensor map this copy uses must be known before the test is run';
  const known = coordinates.map((one) => (one.kind === 'constant' ? Number(BigInt.asIntN(32, one.value)) : undefined));
  if (known.some((one) => one === undefined)) return 'the coordinates of a box must be known before the test is run';
  const address = descriptor.base.value + descriptor.offset;
  const range = locations.at(address, 1, placement.thread);
  const at = range === undefined ? undefined : Number(address - range.base);
  const tensor = range?.object.tensors.find((one) => one.at === at)?.tensor;
  if (tensor === undefined) return 'no tensor map is declared at the address that this copy names';
  if (tensor.shape === undefined)
    return `the tensor map of ${tensor.target.name} says no box: write tensormap(.type, …)`;
  if (tensor.shape.box.length !== known.length)
    return `the tensor has ${tensor.shape.box.length} dimensions, and this copy names ${known.length} coordinates`;
  const isFixed = range?.object.space === 'param' || range?.object.space === 'const';
  const { reduction, source, destination } = operation;
  const runs = boxRuns(tensor, known as readonly number[]);
  const { target } = tensor;
  // Where it makes no difference which bytes are read, rows are taken as one run.
  const isPlain =
    side === 'source' && isFixed && !isWritten(target.object) && new Set(target.object.initial).size === 1;
  const isOne = isPlain && tensor.bytes <= target.object.size && runs.every(({ global }) => global !== undefined);
  return (isOne ? [{ at: 0, global: 0, bytes: tensor.bytes }] : runs).flatMap(
    (run, index): readonly AsyncOperation[] => {
      if (run.global === undefined && side === 'destination') return [];
      const offset = run.global ?? 0;
      const memory = { base: constant(tensor.target.base + BigInt(offset)), offset: 0n, window: 'global' as const };
      const shift = <T extends { readonly offset: bigint }>(one: T): T => ({
        ...one,
        offset: one.offset + BigInt(run.at),
      });
      const own = isFixed ? memory : descriptor;
      const bytes = constant(BigInt(run.bytes));
      const local = side === 'source' ? destination : source.kind === 'memory' ? source.address : undefined;
      if (local === undefined) return [];
      const element = tensor.shape?.elementType ?? tensor.target.elementType;
      return [
        {
          ...operation,
          source: {
            kind: 'memory',
            address: side === 'source' ? { ...own, window: 'global' } : shift(local),
            bytes,
            given: run.global === undefined ? constant(0n) : undefined,
            ignored: undefined,
          },
          destination: side === 'source' ? shift(local) : { ...own, window: 'global' },
          reduction: reduction === undefined ? undefined : { ...reduction, type: element },
          tile: isFixed ? undefined : { descriptor, coordinate: constant(BigInt(offset)), side },
          rules: index === 0 ? operation.rules : operation.rules.filter((rule) => rule !== 'tile-alignment'),
        },
      ];
    },
  );
}

const constant = (value: bigint): Operand => ({ kind: 'constant', value });
