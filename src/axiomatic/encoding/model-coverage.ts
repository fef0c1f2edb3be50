import type { Model } from '../../cat/model.js';
import type { EventStructure } from '../../events/events.js';
import type { ProgramEvent } from '../../events/program-event.js';
import { barrierLevel } from '../../execution/base-relations.js';
import type { Undecided } from '../../program/undecided.js';
import type { ExecutionEncoding } from './encode-execution.js';

/** Features of a test that only a model which mentions a certain name gives a meaning to. */
const FEATURES: readonly {
  readonly what: string;
  readonly name: string;
  readonly used: (event: ProgramEvent) => boolean;
}[] = [
  { what: 'texture accesses', name: 'TEX', used: (event) => event.tags.has('TEX') },
  { what: 'surface accesses', name: 'SUR', used: (event) => event.tags.has('SUR') },
  { what: 'constant accesses', name: 'CON', used: (event) => event.tags.has('CON') },
  { what: 'alias fences', name: 'ALIAS', used: (event) => event.tags.has('ALIAS') },
  { what: 'CTA barriers', name: 'syncbar', used: (event) => barrierLevel(event) === 'cta' },
  { what: 'bar.warp.sync', name: 'syncwarp', used: (event) => barrierLevel(event) === 'warp' },
  { what: 'warp instructions', name: 'synclanes', used: (event) => barrierLevel(event) === 'lanes' },
  { what: 'barrier.cluster', name: 'syncclu', used: (event) => barrierLevel(event) === 'cluster' },
  { what: 'mbarrier objects', name: 'mbphase', used: (event) => event.mbarrier !== undefined },
  { what: 'asynchronous operations', name: 'done', used: (event) => event.tags.has('ASY') },
  { what: 'the async proxy', name: 'ASYNC', used: (event) => event.tags.has('ASYNC') },
  { what: 'the tensormap proxy', name: 'TMAP', used: (event) => event.tags.has('TMAP') },
  { what: 'matrix loads and stores', name: 'MATRIX', used: (event) => event.tags.has('MATRIX') },
  { what: 'tensor memory', name: 'TMEM', used: (event) => event.tags.has('TMEM') },
  { what: 'accesses at any element', name: 'SOMEWHERE', used: (event) => event.tags.has('SOMEWHERE') },
  { what: 'the read-only path', name: 'RO', used: (event) => event.tags.has('RO') },
  { what: 'grids in an order', name: 'gridend', used: (event) => event.kind === 'grid' && event.grid !== undefined },
  { what: 'restricted fences', name: 'RESTRICTED', used: (event) => event.restriction !== undefined },
  { what: 'uni-directional proxy fences', name: 'covers', used: (event) => event.proxyFence?.order !== undefined },
];

/** Why a model cannot judge a test: it says nothing about something that the test uses. A guess would be worse. */
export function featureWithoutMeaning(model: Model, { events, program }: EventStructure): Undecided | undefined {
  const used = FEATURES.find(({ name, used: uses }) => !model.baseNames.has(name) && events.some(uses));
  const { ranges } = program.locations;
  const aliased = ranges.some((a) => ranges.some((b) => a.object === b.object && a.base !== b.base));
  if (aliased && !model.baseNames.has('vloc'))
    return { kind: 'feature', model: model.name, what: 'aliases', name: 'vloc' };
  return used && { kind: 'feature', model: model.name, what: used.what, name: used.name };
}

/** The same for accesses of several sizes, which show in the addresses only. */
export function mixedSizesWithoutMeaning(model: Model, encoding: ExecutionEncoding): Undecided | undefined {
  if (!encoding.addresses.mixedSizes || model.baseNames.has('partial')) return undefined;
  return { kind: 'feature', model: model.name, what: 'accesses that overlap partially', name: 'partial' };
}
