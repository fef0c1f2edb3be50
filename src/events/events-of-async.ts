import type { AsyncOperation } from '../program/async-operation.js';
import type { DataType } from '../program/data-type.js';
import type { ProxyFence, TensormapCopy } from '../program/operation.js';
import { type Chunk, type Chunks, RESPONSE_CHUNKS } from './chunks.js';
import { accessTags, type Tag } from './event-tags.js';
import type { EventBuilder } from './events.js';
import type { ProgramEvent } from './program-event.js';

const POINTER: DataType = { kind: 'u', width: 64 };
const bytesType = (bytes: number): DataType => ({ kind: 'b', width: bytes * 8 });

/**
 * The events of an asynchronous operation: its issue, in program order; then, outside of it, the read of a descriptor,
 * the reads of the source, for each CTA it goes to the writes (of a reduction: read-modify-writes), and the complete-tx
 * there.
 */
export function eventsOfAsync(
  builder: EventBuilder,
  operation: AsyncOperation,
  { moved: chunks, descriptor }: Chunks,
): readonly ProgramEvent[] {
  const { source, reduction, completion, tile, multicast, destination } = operation;
  // st.async and red.async bring values of registers: nothing that they do is a copy (9.7.10.28.1).
  const forPair = completion.kind === 'group' && completion.family === 'tcgen05.cta_group::2';
  const performed: readonly Tag[] = [
    'ASY',
    ...(source.kind === 'values' || destination === undefined ? [] : (['COPY'] as const)),
    ...(forPair ? (['CTA_PAIR'] as const) : []),
  ];
  const asynchronous = (order: AsyncOperation['order'], more: readonly Tag[] = []): readonly Tag[] => [
    ...performed,
    ...accessTags(operation, order),
    ...more,
  ];
  const weakOrRelaxed = operation.order === 'weak' ? 'weak' : 'relaxed';
  const events: ProgramEvent[] = [builder.event('issue', ['ISSUE'], {})];
  if (tile !== undefined) {
    const { window } = tile.descriptor;
    const tags: readonly Tag[] = ['R', ...performed, 'WEAK', 'TMAP'];
    events.push(builder.access('read', tags, { type: POINTER, window }));
    for (const chunk of descriptor)
      events.push(
        builder.access('read', tags, {
          type: bytesType(chunk.bytes),
          alignment: 1,
          window,
          chunk: { ...chunk, rank: undefined },
        }),
      );
  }
  if (source.kind === 'memory') {
    for (const chunk of chunks) {
      const tags: readonly Tag[] =
        reduction === undefined ? asynchronous(weakOrRelaxed) : [...performed, 'WEAK', 'ASYNC'];
      events.push(
        builder.access('read', ['R', ...tags], {
          type: bytesType(chunk.bytes),
          scope: reduction === undefined ? operation.scope : undefined,
          alignment: 1,
          window: source.address.window,
          chunk: { ...chunk, rank: undefined },
        }),
      );
    }
  }
  const parts = source.kind === 'response' ? RESPONSE_CHUNKS : chunks;
  const ranks =
    destination === undefined
      ? []
      : multicast === undefined
        ? [undefined]
        : Array.from({ length: builder.placement.clusterSize }, (_, rank) => rank);
  for (const rank of ranks) {
    for (const part of parts) {
      const more = {
        type: reduction?.type ?? bytesType(part.bytes),
        scope: operation.scope,
        window: destination?.window ?? 'generic',
        chunk: { ...part, rank },
      };
      // Parts of a copy are cut where other accesses begin and end, not by a type: they need no alignment of their own.
      const alignment = source.kind === 'memory' && reduction === undefined ? 1 : part.bytes;
      if (reduction === undefined) {
        events.push(builder.access('write', ['W', ...asynchronous(operation.order)], { ...more, alignment }));
        continue;
      }
      events.push(
        builder.access('read', ['R', 'RMW', 'RED', ...asynchronous('relaxed')], {
          ...more,
          alignment,
          partner: builder.next(1),
        }),
        builder.access('write', ['W', 'RMW', 'RED', ...asynchronous(operation.order)], {
          ...more,
          alignment,
          partner: builder.next(-1),
        }),
      );
    }
    if (completion.kind === 'mbarrier') {
      // The object is accessed through the generic proxy (PTX ISA, cp.async.bulk).
      const type: DataType = { kind: 'b', width: 64 };
      const tags: readonly Tag[] = ['MBAR', 'ASY', 'GEN'];
      const mbarrier = { step: 'complete_tx', operation: undefined } as const;
      events.push(
        builder.event('mbarrier', tags, {
          type,
          window: completion.object.window,
          alignment: type.width / 8,
          mbarrier,
          chunk: { offset: 0, bytes: 0, rank },
        }),
      );
    }
  }
  return events;
}

/** `tensormap.cp_fenceproxy`: generic reads and writes, then the fence. */
export function eventsOfTensormapCopy(
  builder: EventBuilder,
  operation: TensormapCopy,
  chunks: readonly Chunk[],
  fenceEvent: (fence: ProxyFence) => ProgramEvent,
): readonly ProgramEvent[] {
  const part = (kind: 'read' | 'write', chunk: Chunk): ProgramEvent =>
    builder.access(kind, [kind === 'read' ? 'R' : 'W', 'WEAK', 'GEN'], {
      type: bytesType(chunk.bytes),
      alignment: 1,
      window: kind === 'read' ? operation.source.window : operation.destination.window,
      chunk: { ...chunk, rank: undefined },
    });
  return [
    ...chunks.map((chunk) => part('read', chunk)),
    ...chunks.map((chunk) => part('write', chunk)),
    fenceEvent({
      kind: 'proxy-fence',
      proxy: 'tensormap',
      order: 'release',
      scope: operation.scope,
      space: undefined,
      readsOnly: false,
      address: undefined,
    }),
  ];
}
