import type { MbarrierOperation } from './mbarrier-operation.js';
import type { Operand, Operation } from './operation.js';

/** The registers that an operation may write; under a guard it may also leave them as they were. */
export function registersWritten(operation: Operation): readonly string[] {
  switch (operation.kind) {
    case 'compute':
    case 'open':
      return [operation.target];
    case 'load':
      return operation.targets.filter((target) => target !== undefined);
    case 'atomic':
      return [operation.target, ...(operation.more ?? []).map(({ target }) => target)].filter(
        (target) => target !== undefined,
      );
    case 'barrier':
      return operation.reduction === undefined ? [] : [operation.reduction.target];
    case 'mbarrier':
      return (operation.action === 'arrive' || operation.action === 'wait') && operation.target !== undefined
        ? [operation.target]
        : [];
    case 'tensor':
      return operation.target === undefined ? [] : [operation.target];
    default:
      return [];
  }
}

/** The registers that an operation reads, its guard apart. */
export function registersRead(operation: Operation): readonly string[] {
  const of = (operands: readonly (Operand | undefined)[]): string[] =>
    operands.flatMap((operand) => (operand?.kind === 'register' ? [operand.name] : []));
  switch (operation.kind) {
    case 'compute':
    case 'open':
      return of(operation.operands);
    case 'load':
      return of([operation.address.base]);
    case 'store':
      return of([operation.address.base, ...operation.values]);
    case 'atomic':
      return of([operation.address.base, ...operation.values, ...(operation.more ?? []).map(({ value }) => value)]);
    case 'barrier':
      return of([
        operation.id,
        operation.count,
        operation.reduction?.value,
        ...(operation.reduction?.represented ?? []).map(({ value }) => value),
      ]);
    case 'mbarrier':
      return of([operation.object.base, ...mbarrierOperands(operation)]);
    case 'require':
      return of([operation.value]);
    case 'region':
      return of([operation.address.base, operation.bytes]);
    case 'tensor':
      return of([operation.address.base, operation.bytes, operation.value]);
    case 'proxy-fence':
      return of([operation.address?.base]);
    case 'async': {
      const { source, destination, tile, multicast, completion } = operation;
      const given =
        source.kind === 'memory'
          ? [source.address.base, source.bytes, source.given, source.ignored]
          : source.kind === 'values'
            ? source.values
            : [];
      return of([
        ...given,
        destination?.base,
        tile?.descriptor.base,
        tile?.coordinate,
        ...(tile?.coordinates ?? []),
        multicast,
        completion.kind === 'mbarrier' ? completion.object.base : undefined,
      ]);
    }
    case 'tensormap-copy':
      return of([operation.source.base, operation.destination.base]);
    case 'fence':
    case 'cluster-barrier':
    case 'group':
    case 'tensor-step':
    case 'branch':
    case 'grid-wait':
    case 'launch-dependents':
    case 'exit':
    case 'trap':
      return [];
  }
}

function mbarrierOperands(operation: MbarrierOperation): readonly (Operand | undefined)[] {
  switch (operation.action) {
    case 'init':
      return [operation.count];
    case 'expect_tx':
    case 'complete_tx':
      return [operation.bytes];
    case 'arrive':
      return [operation.count, operation.expect];
    case 'wait':
      return [operation.test.operand];
    case 'inval':
    case 'async_arrive':
      return [];
  }
}
