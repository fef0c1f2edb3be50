import { type DataType, PREDICATE } from '../program/data-type.js';
import type { Window } from '../program/locations.js';
import { MBARRIER_BYTES, TOKEN } from '../program/mbarrier-operation.js';
import { type Address, constant, type Operand } from '../program/operation.js';
import { HOPPER, type Instruction, instruction, OWN_SHARED, SHARED, type Since } from './instruction.js';
import type { InstructionDecoder } from './instruction-decoder.js';
import { place } from './place.js';
import type { Rule } from './qualifier-rules.js';

/** `mbarrier.*` and `cp.async.mbarrier.arrive` (PTX ISA, mbarrier). */
const COUNT: DataType = { kind: 'u', width: 32 };
const TOKEN_TYPE: DataType = { kind: 'b', width: TOKEN.width };
const ONE: Operand = constant(1n);

/** The address of an mbarrier object: 8 bytes, aligned. */
export function objectAddress(at: InstructionDecoder, index: number, window: Window): Address | undefined {
  return place(at, at.operands[index], window === 'generic' ? undefined : window, MBARRIER_BYTES, MBARRIER_BYTES);
}

/** Where an operation that works across the cluster may go: without a state space anywhere in the cluster. */
const clusterWindow = (space: string | undefined): Window =>
  space === undefined || space === 'shared::cluster' ? 'shared::cluster' : 'shared::cta';

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
      const object = objectAddress(at, 1, discards ? clusterWindow(space) : 'shared::cta');
      const value = operand === undefined ? undefined : at.value(operand, COUNT);
      const target = discards ? undefined : at.target(state, TOKEN_TYPE);
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
    decode: (at, { order, scope, space }) => {
      const object = objectAddress(at, 0, clusterWindow(space));
      const bytes = at.value(at.operands[1], COUNT);
      if (object === undefined || bytes === undefined) return;
      at.emit({ kind: 'mbarrier', action, object, bytes, order, scope });
    },
  });

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
    decode: (at, { order, scope, parity }) => {
      const [result, , tested, hint] = at.operands;
      const object = objectAddress(at, 1, 'shared::cta');
      const kind = parity === undefined ? 'token' : 'parity';
      const operand = at.value(tested, kind === 'token' ? TOKEN_TYPE : COUNT);
      if (hint !== undefined) at.value(hint, COUNT);
      const target = at.target(result, PREDICATE);
      if (object === undefined || operand === undefined || target === undefined) return;
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
    decode: (at) => {
      const object = objectAddress(at, 0, 'shared::cta');
      const count = at.value(at.operands[1], COUNT);
      if (object !== undefined && count !== undefined) at.emit({ kind: 'mbarrier', action: 'init', object, count });
    },
  }),
  'mbarrier.inval': instruction({
    slots: { type: TYPE, space: OWN_SHARED },
    required: ['type'],
    operands: '[addr]',
    since: FIRST,
    decode: (at) => {
      const object = objectAddress(at, 0, 'shared::cta');
      if (object !== undefined) at.emit({ kind: 'mbarrier', action: 'inval', object });
    },
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
    decode: (at) => {
      const token = at.value(at.operands[1], TOKEN_TYPE);
      const target = at.target(at.operands[0], COUNT);
      if (token === undefined || target === undefined) return;
      const of = at.of(TOKEN.width);
      at.require(of.shiftRight(token, constant(TOKEN.noComplete), 1), 'mbarrier-no-token');
      const pending = of.shiftRight(token, constant(0), TOKEN.pendingWidth);
      at.result(target, COUNT, at.of(TOKEN.pendingWidth).convert(pending, COUNT.width));
    },
  }),
  'cp.async.mbarrier.arrive': instruction({
    slots: { type: TYPE, space: OWN_SHARED, increment: ['noinc'] },
    required: ['type'],
    operands: '[addr]',
    since: FIRST,
    decode: (at, { increment }) => {
      const object = objectAddress(at, 0, 'shared::cta');
      if (object === undefined) return;
      at.emit({
        kind: 'mbarrier',
        action: 'async_arrive',
        family: 'cp.async',
        object,
        increment: increment === undefined,
      });
    },
  }),
} as const satisfies Record<string, Instruction>;
