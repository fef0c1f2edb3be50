/**
 * Hand-overs: what a thread does so that another one, which waits for it, may go on. A hand-over is an edge of a cycle
 * between two threads, as a release that is read by an acquire is; but it goes through an mbarrier or a barrier, or is
 * the end of a copy. It has two sides, `give` and `take`, each with its word in cycles and names.
 */
export type Give =
  | {
      readonly kind: 'arrive';
      readonly drop: boolean;
      readonly order: ArriveOrder;
      readonly scope: ObjectScope;
      readonly form: 'plain' | 'count' | 'bytes';
    }
  /** Nothing at all: the taker waits for ever. */
  | { readonly kind: 'forgotten' }
  /** The copy before it completes the phase; who expects its bytes, and when. */
  | { readonly kind: 'bytes'; readonly expected: 'before' | 'after' | 'by taker' | 'too few' }
  /** cp.async.mbarrier.arrive; without .noinc the thread arrives too. */
  | { readonly kind: 'cpAsync'; readonly noinc: boolean }
  | { readonly kind: 'bar'; readonly action: 'sync' | 'arrive' }
  | { readonly kind: 'cbar'; readonly order: ArriveOrder };

export type Take =
  | {
      readonly kind: 'wait';
      readonly how: 'try_wait' | 'test_wait';
      readonly order: 'acq' | 'rlx';
      readonly scope: ObjectScope;
      readonly form: WaitForm;
    }
  | { readonly kind: 'bar' }
  | { readonly kind: 'cbar'; readonly order: ArriveOrder };

export type ArriveOrder = 'rel' | 'rlx';
export type ObjectScope = 'cta' | 'cluster';
/**
 * In a loop, once with the answer in a register, with the wrong parity, or with the token of an arrival of the taker's
 * own.
 */
export type WaitForm = 'spin' | 'once' | 'parity.1' | 'token';

const ARRIVE_ORDERS = ['rel', 'rlx'] as const;
const OBJECT_SCOPES = ['cta', 'cluster'] as const;
const WAIT_PREFIX: Readonly<Record<WaitForm, string>> = {
  spin: 'spin.',
  once: '',
  'parity.1': 'spin.parity1.',
  token: 'spin.token.',
};
const ARRIVE_PREFIX = { plain: 'arrive', count: 'arrive.2', bytes: 'arrive.expect_tx' } as const;
const BYTES_WORD = { before: 'tx', after: 'tx.late', 'by taker': 'tx.taker', 'too few': 'tx.short' } as const;

const entries = <K extends string, V>(table: Readonly<Record<K, V>>): readonly (readonly [K, V])[] =>
  Object.entries(table) as [K, V][];

function* allGives(): Generator<readonly [word: string, give: Give]> {
  for (const order of ARRIVE_ORDERS) {
    for (const scope of OBJECT_SCOPES) {
      for (const [form, prefix] of entries(ARRIVE_PREFIX))
        yield [`${prefix}.${order}.${scope}`, { kind: 'arrive', drop: false, order, scope, form }];
      yield [`arrive_drop.${order}.${scope}`, { kind: 'arrive', drop: true, order, scope, form: 'plain' }];
    }
  }
  yield ['forgotten', { kind: 'forgotten' }];
  for (const [expected, word] of entries(BYTES_WORD)) yield [word, { kind: 'bytes', expected }];
  yield ['cp.async.arrive', { kind: 'cpAsync', noinc: false }];
  yield ['cp.async.arrive.noinc', { kind: 'cpAsync', noinc: true }];
  yield ['bar.sync', { kind: 'bar', action: 'sync' }];
  yield ['bar.arrive', { kind: 'bar', action: 'arrive' }];
  for (const order of ARRIVE_ORDERS) yield [`cbar.${order}`, { kind: 'cbar', order }];
}

function* allTakes(): Generator<readonly [word: string, take: Take]> {
  for (const [form, prefix] of entries(WAIT_PREFIX)) {
    for (const how of ['try_wait', 'test_wait'] as const) {
      for (const order of ['acq', 'rlx'] as const) {
        for (const scope of OBJECT_SCOPES)
          yield [`${prefix}${how}.${order}.${scope}`, { kind: 'wait', how, order, scope, form }];
      }
    }
  }
  yield ['bar.sync', { kind: 'bar' }];
  for (const order of ARRIVE_ORDERS) yield [`cbar.${order}`, { kind: 'cbar', order }];
}

export const GIVES: ReadonlyMap<string, Give> = new Map(allGives());
export const TAKES: ReadonlyMap<string, Take> = new Map(allTakes());

/** The side that each give needs on the other end. */
export const TAKE_OF: Readonly<Record<Give['kind'], Take['kind']>> = {
  arrive: 'wait',
  forgotten: 'wait',
  bytes: 'wait',
  cpAsync: 'wait',
  bar: 'bar',
  cbar: 'cbar',
};
