import {
  decodeAsyncArrive,
  decodeMbarrierArrive,
  decodeMbarrierBytes,
  decodeMbarrierInit,
  decodeMbarrierInval,
  decodeMbarrierWait,
  decodePendingCount,
} from './decode-mbarrier.js';
import { HOPPER, type Instruction, instruction, OWN_SHARED, SHARED, type Since } from './instruction.js';
import type { Rule } from './qualifier-rules.js';

/** The entries of `mbarrier.*` and `cp.async.mbarrier.arrive` (PTX ISA, mbarrier). */
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
    decode: (at, qualifiers) => decodeMbarrierArrive(at, qualifiers, drop),
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
    decode: (at, qualifiers) => decodeMbarrierBytes(at, qualifiers, action),
  });

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
    decode: decodeMbarrierWait,
    ...more,
  });

export const MBARRIER_INSTRUCTIONS = {
  'mbarrier.init': instruction({
    slots: { type: TYPE, space: OWN_SHARED },
    required: ['type'],
    operands: '[addr], count',
    notYet: PHASES,
    since: FIRST,
    decode: decodeMbarrierInit,
  }),
  'mbarrier.inval': instruction({
    slots: { type: TYPE, space: OWN_SHARED },
    required: ['type'],
    operands: '[addr]',
    since: FIRST,
    decode: decodeMbarrierInval,
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
  'mbarrier.pending_count': instruction({
    slots: { type: TYPE },
    required: ['type'],
    operands: 'count, state',
    destination: true,
    since: FIRST,
    decode: decodePendingCount,
  }),
  'cp.async.mbarrier.arrive': instruction({
    slots: { type: TYPE, space: OWN_SHARED, increment: ['noinc'] },
    required: ['type'],
    operands: '[addr]',
    since: FIRST,
    decode: decodeAsyncArrive,
  }),
} as const satisfies Record<string, Instruction>;
