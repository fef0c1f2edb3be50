import type { ProgramEvent } from '../events/program-event.js';
import { ofKind } from '../events/program-event.js';
import type { MbarrierOperation } from '../program/mbarrier-operation.js';
import { TOKEN } from '../program/mbarrier-operation.js';
import type { Operand } from '../program/operation.js';
import type { Interpreter } from './interpret.js';
import type { Dependencies, RegisterValue, State } from './value-domain.js';

const ONE: Operand = { kind: 'constant', value: 1n };
const OPERAND_WIDTH = 32;

/** What an mbarrier operation gives to the object and takes from it; what the object does is in mbarrier-machine.ts. */
export function runMbarrier<V, C>(
  thread: Interpreter<V, C>,
  operation: MbarrierOperation,
  events: readonly ProgramEvent[],
  state: State<V, C>,
  control: Dependencies<C>,
  written: Map<string, RegisterValue<V, C>>,
): void {
  const address = thread.address(state, operation.object, 0);
  const common = {
    executed: state.condition,
    controlDependencies: control,
    address: address.value,
    addressDependencies: address.from,
  };
  const of = (operand: Operand | undefined): RegisterValue<V, C> =>
    thread.operand(state, operand ?? ONE, OPERAND_WIDTH);
  for (const event of events) {
    switch (operation.action) {
      case 'init':
        if (event.kind === 'write') thread.record({ event, ...common, value: thread.environment.unspecified(event) });
        else {
          const count = of(operation.count);
          thread.record({ event, ...common, count: count.value, dataDependencies: count.from });
        }
        break;
      case 'expect_tx':
      case 'complete_tx': {
        const bytes = of(operation.bytes);
        thread.record({ event, ...common, bytes: bytes.value, dataDependencies: bytes.from });
        break;
      }
      case 'arrive': {
        const result = thread.environment.mbarrierResult(ofKind('mbarrier', event));
        const count = of(operation.count);
        const expected = operation.expect === undefined ? undefined : of(operation.expect);
        const dataDependencies = thread.union(count.from, expected?.from ?? thread.none);
        thread.record({
          event,
          ...common,
          result,
          count: count.value,
          ...(expected === undefined ? {} : { bytes: expected.value }),
          dataDependencies,
        });
        if (operation.target !== undefined) thread.write(written, operation.target, result, false, thread.from(event));
        break;
      }
      case 'wait': {
        const test = thread.operand(
          state,
          operation.test.operand,
          operation.test.kind === 'token' ? TOKEN.width : OPERAND_WIDTH,
        );
        const result = thread.environment.mbarrierResult(ofKind('mbarrier', event));
        thread.record({ event, ...common, value: test.value, result, dataDependencies: test.from });
        thread.write(written, operation.target, result, false, thread.from(event));
        break;
      }
      default: {
        const arrivals = operation.action === 'async_arrive' ? (operation.arrivals ?? 1) : 1;
        const count = of({ kind: 'constant', value: BigInt(arrivals) });
        thread.record({ event, ...common, ...(event.kind === 'mbarrier' ? { count: count.value } : {}) });
      }
    }
  }
}
