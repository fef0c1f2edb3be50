import { effectsOf } from '../effects/effects-of.js';
import { mannerOf } from '../effects/event-tags.js';
import type { PlacedLane } from '../kernel/grid.js';
import { evaluateFloat, widthOf } from '../program/float-function.js';
import { computeArithmetic, resize } from '../program/integer.js';
import { operandWidth } from '../program/operand-width.js';
import type { BarrierOperation, Load, Operation } from '../program/operation.js';
import { settled } from './lane-arithmetic.js';
import { type LaneValue, lift } from './lane-value.js';
import type { Lockstep } from './lockstep.js';
import type { Path } from './path.js';
import { meetingValue } from './warp-values.js';

/** The registers that an operation writes, as far as their values are known. */
export function resultsOf(
  lockstep: Lockstep,
  path: Path,
  operation: Operation,
): readonly (readonly [string, LaneValue])[] | undefined {
  const lanes = path.lanes.length;
  switch (operation.kind) {
    case 'compute': {
      const { arithmetic, operands, type, target } = operation;
      const values = operands.map((operand, i) => lockstep.value(path, operand, operandWidth(arithmetic, i)));
      const value = settled(lanes, values, arithmetic.name, arithmetic.width, (own) =>
        computeArithmetic(arithmetic, own),
      );
      return [[target, fitted(lockstep, target, value, arithmetic.resultWidth, type.kind === 's', lanes)]];
    }
    case 'open': {
      const { function: of, operands, target, type } = operation;
      if (of === undefined) return undefined;
      const values = operands.map((operand) => lockstep.value(path, operand, widthOf(of.from)));
      const value = lift(lanes, values, (own) => evaluateFloat(of, own));
      return [[target, fitted(lockstep, target, value, type.width, type.kind === 's', lanes)]];
    }
    case 'load':
      return loaded(lockstep, path, operation);
    case 'barrier':
      return meetingResult(lockstep, path, operation);
    // What these give depends on memory, on objects or on other threads.
    case 'atomic':
    case 'mbarrier':
    case 'tensor':
      return undefined;
    // These give nothing.
    case 'store':
    case 'region':
    case 'async':
    case 'tensormap-copy':
    case 'fence':
    case 'proxy-fence':
    case 'cluster-barrier':
    case 'group':
    case 'tensor-step':
    case 'pair-step':
    case 'grid-wait':
    case 'launch-dependents':
    case 'require':
    case 'branch':
    case 'exit':
    case 'trap':
      return undefined;
  }
}

/** What a load finds in memory that is known before the launch. */
function loaded(lockstep: Lockstep, path: Path, operation: Load): readonly (readonly [string, LaneValue])[] {
  const { type, targets, address: at } = operation;
  const [lanes, bytes] = [path.lanes.length, type.width / 8];
  const address = lockstep.address(path, at);
  const [effect] = effectsOf(operation);
  const access = {
    bytes: targets.length * bytes,
    window: at.window,
    manner: mannerOf(new Set(effect?.tags), false),
  };
  return targets.flatMap((target, i) => {
    if (target === undefined) return [];
    const value = lift(lanes, [address], ([base = 0n]) =>
      lockstep.memory.contents(base + BigInt(i * bytes), bytes, { ...access, address: base }),
    );
    return [[target, fitted(lockstep, target, value, type.width, type.kind === 's', lanes)] as const];
  });
}

/** What a warp instruction returns, as far as the lanes that meet there are known. */
function meetingResult(
  lockstep: Lockstep,
  path: Path,
  operation: BarrierOperation,
): readonly (readonly [string, LaneValue])[] {
  const { reduction, id } = operation;
  if (reduction === undefined) return [];
  const { target, value: given, width, resultWidth } = reduction;
  const lanes = path.lanes.map((lane) => lockstep.lanes[lane] as PlacedLane);
  const values = { mask: lockstep.value(path, id, 32), given: lockstep.value(path, given, width) };
  const value = meetingValue(operation, reduction, lanes, values, path.specialized?.lanesRun);
  return [[target, fitted(lockstep, target, value, resultWidth, false, lanes.length)]];
}

function fitted(
  lockstep: Lockstep,
  target: string,
  value: LaneValue,
  from: number,
  signed: boolean,
  lanes: number,
): LaneValue {
  const width = lockstep.code.registers.get(target)?.type.width ?? from;
  return width === from ? value : lift(lanes, [value], ([bits = 0n]) => resize(bits, from, width, signed));
}
