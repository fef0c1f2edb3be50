import type { TensorAccess } from '../program/operation.js';
import type { TensorInstruction, TensorStep } from '../program/tensor-memory.js';
import type { Chunk } from './chunks.js';
import type { Tag } from './event-tags.js';
import type { EventBuilder } from './events.js';
import type { ProgramEvent } from './program-event.js';

const INSTRUCTION_TAGS: Readonly<Record<TensorInstruction, Tag>> = {
  mma: 'MMA',
  cp: 'CP',
  shift: 'SHIFT',
  ld: 'LD',
  st: 'ST',
  alloc: 'ALLOC',
  dealloc: 'DEALLOC',
};
const ROLE_TAGS = { operand: 'OPERAND', accumulator: 'ACCUMULATOR' } as const;
const GROUP_TAGS = { 1: 'CTA_GROUP_1', 2: 'CTA_GROUP_2' } as const;
export const TENSOR_STEP_TAGS = {
  before_thread_sync: 'BEFORE_THREAD_SYNC',
  after_thread_sync: 'AFTER_THREAD_SYNC',
  relinquish_alloc_permit: 'RELINQUISH',
} as const satisfies Readonly<Record<TensorStep, Tag>>;

/**
 * The events of one access to tensor memory: all but those of alloc and dealloc are asynchronous, with an issue in
 * program order (PTX ISA 9.7.18.6.1).
 */
export function eventsOfTensorAccess(
  builder: EventBuilder,
  { action, address, instruction, role, group, shape, dataKind }: TensorAccess,
  moved: readonly Chunk[],
): readonly ProgramEvent[] {
  const isAsynchronous = instruction !== 'alloc' && instruction !== 'dealloc';
  const tags: readonly Tag[] = [
    ...[action === 'read' ? ('R' as const) : ('W' as const), 'WEAK' as const, 'TMEM' as const],
    INSTRUCTION_TAGS[instruction],
    ...(instruction === 'cp' && shape === '4x256b' ? (['CP_4X256B'] as const) : []),
    ...(role === undefined ? [] : [ROLE_TAGS[role]]),
    ...(group === undefined ? [] : [GROUP_TAGS[group]]),
    ...(isAsynchronous ? (['ASY'] as const) : []),
  ];
  const bytes = moved.reduce((sum, chunk) => sum + chunk.bytes, 0);
  return [
    ...(isAsynchronous ? [builder.event('issue', ['ISSUE'], {})] : []),
    ...moved.map((chunk) =>
      builder.access(action, tags, {
        type: { kind: 'b', width: 8 * chunk.bytes },
        window: address.window,
        alignment: 1,
        chunk: { ...chunk, rank: undefined },
        tensor: { instruction, role, group, shape, dataKind, bytes },
      }),
    ),
  ];
}
