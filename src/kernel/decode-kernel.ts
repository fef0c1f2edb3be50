import { buildRegisters } from '../build/build-registers.js';
import { decoderOf } from '../build/decoder-of.js';
import type { GridOrders } from '../build/grid-orders.js';
import type { TestMemory } from '../build/test-memory.js';
import { type Diagnostic, error, hasErrors } from '../diagnostics/diagnostic.js';
import { contractProducts } from '../isa/contraction.js';
import { decodeCopy } from '../isa/decode-parameters.js';
import { decodeInstruction, type FlatStatement, labelTwice } from '../isa/decode-thread.js';
import type { Decoder } from '../isa/decoder.js';
import type { DataType } from '../program/data-type.js';
import { type ProgramStatement, register } from '../program/operation.js';
import type { Placement } from '../program/placement.js';
import type { CheckBudget } from '../program/undecided.js';
import { analyzeCode, type Code } from './code.js';
import { volume, WARP_SIZE } from './grid.js';
import type { PlannedLaunch } from './plan-launches.js';

/** Of our own, where code is decoded for all threads of a CTA: hold the lane, and the number of the warp. */
export const LANE = '#lane';
export const WARP = '#warp';

const WORD: DataType = { kind: 'u', width: 32 };

/**
 * Decodes the body of a kernel for the threads of one place. What has no meaning is no error yet: a thread that is run
 * may never come there. Until then an exit stands in its place.
 */
export function decodeKernel(
  planned: PlannedLaunch,
  placement: Placement,
  test: TestMemory,
  orders: GridOrders,
  /** Registers that are asked for at the end. */
  asked: ReadonlySet<string>,
  checkBudget: CheckBudget,
  /** It is for all lanes of all warps there: what is not the same for them is told in `perLane`. */
  forAllLanes = false,
): { readonly code: Code; readonly diagnostics: readonly Diagnostic[] } {
  const { body } = planned;
  const special = forAllLanes ? new Set([...planned.special, LANE, WARP]) : planned.special;
  let isOfLane = false;
  const threads = volume(planned.launch.shape.block);
  const areAlike = threads % WARP_SIZE === 0 || threads < WARP_SIZE;
  const place = forAllLanes ? withoutLane(placement, areAlike, () => (isOfLane = true)) : placement;
  const { decoder, declared } = decoderOf({ placement: place, body }, test, orders, {
    set: special,
    isLaunched: true,
    specialRegisters: fixedRegisters(planned, test, placement),
    ofAll: forAllLanes ? { lane: register(LANE), warp: register(WARP) } : undefined,
  });
  let perLane = new Set<number>();
  const labels = new Map<string, number>();
  const twice: Diagnostic[] = [];
  let refused = new Map<number, Diagnostic>();
  for (const statement of body.statements) {
    checkBudget();
    if (statement.kind === 'label') {
      if (labels.has(statement.name)) twice.push(labelTwice(statement));
      labels.set(statement.name, decoder.statements.length);
      decoder.flagKind = undefined;
      continue;
    }
    const at = decoder.statements.length;
    isOfLane = false;
    const wrong = decodeStatement(decoder, statement);
    for (let one = at; isOfLane && one < decoder.statements.length; one++) perLane.add(one);
    if (wrong !== undefined) refused.set(at, wrong);
  }
  const placed = contractProducts(decoder);
  if (placed !== undefined) {
    for (const [name, place] of labels) labels.set(name, placed(place));
    refused = new Map([...refused].map(([place, why]) => [placed(place), why]));
    perLane = new Set([...perLane].map(placed));
  }
  const { registers, diagnostics } = buildRegisters(declared.types, new Map(), decoder.reads, decoder.writes);
  const all = new Map(registers);
  for (const name of special) all.set(name, { name, type: WORD, initial: 0n });
  const wrong = [...declared.diagnostics, ...diagnostics, ...twice, ...unknownLabels(decoder.statements, labels)];
  return {
    code: { ...analyzeCode({ statements: decoder.statements, labels }, all, refused, asked), perLane },
    diagnostics: hasErrors(wrong) ? wrong : [],
  };
}

/** A place without its warp and its lane: who looks at them is told; of warps that are alike not who counts lanes. */
function withoutLane(placement: Placement, areAlike: boolean, told: () => void): Placement {
  const own = ['warp', 'warpNumber', 'warpIndex', 'lane', 'firstLane'] as const;
  const members = areAlike ? own : ([...own, 'lanes', 'warpLanes'] as const);
  const getters = members.map(
    (name) =>
      [
        name,
        {
          enumerable: true,
          get: () => {
            told();
            return placement[name];
          },
        },
      ] as const,
  );
  return Object.defineProperties({ ...placement }, Object.fromEntries(getters));
}

/** Decodes a statement; gives why it has no meaning, where it has none. */
function decodeStatement(
  decoder: Decoder,
  statement: Exclude<FlatStatement, { kind: 'label' }>,
): Diagnostic | undefined {
  if (statement.kind === 'registers') return undefined;
  const { span } = statement;
  if (statement.kind === 'refused') {
    const { next, diagnostic } = statement;
    const operation = next === undefined ? { kind: 'exit' as const } : { kind: 'branch' as const, label: next };
    decoder.statements.push({ operation, guard: undefined, span });
    return diagnostic;
  }
  const [from, told] = [decoder.statements.length, decoder.diagnostics.length];
  const uses = [decoder.reads.length, decoder.writes.length] as const;
  const found = statement.kind === 'copy' ? decodeCopy(decoder, statement) : decodeInstruction(decoder, statement);
  const wrong = [...(found ?? []), ...decoder.diagnostics.splice(told)].find(({ severity }) => severity === 'error');
  if (wrong === undefined) return undefined;
  decoder.statements.length = from;
  decoder.parts.length = 0;
  decoder.reads.length = uses[0];
  decoder.writes.length = uses[1];
  const guard = statement.kind === 'instruction' ? statement.guard : undefined;
  const held = guard === undefined ? undefined : { register: guard.register, negated: guard.negated };
  decoder.statements.push({ operation: { kind: 'exit' }, guard: held, span });
  return wrong;
}

/** The predefined registers that are the same for all threads. */
const fixedRegisters = (
  { fixed }: PlannedLaunch,
  { memory }: TestMemory,
  placement: Placement,
): ReadonlyMap<string, bigint> =>
  new Map(
    [...fixed].map(([name, value]): [string, bigint] => {
      if (typeof value === 'bigint') return [name, value];
      const base = memory.locations.resolve(value, placement)?.base ?? 0n;
      return [name, name === 'envreg1' ? base >> 32n : base & 0xffff_ffffn];
    }),
  );

function unknownLabels(
  statements: readonly ProgramStatement[],
  labels: ReadonlyMap<string, number>,
): readonly Diagnostic[] {
  return statements.flatMap(({ operation, span }) =>
    operation.kind === 'branch' && !labels.has(operation.label)
      ? [error('L0107', span, `unknown label ${operation.label}`)]
      : [],
  );
}
