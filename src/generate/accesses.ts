import { SCOPES, type Scope } from '../program/placement.js';
import { COPY_NAMES, type Copy, copyForm, type Direction, ENDS, isReader } from './copies.js';

/**
 * What an event of a cycle may be annotated with: the instruction that performs it. An access has one word, the same in
 * cycles, in names of tests and in `--order`; the words follow litmus/README.md (`rel.gpu`, `acq.cta`, `weak`).
 */
export type Access =
  /** No access at all: a thread that only hands on. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'plain'; readonly order: PlainOrder; readonly scope?: Scope }
  | { readonly kind: 'atomic'; readonly operation: AtomicOperation; readonly order: AtomicOrder; readonly scope: Scope }
  /** st.async.release and red.async.release. */
  | { readonly kind: 'asyncRelease'; readonly operation: 'st' | 'red'; readonly scope: Scope }
  /** A copy whose destination is the location (a write), or whose source is (a read, of which the copy tells). */
  | { readonly kind: 'copy'; readonly copy: Copy; readonly end: string };

/** The qualifier of each order, by its word. */
export const ORDERS = {
  weak: 'weak',
  vol: 'volatile',
  rlx: 'relaxed',
  acq: 'acquire',
  rel: 'release',
  acq_rel: 'acq_rel',
} as const;
export type PlainOrder = Exclude<keyof typeof ORDERS, 'acq_rel'>;
export type AtomicOrder = Exclude<keyof typeof ORDERS, 'weak' | 'vol'>;
export const ATOMIC_OPERATIONS = ['exch', 'add', 'cas', 'red'] as const;
export type AtomicOperation = (typeof ATOMIC_OPERATIONS)[number];

const PLAIN: Readonly<Record<PlainOrder, { readonly scoped: boolean; readonly directions: readonly Direction[] }>> = {
  weak: { scoped: false, directions: ['R', 'W'] },
  vol: { scoped: false, directions: ['R', 'W'] },
  rlx: { scoped: true, directions: ['R', 'W'] },
  acq: { scoped: true, directions: ['R'] },
  rel: { scoped: true, directions: ['W'] },
};

/** As a read, only the addition of 0 is one: it leaves the value. `red` gives no value, and has no acquire. */
const ATOMIC: Readonly<
  Record<AtomicOperation, { readonly orders: readonly AtomicOrder[]; readonly directions: readonly Direction[] }>
> = {
  exch: { orders: ['rlx', 'acq', 'rel', 'acq_rel'], directions: ['W'] },
  add: { orders: ['rlx', 'acq', 'rel', 'acq_rel'], directions: ['R', 'W'] },
  cas: { orders: ['rlx', 'acq', 'rel', 'acq_rel'], directions: ['W'] },
  red: { orders: ['rlx', 'rel'], directions: ['W'] },
};

const keys = <K extends string>(table: Readonly<Record<K, unknown>>): readonly K[] => Object.keys(table) as K[];

function* allAccesses(): Generator<readonly [word: string, access: Access]> {
  yield ['nop', { kind: 'nothing' }];
  for (const order of keys(PLAIN)) {
    if (!PLAIN[order].scoped) yield [order, { kind: 'plain', order }];
    else for (const scope of SCOPES) yield [`${order}.${scope}`, { kind: 'plain', order, scope }];
  }
  for (const operation of ATOMIC_OPERATIONS) {
    for (const order of ATOMIC[operation].orders)
      for (const scope of SCOPES) yield [`${operation}.${order}.${scope}`, { kind: 'atomic', operation, order, scope }];
  }
  for (const operation of ['st', 'red'] as const) {
    for (const scope of ['gpu', 'sys'] as const)
      yield [`${operation}.async.rel.${scope}`, { kind: 'asyncRelease', operation, scope }];
  }
  for (const copy of COPY_NAMES) {
    for (const end of Object.keys(ENDS[copyForm(copy).completion]))
      yield [end === '' ? copy : `${copy}.${end}`, { kind: 'copy', copy, end }];
  }
}

/** Every access by its word. */
export const ACCESSES: ReadonlyMap<string, Access> = new Map(allAccesses());

export function directionsOf(access: Access): readonly Direction[] {
  switch (access.kind) {
    case 'nothing':
      return ['R', 'W'];
    case 'plain':
      return PLAIN[access.order].directions;
    case 'atomic':
      return ATOMIC[access.operation].directions;
    case 'asyncRelease':
      return ['W'];
    case 'copy':
      return isReader(access.copy) ? ['R', 'W'] : ['W'];
  }
}

/**
 * Where the location of an access must lie: in the thread's own CTA, in some CTA of its cluster, in global memory, or
 * anywhere.
 */
export type Memory = 'own' | 'cluster' | 'global' | 'anywhere';

export function memoryOf(access: Access, direction: Direction): Memory {
  switch (access.kind) {
    case 'nothing':
    case 'plain':
    case 'atomic':
      return 'anywhere';
    case 'asyncRelease':
      return 'global';
    case 'copy': {
      const { source, destination } = copyForm(access.copy);
      if (direction === 'W') return destination;
      if (source === 'value') throw new Error(`${access.copy} reads no location`);
      return source;
    }
  }
}
