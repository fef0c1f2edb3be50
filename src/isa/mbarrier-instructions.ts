import type { InstructionSpec } from './instruction-spec.js';
import type { Qualifiers, Rule } from './qualifier-rules.js';

/** The entries of `mbarrier.*` and `cp.async.mbarrier.arrive` (PTX ISA, mbarrier). */
const OWN = ['shared', 'shared::cta'];
const ANY = [...OWN, 'shared::cluster'];
const OBJECT_SCOPES = ['cta', 'cluster'];

const TOGETHER: Rule = {
  rule: 'order and scope of an mbarrier operation are given together, or neither is',
  broken: (q) => (q.order === undefined) !== (q.scope === undefined),
};
const NO_COMPLETE: Rule = {
  rule: '.noComplete is for .release.cta on .shared::cta, takes a count, and no .expect_tx',
  broken: (q: Qualifiers) =>
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

const mbarrier = (
  more: Partial<InstructionSpec> & Pick<InstructionSpec, 'family' | 'operands' | 'operandCount'>,
): InstructionSpec => ({
  required: ['type'],
  destination: false,
  rules: [],
  ptx: '7.0',
  target: 'sm_80',
  ...more,
  slots: { type: ['b64'], space: OWN, ...more.slots },
});

const arrive = mbarrier({
  family: 'mbarrierArrive',
  slots: {
    order: ['release', 'relaxed'],
    scope: OBJECT_SCOPES,
    space: ANY,
    expectation: ['expect_tx'],
    noComplete: ['noComplete'],
  },
  operands: 'state, [addr]{, count}',
  operandCount: [2, 3],
  destination: true,
  rules: [TOGETHER, NO_COMPLETE, EXPECT_OPERAND],
  refused: {
    acquire: 'an arrival releases; waits acquire',
    acq_rel: 'an arrival releases; waits acquire',
    gpu: 'an mbarrier has .cta or .cluster scope',
    sys: 'an mbarrier has .cta or .cluster scope',
  },
  ptx: '7.0; .expect_tx, .cluster 8.0; .relaxed 8.6',
  target: 'sm_80; .expect_tx, .cluster, count without .noComplete sm_90',
});

const bytes = mbarrier({
  family: 'mbarrierBytes',
  slots: { order: ['relaxed'], scope: OBJECT_SCOPES, space: ANY },
  operands: '[addr], txCount',
  operandCount: [2, 2],
  rules: [TOGETHER],
  refused: { release: 'it is relaxed only; mbarrier.arrive releases' },
  ptx: '8.0',
  target: 'sm_90',
});

const wait = mbarrier({
  family: 'mbarrierWait',
  slots: { order: ['acquire', 'relaxed'], scope: OBJECT_SCOPES, parity: ['parity'] },
  operands: 'waitComplete, [addr], state or phaseParity',
  operandCount: [3, 3],
  destination: true,
  rules: [TOGETHER],
  refused: {
    release: 'a wait acquires; arrivals release',
    'shared::cluster': "a wait is for an object of the thread's own CTA",
    gpu: 'an mbarrier has .cta or .cluster scope',
    sys: 'an mbarrier has .cta or .cluster scope',
  },
  ptx: '7.0; .parity 7.1; order and scope 8.0; .relaxed 8.6',
});

export const MBARRIER_INSTRUCTIONS = {
  'mbarrier.init': mbarrier({ family: 'mbarrierObject', operands: '[addr], count', operandCount: [2, 2] }),
  'mbarrier.inval': mbarrier({ family: 'mbarrierObject', operands: '[addr]', operandCount: [1, 1] }),
  'mbarrier.expect_tx': bytes,
  'mbarrier.complete_tx': bytes,
  'mbarrier.arrive': arrive,
  'mbarrier.arrive_drop': arrive,
  'mbarrier.test_wait': wait,
  'mbarrier.try_wait': {
    ...wait,
    operands: 'waitComplete, [addr], state or phaseParity{, suspendTimeHint}',
    operandCount: [3, 4],
    ptx: '7.8; order and scope 8.0; .relaxed 8.6',
    target: 'sm_90',
  },
  'mbarrier.pending_count': mbarrier({
    family: 'pendingCount',
    slots: { space: [] },
    operands: 'count, state',
    operandCount: [2, 2],
    destination: true,
  }),
  'cp.async.mbarrier.arrive': mbarrier({
    family: 'asyncArrive',
    slots: { increment: ['noinc'] },
    operands: '[addr]',
    operandCount: [1, 1],
  }),
} as const satisfies Record<string, InstructionSpec>;
