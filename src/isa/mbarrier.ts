import { PREDICATE } from '../program/data-type.js';
import { MBARRIER_BYTES, TOKEN } from '../program/mbarrier-operation.js';
import { type Address, constant, type Operand } from '../program/operation.js';
import { HOPPER, type Instruction, instruction, OWN_SHARED, SHARED, type Since } from './instruction.js';
import type { Rule } from './qualifier-rules.js';
import { B64, memory, optional, result, type TypedOperand, U32, value } from './typed-operands.js';

/** `mbarrier.*` and `cp.async.mbarrier.arrive` (PTX ISA, mbarrier). */
const ONE: Operand = constant(1n);

/** `[addr]` of an mbarrier object: 8 bytes, aligned. */
export const mbarrierIn = (space: string): TypedOperand<Address> => memory(space, MBARRIER_BYTES);
const OWN_OBJECT = mbarrierIn('shared::cta');

/** Of an operation that works across the cluster: without a state space anywhere in it. */
const objectInCluster = (space: string | undefined): TypedOperand<Address> =>
  space === undefined || space === 'shared::cluster' ? mbarrierIn('shared::cluster') : OWN_OBJECT;

const OBJECT_SCOPES = ['cta', 'cluster'] as const;
const TYPE = ['b64'] as const;
/** Of PTX 9.4: phases of two kinds, with reports. */
const PHASES = ['phase_type::primary', 'phase_type::conditional', 'report', 'layout::v0', 'layout::v1'];
const FIRST: Since = { ptx: '7.0', target: 'sm_80' };

const TOGETHER: Rule = {
  rule: 'order and scope of an mbarrier operation are given together, or neither is',
  broken: (q) => (q.order === undefined) !== (q.scope === undefined),
};
const NO_COMPLETE: Rule = {
  rule: '.noComplete is for .release.cta on .shared::cta, takes a count, and no .expect_tx',
  broken: (q) =>
    q.noComplete !== undefined &&
    (q.expectation !== undefined ||
      q.operandCount !== 3 ||
      (q.order ?? 'release') !== 'release' ||
      (q.scope ?? 'cta') !== 'cta' ||
      q.space === 'shared::cluster'),
};
const EXPECT_OPERAND: Rule = {
  rule: '.expect_tx takes the number of bytes',
  broken: (q) => q.expectation !== undefined && q.operandCount !== 3,
};

/** `drop`: it is mbarrier.arrive_drop. */
const arrive = (drop: boolean): Instruction =>
  instruction({
    slots: {
      type: TYPE,
      order: ['release', 'relaxed'],
      scope: OBJECT_SCOPES,
      space: SHARED,
      expectation: ['expect_tx'],
      noComplete: ['noComplete'],
    },
    required: ['type'],
    defaults: { order: 'release', scope: 'cta' },
    operands: 'state, [addr]{, count}',
    destination: true,
    rules: [TOGETHER, NO_COMPLETE, EXPECT_OPERAND],
    refused: {
      acquire: 'an arrival releases; waits acquire',
      acq_rel: 'an arrival releases; waits acquire',
      gpu: 'an mbarrier has .cta or .cluster scope',
      sys: 'an mbarrier has .cta or .cluster scope',
    },
    notYet: PHASES,
    advised: 'access',
    since: {
      ptx: '7.0; .expect_tx, .cluster 8.0; .relaxed 8.6',
      target: 'sm_80; .expect_tx, .cluster, count without .noComplete sm_90',
    },
    decode: (at, { order, scope, space, expectation, noComplete }) => {
      const [state, , operand] = at.operands;
      const discards = state?.kind === 'sink';
      if (!discards && space === 'shared::cluster')
        return void at.refuse(state, 'an arrival at an object in .shared::cluster returns no state: write _ for it');
      // An arrival that returns its state is for an object of the own CTA.
      const object = (discards ? objectInCluster(space) : OWN_OBJECT).read(at, at.operands[1]);
      const value = operand === undefined ? undefined : at.value(operand, U32);
      const target = discards ? undefined : at.target(state, B64);
      if (object === undefined || (operand !== undefined && value === undefined)) return;
      const expects = expectation !== undefined;
      at.emit({
        kind: 'mbarrier',
        action: 'arrive',
        object,
        count: expects ? ONE : (value ?? ONE),
        expect: expects ? value : undefined,
        drop,
        noComplete: noComplete !== undefined,
        order,
        scope,
        target,
      });
    },
  });

