import { type DataType, PREDICATE } from '../program/data-type.js';
import { constant, type Operand } from '../program/operation.js';
import { BYTES, emitAsync } from './emit-async.js';
import { type Instruction, instruction } from './instruction.js';
import type { InstructionDecoder } from './instruction-decoder.js';
import { mbarrierIn } from './mbarrier.js';
import { B32, memory } from './typed-operands.js';

/**
 * Cluster launch control (PTX ISA, clusterlaunchcontrol). The response here: bit 0 tells success, the words after the
 * first are the coordinates of a CTA that the test does not show.
 */
const RESPONSE: DataType = { kind: 'b', width: 128 };
/**
 * Set when the thread has seen a request fail: another one is then undefined (PTX ISA,
 * clusterlaunchcontrol.try_cancel).
 */
const FAILED = '#cancellation-failed';

const BLACKWELL = { ptx: '8.6', target: 'sm_100' };
const DIMENSIONS = ['get_first_ctaid::x', 'get_first_ctaid::y', 'get_first_ctaid::z'] as const;

/** Whether a request has succeeded; of one that has not, the thread makes no other. */
function queryFailure(at: InstructionDecoder, succeeded: Operand): void {
  const target = at.target(at.operands[0], PREDICATE);
  if (target === undefined) return;
  at.result(target, PREDICATE, succeeded);
  const bit = at.of(1);
  at.result(FAILED, PREDICATE, bit.or(at.hidden(FAILED, PREDICATE), bit.not(succeeded)));
}

export const LAUNCH_CONTROL_INSTRUCTIONS = {
  'clusterlaunchcontrol.try_cancel': instruction({
    slots: {
      sync: ['async'],
      space: ['shared::cta'],
      mechanism: [BYTES],
      multicast: ['multicast::cluster::all'],
      type: ['b128'],
    },
    required: ['sync', 'mechanism', 'type'],
    operands: '[addr], [mbar]',
    since: { ...BLACKWELL, target: 'sm_100; .multicast::cluster::all sm_100a' },
    typed: () => [memory('shared::cta', RESPONSE.width / 8), mbarrierIn('shared::cta')],
    decode: (at, { multicast }, [destination, object]) => {
      at.require(at.of(1).not(at.hidden(FAILED, PREDICATE)), 'request-after-failure');
      const window = multicast === undefined ? 'shared::cta' : 'shared::cluster';
      emitAsync(at, {
        source: { kind: 'response' },
        destination: { ...destination, window },
        completion: { kind: 'mbarrier', object: { ...object, window } },
        multicast: multicast === undefined ? undefined : constant(0xffff),
      });
    },
  }),
  'clusterlaunchcontrol.query_cancel': instruction({
    slots: {
      query: ['is_canceled', 'get_first_ctaid', ...DIMENSIONS],
      aligned: ['pred'],
      vector: ['v4'],
      type: ['b32'],
      size: ['b128'],
    },
    required: ['query', 'size'],
    operands: 'd, response',
    destination: true,
    rules: [
      {
        rule:
          'query_cancel is .is_canceled.pred.b128, .get_first_ctaid.v4.b32.b128 or ' +
          '.get_first_ctaid::{x,y,z}.b32.b128',
        broken: (q) =>
          q.query === 'is_canceled'
            ? q.aligned !== 'pred' || q.type !== undefined || q.vector !== undefined
            : q.type !== 'b32' || q.aligned !== undefined || (q.query === 'get_first_ctaid') !== (q.vector === 'v4'),
      },
    ],
    since: BLACKWELL,
    decode: (at, { query, vector }) => {
      const [destination, operand] = at.operands;
      const response = at.value(operand, RESPONSE);
      if (response === undefined) return;
      const succeeded = at.of(1).element(response, RESPONSE.width, 0);
      if (query === 'is_canceled') return queryFailure(at, succeeded);
      at.require(succeeded, 'answer-of-failure');
      const first = (DIMENSIONS as readonly string[]).indexOf(query);
      if (vector !== undefined && (destination?.kind !== 'vector' || destination.elements.length !== 4))
        return void at.refuse(destination, 'expected a vector of 4: {x, y, z, _}');
      const targets =
        destination?.kind === 'vector' && vector !== undefined ? destination.elements.slice(0, 3) : [destination];
      targets.forEach((one, i) => {
        if (one?.kind === 'sink') return;
        const target = at.target(one, B32);
        const index = vector === undefined ? first : i;
        if (target !== undefined) at.result(target, B32, at.of(32).element(response, RESPONSE.width, index + 1));
      });
    },
  }),
} as const satisfies Record<string, Instruction>;
