import type { GroupFamily } from '../program/async-operation.js';
import { constant } from '../program/operation.js';
import { emitAsync, fromMemory } from './emit-async.js';
import { HOPPER, type Instruction, instruction, OWN_SHARED } from './instruction.js';
import { inOne, place } from './place.js';
import { literal, U32 } from './typed-operands.js';

/** cp.async and the async-groups (PTX ISA, Non-bulk Asynchronous Copy, Async-group). */
const AMPERE = { ptx: '7.0', target: 'sm_80' };

const copy = (name: string, sizes: readonly bigint[]): Instruction =>
  instruction({
    slots: { space: OWN_SHARED, sourceSpace: ['global'] },
    required: ['space', 'sourceSpace'],
    operands: '[dst], [src], cp-size{, src-size or ignore-src}',
    cacheHints: true,
    since: AMPERE,
    decode: (at, { space }) => {
      const [to, from, size, third] = at.operands;
      if (size?.kind !== 'number' || !sizes.includes(size.value)) {
        return void at.refuse(size, `${name} copies ${sizes.join(', ')} bytes`);
      }
      const bytes = Number(size.value);
      const destination = place(at, to, space, bytes, bytes);
      const source = place(at, from, 'global', bytes, bytes);
      // After the size: the bytes that are read, or a predicate that says that none are.
      const ignores =
        third !== undefined &&
        (third.kind === 'negated' || (third.kind === 'name' && at.decoder.isPredicate(third.name)));
      if (third?.kind === 'number' && (third.value < 0n || third.value > size.value))
        return void at.refuse(third, `src-size is at most cp-size, ${size.value}`);
      const given = third === undefined || ignores ? undefined : at.value(third, U32);
      const ignored = ignores ? at.predicate(third) : undefined;
      if (
        destination === undefined ||
        source === undefined ||
        (third !== undefined && given === undefined && ignored === undefined)
      )
        return;
      // Both addresses are aligned to the size (PTX ISA, cp.async).
      for (const one of [destination, source]) at.requireMultiple(inOne(at, one), bytes);
      // src-size above cp-size is undefined.
      if (given?.kind === 'register') at.require(at.of(32).lessOrEqual(given, constant(size.value)), 'source-size');
      emitAsync(at, {
        proxy: 'generic',
        source: { ...fromMemory(source, constant(size.value)), given, ignored },
        destination,
        completion: { kind: 'group', family: 'cp.async' },
      });
    },
  });

export const commitGroup = (family: GroupFamily): Instruction =>
  instruction({
    slots: {},
    operands: '',
    since: family === 'bulk' ? HOPPER : AMPERE,
    decode: (at) => at.emit({ kind: 'group', action: 'commit', family }),
  });

/** Waits until at most so many of the newest groups are pending. */
export const waitGroup = (family: 'cp.async' | 'bulk'): Instruction =>
  instruction({
    slots: family === 'bulk' ? { reads: ['read'] } : {},
    operands: 'N',
    since: family === 'bulk' ? HOPPER : AMPERE,
    typed: () => [literal((count) => count >= 0n, 'the number of groups that may be pending is a constant, 0 or more')],
    decode: (at, { reads }, [count]) =>
      at.emit({ kind: 'group', action: 'wait', pending: Number(count), family, readsOnly: reads !== undefined }),
  });

export const CP_ASYNC_INSTRUCTIONS = {
  'cp.async.ca': copy('cp.async.ca', [4n, 8n, 16n]),
  'cp.async.cg': copy('cp.async.cg', [16n]),
  'cp.async.commit_group': commitGroup('cp.async'),
  'cp.async.wait_group': waitGroup('cp.async'),
  /** All copies of the thread, committed or not (PTX ISA, cp.async.wait_all). */
  'cp.async.wait_all': instruction({
    slots: {},
    operands: '',
    since: AMPERE,
    decode: (at) =>
      at.emit({ kind: 'group', action: 'wait', family: 'cp.async', pending: undefined, readsOnly: false }),
  }),
} as const satisfies Record<string, Instruction>;
