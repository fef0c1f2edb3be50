import { type Diagnostic, error } from '../diagnostics/diagnostic.js';
import { reductionOf } from '../isa/atomic.js';
import type { AsyncOperation } from '../program/async-operation.js';
import { beginsAlike, type LocationTable, type MemoryObject, type Tensor, tensorAt } from '../program/locations.js';
import { CHUNK } from '../program/matrix-layout.js';
import type { Address, Operand, ProgramStatement } from '../program/operation.js';
import type { Placement } from '../program/placement.js';
import { type Run, tileRuns } from '../program/tensor-boxes.js';

/** Whether memory may change while the test runs. */
export type IsWritten = (object: MemoryObject) => boolean;

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

/** The runs of a copy, each a copy of its own, or why there are none. */
function runsOf(
  operation: Whole,
  locations: LocationTable,
  placement: Placement,
  isWritten: IsWritten,
): readonly AsyncOperation[] | string {
  const { descriptor, side, coordinates = [], isOfRows = false } = operation.tile;
  if (descriptor.base.kind !== 'constant')
    return 'which tensor map this copy uses must be known before the test is run';
  const corner = coordinates.flatMap((one) => (one.kind === 'constant' ? [Number(BigInt.asIntN(32, one.value))] : []));
  if (corner.length < coordinates.length) return 'the coordinates of a box must be known before the test is run';
  const address = descriptor.base.value + descriptor.offset;
  const range = locations.at(address, 1, placement.thread);
  const tensor = range === undefined ? undefined : tensorAt(range.object, Number(address - range.base));
  if (range === undefined || tensor === undefined)
    return 'no tensor map is declared at the address that this copy names';
  const own = side === 'source' ? operation.destination : sharedSource(operation);
  const start = own?.base.kind === 'constant' ? own.base.value + own.offset : undefined;
  const runs = tileRuns(tensor, { corner, isOfRows, isStored: side === 'destination', start });
  if (typeof runs === 'string') return runs;
  const isFixed = range.object.space === 'param' || range.object.space === 'const';
  const { object } = tensor.target;
  // Where it makes no difference which bytes are read, rows are taken as one run.
  const isPlain = side === 'source' && isFixed && !isWritten(object) && beginsAlike(object);
  const bytes = runs.reduce((sum, run) => sum + run.bytes, 0);
  const isDense = runs.every((run) => run.at >= 0 && run.at + run.bytes <= bytes);
  const isOne = isPlain && isDense && bytes <= object.size && runs.every(({ global }) => global !== undefined);
  const moved = isOne
    ? [{ at: 0, global: 0, bytes }]
    : runs.filter((run) => side === 'source' || run.global !== undefined);
  // Whether a tile begins where it may is seen of a run that is so far from there.
  const first = moved.findIndex(({ at }) => at % CHUNK === 0);
  return moved.flatMap((run, index) => copyOf(operation, tensor, run, isFixed, index === first));
}

const sharedSource = ({ source }: AsyncOperation): Address | undefined =>
  source.kind === 'memory' ? source.address : undefined;

/** The copy of one run; none where it is of no memory. */
function copyOf(
  operation: Whole,
  tensor: Tensor,
  run: Run,
  /** The tensor map cannot change: its address is known. */
  isFixed: boolean,
  isFirst: boolean,
): readonly AsyncOperation[] {
  const { reduction, destination, rules } = operation;
  const { descriptor, side } = operation.tile;
  const offset = BigInt(run.global ?? 0);
  const inTensor: Address = isFixed
    ? { base: constant(tensor.target.base + offset), offset: 0n, window: 'global' }
    : { ...descriptor, window: 'global' };
  const local = side === 'source' ? destination : sharedSource(operation);
  if (local === undefined) return [];
  const inShared = { ...local, offset: local.offset + BigInt(run.at) };
  const element = tensor.shape?.elementType ?? tensor.target.elementType;
  return [
    {
      ...operation,
      source: {
        kind: 'memory',
        address: side === 'source' ? inTensor : inShared,
        bytes: constant(BigInt(run.bytes)),
        given: run.global === undefined ? constant(0n) : undefined,
        ignored: undefined,
      },
      destination: side === 'source' ? inShared : inTensor,
      reduction: reduction === undefined ? undefined : reductionOf(reduction, element),
      tile: isFixed ? undefined : { descriptor, coordinate: constant(offset), side },
      rules: isFirst ? rules : rules.filter((rule) => rule !== 'tile-alignment'),
    },
  ];
}

const constant = (value: bigint): Operand => ({ kind: 'constant', value });