const bytes = (action: 'expect_tx' | 'complete_tx'): Instruction =>
  instruction({
    slots: { type: TYPE, order: ['relaxed'], scope: OBJECT_SCOPES, space: SHARED },
    required: ['type'],
    defaults: { order: 'relaxed', scope: 'cta' },
    operands: '[addr], txCount',
    rules: [TOGETHER],
    refused: { release: 'it is relaxed only; mbarrier.arrive releases' },
    notYet: PHASES,
    since: HOPPER,
    typed: ({ space }) => [objectInCluster(space), value(U32)],
    decode: (at, { order, scope }, [object, bytes]) =>
      at.emit({ kind: 'mbarrier', action, object, bytes, order, scope }),
  });

const HINT = optional(value(U32));

/** test_wait and try_wait: both may answer False before the phase is complete; the time hint is no promise. */
const wait = (more: { readonly operands: string; readonly since: Since }): Instruction =>
  instruction({
    slots: {
      type: TYPE,
      order: ['acquire', 'relaxed'],
      scope: OBJECT_SCOPES,
      space: OWN_SHARED,
      parity: ['parity'],
    },
    required: ['type'],
    defaults: { order: 'acquire', scope: 'cta' },
    destination: true,
    rules: [TOGETHER],
    refused: {
      release: 'a wait acquires; arrivals release',
      'shared::cluster': "a wait is for an object of the thread's own CTA",
      gpu: 'an mbarrier has .cta or .cluster scope',
      sys: 'an mbarrier has .cta or .cluster scope',
    },
    notYet: PHASES,
    advised: 'access',
    typed: ({ parity }) => [result(PREDICATE), OWN_OBJECT, value(parity === undefined ? B64 : U32), HINT],
    decode: (at, { order, scope, parity }, [target, object, operand]) => {
      const kind = parity === undefined ? 'token' : 'parity';
      at.emit({ kind: 'mbarrier', action: 'wait', object, target, test: { kind, operand }, order, scope });
    },
    ...more,
  });

export const MBARRIER_INSTRUCTIONS = {
  'mbarrier.init': instruction({
    slots: { type: TYPE, space: OWN_SHARED },
    required: ['type'],
    operands: '[addr], count',
    notYet: PHASES,
    since: FIRST,
    typed: () => [OWN_OBJECT, value(U32)],
    decode: (at, _, [object, count]) => at.emit({ kind: 'mbarrier', action: 'init', object, count }),
  }),
  'mbarrier.inval': instruction({
    slots: { type: TYPE, space: OWN_SHARED },
    required: ['type'],
    operands: '[addr]',
    since: FIRST,
    typed: () => [OWN_OBJECT],
    decode: (at, _, [object]) => at.emit({ kind: 'mbarrier', action: 'inval', object }),
  }),
  'mbarrier.expect_tx': bytes('expect_tx'),
  'mbarrier.complete_tx': bytes('complete_tx'),
  'mbarrier.arrive': arrive(false),
  'mbarrier.arrive_drop': arrive(true),
  'mbarrier.test_wait': wait({
    operands: 'waitComplete, [addr], state or phaseParity',
    since: { ptx: '7.0; .parity 7.1; order and scope 8.0; .relaxed 8.6', target: 'sm_80' },
  }),
  'mbarrier.try_wait': wait({
    operands: 'waitComplete, [addr], state or phaseParity{, suspendTimeHint}',
    since: { ptx: '7.8; order and scope 8.0; .relaxed 8.6', target: 'sm_90' },
  }),
  /** The count is part of the token of an operation with .noComplete (PTX ISA, mbarrier.pending_count). */
  'mbarrier.pending_count': instruction({
    slots: { type: TYPE },
    required: ['type'],
    operands: 'count, state',
    destination: true,
    since: FIRST,
    typed: () => [result(U32), value(B64)],
    decode: (at, _, [target, token]) => {
      const of = at.of(TOKEN.width);
      at.require(of.shiftRightBy(token, TOKEN.noComplete, 1), 'mbarrier-no-token');
      const pending = of.shiftRightBy(token, 0, TOKEN.pendingWidth);
      at.result(target, U32, at.of(TOKEN.pendingWidth).convert(pending, U32.width));
    },
  }),
  'cp.async.mbarrier.arrive': instruction({
    slots: { type: TYPE, space: OWN_SHARED, increment: ['noinc'] },
    required: ['type'],
    operands: '[addr]',
    since: FIRST,
    typed: () => [OWN_OBJECT],
    decode: (at, { increment: noIncrement }, [object]) => {
      const increment = noIncrement === undefined;
      at.emit({ kind: 'mbarrier', action: 'async_arrive', family: 'cp.async', object, increment });
    },
  }),
} as const satisfies Record<string, Instruction>;
