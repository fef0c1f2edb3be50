import type { Model } from '../cat/model.js';
import type { Readings } from '../operational/moral-strength.js';
import { isExchange, type Operation } from '../program/operation.js';
import type { Program } from '../program/program.js';

/** A point that the ISA leaves open, or on which its text and practice differ. */
export interface OpenChoice {
  readonly name: string;
  /** The first is the default. */
  readonly values: readonly [string, ...string[]];
  readonly question: string;
  /** Whether the choice can make a difference to a program. */
  readonly concerns: (program: Program) => boolean;
}

/** Whether a program has an operation of each kind. */
const uses =
  (...kinds: readonly ((operation: Operation) => boolean)[]) =>
  (program: Program): boolean =>
    kinds.every((kind) =>
      program.threads.some(({ statements }) => statements.some(({ operation }) => kind(operation))),
    );
const isOfAsyncProxy = (operation: Operation): operation is Extract<Operation, { kind: 'async' }> =>
  operation.kind === 'async' && operation.proxy === 'async';

/** Whether it may write to the shared memory of another CTA. */
const reachesClusters = ({ destination }: Extract<Operation, { kind: 'async' }>): boolean =>
  destination?.window === 'shared::cluster';

/** All of them; models test for them as `if "name=value"` but for failing-cas, which decides what a program does. */
export const OPEN_CHOICES: readonly OpenChoice[] = [
  {
    name: 'proxy-fence',
    values: ['strict', 'lenient', 'thread', 'writer'],
    question:
      'whether fence.proxy.async must be executed in the CTA of the asynchronous access, or even by the thread ' +
      'of one of the two accesses, or of the generic one (8.9.5 names no such fence; 9.7.15.4)',
    concerns: uses(isOfAsyncProxy),
  },
  {
    name: 'completion-fence',
    values: ['all', 'results'],
    question:
      'whether the implicit proxy fence at completion also orders reads of the source before later writes ' +
      '(9.7.10.28.2)',
    concerns: uses(isOfAsyncProxy),
  },
  {
    name: 'async-cta',
    values: ['owner', 'issuer'],
    question:
      'whether accesses to shared memory through the async proxy count as of the CTA whose memory it is, or of the ' +
      'CTA that issues them: two of them need a fence.proxy.async between if these differ (8.9.5)',
    concerns: uses((operation) => isOfAsyncProxy(operation) && reachesClusters(operation)),
  },
  {
    name: 'cross-proxy',
    values: ['literal', 'strong'],
    question: 'whether strong generic and asynchronous accesses of gpu or sys scope can be morally strong (8.6.1, 8.7)',
    concerns: uses((operation) => isOfAsyncProxy(operation) && operation.order !== 'weak'),
  },
  {
    name: 'failing-cas',
    values: ['read', 'write'],
    question: 'whether a failing compare-and-swap writes the old value back (8.4)',
    concerns: uses((operation) => operation.kind === 'atomic' && operation.operation === 'cas'),
  },
  {
    name: 'atomic-observation',
    values: ['operation', 'write'],
    question: 'whether what observes the write of an atomic comes after its read too (8.4, 8.9.5)',
    concerns: uses(({ kind }) => kind === 'atomic'),
  },
  {
    name: 'tcgen05-pipeline',
    values: ['9.4', '9.3'],
    question:
      'whether accesses of tcgen05 instructions by one warp are pipelined, or whole instructions of any warp, as the ' +
      'text was up to PTX ISA 9.3 (9.7.18.6.2)',
    concerns: uses(({ kind }) => kind === 'tensor'),
  },
  {
    name: 'launch-fence',
    values: ['earlier', 'first'],
    question:
      'whether of several griddepcontrol.launch_dependents of one CTA a release fence before any of them counts that ' +
      'comes before the first, or one before the first itself only (9.7.15.14)',
    concerns: uses(
      (operation) => operation.kind === 'grid-wait' && operation.launchedBy.length > 0,
      ({ kind }) => kind === 'launch-dependents',
    ),
  },
  {
    name: 'pair-fence',
    values: ['pair', 'issuer'],
    question:
      'whether fence.proxy.async in either CTA of a pair counts for what an instruction of .cta_group::2 accesses in ' +
      'shared memory, or in the CTA that issues it only (9.7.18.5)',
    concerns: uses(
      (operation) =>
        operation.kind === 'async' &&
        operation.completion.kind === 'group' &&
        operation.completion.family === 'tcgen05.cta_group::2',
    ),
  },
  {
    name: 'warp-exchange',
    values: ['execution', 'memory'],
    question:
      'whether vote.sync, shfl.sync, match.sync and redux.sync also order memory among the lanes that execute them ' +
      'together (they wait for each other; only bar.warp.sync is said to order memory, 9.7.15.2)',
    concerns: uses(
      (operation) => operation.kind === 'barrier' && operation.level === 'lanes' && isExchange(operation.reduction),
    ),
  },
  {
    name: 'scalar-accesses',
    values: ['whole', 'bytes'],
    question: 'whether a scalar access that races may be torn into bytes (8.9.7, 8.10.3)',
    concerns: uses(
      (operation) => (operation.kind === 'load' || operation.kind === 'store') && operation.type.width > 8,
    ),
  },
];

/** The failing compare-and-swaps of this model write. */
const FAILING_CAS_WRITES = 'failing-cas=write';
/** Scalar accesses of this model may be torn. */
const TEARING = 'scalar-accesses=bytes';

/** What the choices of a model mean for the executions themselves. */
export function executionChoices({ variants }: Model): {
  readonly failingCasWrites: boolean;
  readonly tearing: boolean;
} {
  return { failingCasWrites: variants.has(FAILING_CAS_WRITES), tearing: variants.has(TEARING) };
}

/**
 * The same choices for the operational machine. From where an atomic is observed makes no difference to it: that is
 * one step of it, which has read nothing that comes later.
 */
export function readingsOf({ variants }: Model): Readings {
  return {
    strongAcrossProxies: variants.has('cross-proxy=strong'),
    lenientProxyFences: variants.has('proxy-fence=lenient'),
    proxyFencesOfGenericThreads: variants.has('proxy-fence=writer'),
    completionOfResultsOnly: variants.has('completion-fence=results'),
    asyncAtIssuer: variants.has('async-cta=issuer'),
    proxyFencesOfPair: !variants.has('pair-fence=issuer'),
    fencesBeforeFirstTrigger: variants.has('launch-fence=first'),
    wholePipelines: variants.has('tcgen05-pipeline=9.3'),
    tearing: variants.has(TEARING),
    exchangesOrderMemory: variants.has('warp-exchange=memory'),
  };
}
