import { RANK_FIELD } from '../program/locations.js';
import type { Operand, Operation } from '../program/operation.js';
import { type Instruction, instruction } from './instruction.js';
import { mbarrierIn } from './mbarrier.js';
import { BLACKWELL, GROUP, groupOf, requireOneGroup } from './tcgen05.js';

/** tcgen05.fence and tcgen05.commit (PTX ISA 9.7.18.12). */
const fence = (step: 'before_thread_sync' | 'after_thread_sync'): Instruction =>
  instruction({
    slots: {},
    operands: '',
    advised: 'presence',
    since: BLACKWELL,
    decode: (at) => at.emit({ kind: 'tensor-step', step }),
  });

export const COMPLETION_INSTRUCTIONS = {
  'tcgen05.fence::before_thread_sync': fence('before_thread_sync'),
  'tcgen05.fence::after_thread_sync': fence('after_thread_sync'),
  /** An arrival when all earlier mma, cp and shift of the thread and its CTA group are complete. */
  'tcgen05.commit': instruction({
    slots: {
      ...GROUP,
      mechanism: ['mbarrier::arrive::one'],
      space: ['shared::cluster'],
      multicast: ['multicast::cluster'],
      type: ['b64'],
    },
    required: ['group', 'mechanism', 'type'],
    operands: '[mbar]{, mask}',
    since: BLACKWELL,
    decode: (at, { group, multicast }) => {
      const [, mask] = at.operands;
      if ((mask === undefined) !== (multicast === undefined))
        return void at.refuse(mask, 'a mask of CTAs goes with .multicast::cluster, and that with a mask');
      if (mask !== undefined && mask.kind !== 'name') return void at.refuse(mask, 'the mask is in a register');
      const object = mbarrierIn('shared::cluster').read(at, at.operands[0]);
      const bits = mask === undefined ? undefined : at.value(mask, { kind: 'u', width: 16 });
      if (object === undefined || (mask !== undefined && bits === undefined)) return;
      requireOneGroup(at);
      const family = `tcgen05.cta_group::${groupOf(group)}` as const;
      const arriveAt = (base: Operand, offset: bigint): Operation => ({
        ...{ kind: 'mbarrier', action: 'async_arrive', family, object: { ...object, base, offset }, increment: false },
      });
      if (bits === undefined) return at.emit(arriveAt(object.base, object.offset));
      const of = at.of(64);
      const whole = of.add(object.base, of.number(object.offset));
      for (let rank = 0; rank < at.placement.clusterSize; rank++) {
        const chosen = at.of(1).element(bits, 16, rank);
        const base = of.or(
          of.and(whole, of.number(~RANK_FIELD.mask)),
          of.number(BigInt(rank) << BigInt(RANK_FIELD.shift)),
        );
        at.emitWhere(chosen, arriveAt(base, 0n));
      }
    },
  }),
} as const satisfies Record<string, Instruction>;
