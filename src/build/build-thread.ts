import { type Diagnostic, error, warning } from '../diagnostics/diagnostic.js';
import { didYouMean } from '../diagnostics/nearest.js';
import type { Span } from '../diagnostics/source.js';
import { joinRounds } from '../flow/join-rounds.js';
import { decodeThread } from '../isa/decode-thread.js';
import type { Decoder } from '../isa/decoder.js';
import type { ProgramStatement } from '../program/operation.js';
import type { Placement } from '../program/placement.js';
import type { Thread } from '../program/program.js';
import { specialRegisters } from '../program/special-registers.js';
import type { CheckBudget } from '../program/undecided.js';
import type { RegisterDeclaration, ThreadSyntax } from '../syntax/litmus-ast.js';
import { shownThreadName } from '../syntax/thread-name.js';
import type { LocationBuilder } from './build-locations.js';
import { buildRegisters } from './build-registers.js';
import { cutTiles } from './cut-tiles.js';
import { decoderOf } from './decoder-of.js';
import type { GridOrders } from './grid-orders.js';
import type { PlacedBody, TestMemory } from './test-memory.js';

/** The test that a thread is one of. */
export interface TestOfThread extends TestMemory {
  readonly placements: readonly Placement[];
  /** What registers hold when the threads start. */
  readonly initializers: readonly RegisterDeclaration[];
  readonly orders: GridOrders;
  /** The test is in the Dat3M dialect: in columns, without a typed declaration. */
  readonly isDat3m: boolean;
  readonly checkBudget: CheckBudget;
}

/** A thread that a test writes out. */
export function buildThread(
  header: ThreadSyntax,
  index: number,
  placed: PlacedBody,
  test: TestOfThread,
): { readonly thread: Thread; readonly diagnostics: readonly Diagnostic[] } {
  const { placement, body } = placed;
  const { memory, orders, checkBudget } = test;
  const initialized = test.initializers.filter((declaration) => declaration.thread === header.name);
  const { decoder, declared } = decoderOf(placed, test, orders, {
    set: initialized.map((declaration) => declaration.register),
    specialRegisters: specialRegisters(test.placements, placement),
    isDat3m: test.isDat3m,
  });
  decoder.statements.push(...orders.waitsAtStart(placement, header.span));
  const { labels, diagnostics: decoding } = decodeThread(decoder, body, checkBudget);
  const initial = new Map(
    initialized.map((declaration) => [
      declaration.register,
      { ...initialValue(declaration, memory, placement), declaration },
    ]),
  );
  const { registers, diagnostics: typing } = buildRegisters(declared.types, initial, decoder.reads, decoder.writes);
  const diagnostics = [...declared.diagnostics, ...decoding, ...typing];
  if (placement.gpu === undefined) diagnostics.push(...checkHost(decoder.statements));
  for (const [register, span] of guardRegisters(decoder))
    if (!registers.has(register)) diagnostics.push(error('L0104', span, `the guard ${register} is never set`));
  if (!memory.shorthandOnly) diagnostics.push(...unsetRegisters(decoder));
  const { diagnostics: cutting, ...cut } = cutTiles(
    { statements: decoder.statements, labels },
    memory.locations,
    placement,
  );
  diagnostics.push(...cutting);
  return {
    thread: { index, name: shownThreadName(header.name), placement, registers, ...joinRounds(cut) },
    diagnostics,
  };
}

/** What a thread of the CPU executes: what has a meaning outside of a GPU. */
const ON_HOST: ReadonlySet<string> = new Set([
  ...['load', 'store', 'atomic', 'fence', 'compute', 'open', 'require', 'branch', 'exit', 'trap'],
]);

function checkHost(statements: readonly ProgramStatement[]): readonly Diagnostic[] {
  return statements
    .filter(({ operation }) => !ON_HOST.has(operation.kind))
    .map(({ span }) =>
      error('L0104', span, 'a thread of the host has loads, stores, atomics, fences and arithmetic, and nothing else'),
    );
}

function initialValue(
  declaration: RegisterDeclaration,
  memory: LocationBuilder,
  placement: Placement,
): { readonly value: bigint; readonly address: boolean } {
  const { initial, span } = declaration;
  switch (initial.kind) {
    case 'number':
      if (typeof initial.value === 'bigint') return { value: initial.value, address: false };
      memory.diagnostics.push(
        error('L0201', span, 'a register starts as an integer: write the bits, such as 0f3F800000'),
      );
      return { value: 0n, address: false };
    case 'address':
    case 'copy': {
      const descriptor = initial.kind === 'copy' ? memory.descriptors.get(initial.name) : undefined;
      if (descriptor !== undefined) return { value: descriptor, address: true };
      const range = memory.locations.resolve(initial.name, placement) ?? memory.locationOf(initial.name, span);
      return { value: (range?.base ?? 0n) + (initial.kind === 'address' ? initial.offset : 0n), address: true };
    }
    default:
      memory.diagnostics.push(error('L0201', span, 'a register starts as a number or an address'));
      return { value: 0n, address: false };
  }
}

/**
 * Registers that are read without having been set anywhere: they are 0, as docs/format.md says, but hardly meant to
 * be.
 */
function unsetRegisters(decoder: Decoder): readonly Diagnostic[] {
  const known = decoder.thread.registers;
  const unset = new Map(
    decoder.reads
      .filter(({ register }) => !known.has(register) && !register.startsWith('#'))
      .map((use) => [use.register, use]),
  );
  return [...unset.values()].map(({ register, span }) =>
    warning('L0108', span, `register ${register} is never set in this thread; it is 0`, didYouMean(register, known)),
  );
}

/** The registers used as guards, with a place to complain about. */
function guardRegisters(decoder: Decoder): ReadonlyMap<string, Span> {
  return new Map(
    decoder.statements.flatMap(({ guard, span }) =>
      guard === undefined || guard.register.startsWith('#') ? [] : [[guard.register, span] as const],
    ),
  );
}
