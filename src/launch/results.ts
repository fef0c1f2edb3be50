import { evaluateFloat, widthOf } from '../program/float-function.js';
import { computeArithmetic, resize } from '../program/integer.js';
import { operandWidth } from '../program/operand-width.js';
import type { BarrierOperation, Operation } from '../program/operation.js';
import { settled } from './lane-arithmetic.js';
import { type LaneValue, lift } from './lane-value.js';
import type { Path } from './path.js';
import type { Walk } from './walk.js';
import { meetingValue, type PlacedLane } from './warp-values.js';

/** The registers that an operation writes, as far as their values are known. */
export function resultsOf(
  walk: Walk,
  path: Path,
  operation: Operation,
): readonly (readonly [string, LaneValue])[] | undefined {
  const lanes = path.lanes.length;
  switch (operation.kind) {
    case 'compute': {
      const { arithmetic, operands, type, target } = operation;
      const values = operands.map((operand, i) => walk.value(path, operand, operandWidth(arithmetic, i)));
      const value = settled(lanes, values, arithmetic.name, arithmetic.width, (own) =>
        computeArithmetic(arithmetic, own),
      );
      return [[target, fitted(walk, target, value, arithmetic.resultWidth, type.kind === 's', lanes)]];
    }
    case 'open': {
      const { function: of, operands, target, type } = operation;
      if (of === undefined) return undefined;
      const values = operands.map((operand) => walk.value(path, operand, widthOf(of.from)));
      const value = lift(lanes, values, (own) => evaluateFloat(of, own));
      return [[target, fitted(walk, target, value, type.width, type.kind === 's', lanes)]];
    }
    case 'load': {
      const { type, targets } = operation;
      const bytes = type.width / 8;
      const address = walk.address(path, operation.address);
      return targets.flatMap((target, i) => {
        if (target === undefined) return [];
        const value = lift(lanes, [address], ([base = 0n]) => walk.memory.contents(base + BigInt(i * bytes), bytes));
        return [[target, fitted(walk, target, value, type.width, type.kind === 's', lanes)] as const];
      });
    }
    case 'barrier':
      return meetingResult(walk, path, operation);
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
    case 'grid-wait':
    case 'launch-dependents':
    case 'require':
    case 'branch':
    case 'exit':
    case 'trap':
      return undefined;
  }
}

/** What a warp instruction returns, as far as the lanes that meet there are known. */
function meetingResult(walk: Walk, path: Path, operation: BarrierOperation): readonly (readonly [string, LaneValue])[] {
  const { reduction, id } = operation;
  if (reduction === undefined) return [];
  const { target, value: given, width, resultWidth } = reduction;
  const lanes = path.lanes.map((lane) => walk.lanes[lane] as PlacedLane);
  const values = { mask: walk.value(path, id, 32), given: walk.value(path, given, width) };
  const value = meetingValue(operation, reduction, lanes, values, path.residue?.lanesRun);
  return [[target, fitted(walk, target, value, resultWidth, false, lanes.length)]];
}

function fitted(walk: Walk, target: string, value: LaneValue, from: number, signed: boolean, lanes: number): LaneValue {
  const width = walk.code.registers.get(target)?.type.width ?? from;
  return width === from ? value : lift(lanes, [value], ([bits = 0n]) => resize(bits, from, width, signed));
}
