import { describe, expect, it } from 'vitest';
import { Accesses } from '../../src/follow/accesses.js';
import type { Piece } from '../../src/follow/memory-image.js';
import type { AccessKind, FollowedThread, Synchronization, Trace } from '../../src/follow/trace.js';
import { Conflicts } from '../../src/order/conflicts.js';
import { MustOrder } from '../../src/order/must-order.js';
import { recheck } from '../../src/order/recheck.js';

const span = { source: { path: 'k', text: '' }, start: 0, end: 0 };

/**
 * What a thread does: `w3` writes byte 3, `p3` perhaps, `r3` reads it, `a3` adds to it at gpu scope, `c3` at cta scope,
 * `s3` stores strongly at gpu scope; `b0` comes to a barrier of all threads of its CTA, `g` begins a grid behind all
 * others.
 */
type Step = string;

interface Written {
  /** By thread: its CTA and its launch. */
  readonly threads: readonly { readonly cta: number; readonly launch?: number }[];
  /** In the order of the run: a thread and what it does; or threads that meet. */
  readonly steps: readonly (
    | readonly [thread: number, step: Step]
    | { readonly meet: readonly number[]; readonly at: string }
  )[];
  readonly after?: readonly number[];
}

const KINDS: Readonly<Record<string, Omit<AccessKind, 'id'>>> = Object.fromEntries(
  Object.entries({
    w: { reads: false, writes: true, tags: ['W', 'WEAK', 'GEN'] },
    r: { reads: true, writes: false, tags: ['R', 'WEAK', 'GEN'] },
    p: { reads: false, writes: true, tags: ['W', 'WEAK', 'GEN'], isPossible: true },
    s: { reads: false, writes: true, tags: ['W', 'RLX', 'GEN'], scope: 'gpu' },
    a: { reads: true, writes: true, tags: ['RMW', 'RLX', 'GEN'], scope: 'gpu', commutes: 'add' },
    c: { reads: true, writes: true, tags: ['RMW', 'RLX', 'GEN'], scope: 'cta', commutes: 'add' },
    n: { reads: true, writes: false, tags: ['R', 'WEAK', 'RO'] },
  } as const).map(([name, kind]) => [
    name,
    {
      scope: undefined,
      commutes: undefined,
      change: 'set',
      isPoll: false,
      isPossible: false,
      unit: undefined,
      ...kind,
      launch: 0,
      statement: 0,
      span,
      tags: new Set(kind.tags),
    },
  ]),
);

/** The trace of a run that is written down. */
function traceOf({ threads, steps, after }: Written): Trace {
  const names = Object.keys(KINDS);
  const accesses = new Accesses();
  const positions = threads.map(() => 0);
  /** The place of the next step of a thread. */
  const next = (thread: number): number => {
    const at = positions[thread] ?? 0;
    positions[thread] = at + 1;
    return at;
  };
  const synchronizations: Synchronization[] = [];
  if (after !== undefined) synchronizations.push({ kind: 'grid-start', row: 0, launch: 1, after, launchedBy: [] });
  const begun = new Set<number>();
  for (const one of steps) {
    if ('meet' in one) {
      const arrivals = one.meet.map((thread) => ({ thread, position: next(thread) }));
      const waiters = one.meet.map((thread) => ({ thread, position: positions[thread] ?? 0 }));
      synchronizations.push({ kind: 'cta-barrier', row: accesses.count, barrier: one.at, arrivals, waiters, span });
      continue;
    }
    const [thread, step] = one;
    const launch = threads[thread]?.launch ?? 0;
    if (launch === 1 && after !== undefined && !begun.has(launch)) {
      begun.add(launch);
      synchronizations.splice(0, 1);
      synchronizations.push({ kind: 'grid-start', row: accesses.count, launch: 1, after, launchedBy: [] });
    }
    const position = next(thread);
    const where = { piece: 0, range: 0, start: Number(step[1]), size: 1 };
    accesses.add({ thread, position, end: position + 1, kind: names.indexOf(step[0] ?? ''), ...where });
  }
  const followed = threads.map(
    ({ cta, launch = 0 }, id): FollowedThread => ({ id, launch, cta, tid: id, gpu: 0, ctaId: cta, clusterId: cta }),
  );
  const kinds = names.map((name, id) => ({ ...(KINDS[name] as Omit<AccessKind, 'id'>), id }));
  const pieces = [{ id: 0, object: { space: 'global' } } as Piece];
  const owners = [undefined];
  const nothing = {
    objects: [],
    halts: [],
    incomplete: [],
    assumptions: [],
    counts: [],
    results: new Map(),
    coherence: [],
    derived: new Map(),
    tickets: new Map(),
    tensors: new Map(),
    torn: new Map(),
    retold: new Set<number>(),
    peers: new Map(),
    fencesInits: false,
    exchanges: false,
    activeTogether: [],
    requests: [],
    choices: [],
    observes: false,
    findings: [],
    uninitialized: [],
    hands: false,
    handsByAccesses: false,
  };
  return { threads: followed, kinds, pieces, owners, issues: [], accesses, synchronizations, ...nothing };
}

/** The conflicts of a run, as the steps that have them; and what the second look says. */
function conflictsOf(written: Written): { readonly found: readonly string[]; readonly again: string | undefined } {
  const trace = traceOf(written);
  const names = Object.keys(KINDS);
  const show = (row: number): string =>
    `${trace.accesses.threads.at(row)}:${names[trace.accesses.kinds.at(row)]}${trace.accesses.starts.at(row)}`;
  const order = new MustOrder(trace);
  const conflicts = new Conflicts(trace);
  order.replay((row, before) => conflicts.add(row, before));
  const found = [...conflicts.found.values()].map(({ kind, first: [a, b] }) => `${kind} ${show(a)} ${show(b)}`);
  return { found: order.unforced === undefined ? found : [...found, 'unforced'], again: recheck(trace) };
}

const TWO = [{ cta: 0 }, { cta: 0 }];
const APART = [{ cta: 0 }, { cta: 1 }];
const both = { meet: [0, 1], at: 'b' };

describe('must-order', () => {
  it('orders what is before a barrier before what is behind it', () => {
    const { found, again } = conflictsOf({ threads: TWO, steps: [[0, 'w0'], both, [1, 'r0'], both, [0, 'w0']] });
    expect([found, again]).toEqual([[], undefined]);
  });

  it.each([
    [
      'a write and a read',
      [
        [0, 'w0'],
        [1, 'r0'],
      ],
      ['race 0:w0 1:r0'],
    ],
    [
      'a read and a write',
      [
        [0, 'r0'],
        [1, 'w0'],
      ],
      ['race 0:r0 1:w0'],
    ],
    [
      'a write, one that is perhaps made behind it, and a read',
      [
        [0, 'w0'],
        [0, 'p0'],
        [1, 'r0'],
      ],
      ['race 0:w0 1:r0', 'race 0:p0 1:r0'],
    ],
    [
      'two writes',
      [
        [0, 'w0'],
        [1, 'w0'],
      ],
      ['race 0:w0 1:w0'],
    ],
    [
      'two reads',
      [
        [0, 'r0'],
        [1, 'r0'],
      ],
      [],
    ],
    [
      'other bytes',
      [
        [0, 'w0'],
        [1, 'r1'],
      ],
      [],
    ],
    [
      'one thread',
      [
        [0, 'w0'],
        [0, 'r0'],
      ],
      [],
    ],
    [
      'strong writes',
      [
        [0, 's0'],
        [1, 's0'],
      ],
      ['strong 0:s0 1:s0'],
    ],
    [
      'a weak write and a strong one',
      [
        [0, 'w0'],
        [1, 's0'],
      ],
      ['race 0:w0 1:s0'],
    ],
    [
      'additions',
      [
        [0, 'a0'],
        [1, 'a0'],
      ],
      [],
    ],
    [
      'an addition and a read',
      [
        [0, 'a0'],
        [1, 'r0'],
      ],
      ['race 0:a0 1:r0'],
    ],
    ['an addition and what is behind it', [[0, 'a0'], [1, 'a0'], both, [1, 'r0']], []],
    [
      'a write before two additions, one of them not behind it',
      [
        [0, 'w0'],
        [0, 'a0'],
        [1, 'a0'],
      ],
      ['race 0:w0 1:a0'],
    ],
    ['the read-only path', [[0, 'w0'], both, [1, 'n0']], ['proxies 0:w0 1:n0']],
    ['a read that an alike one stands for', [[0, 'r0'], both, [0, 'r0'], [1, 'w0']], ['race 0:r0 1:w0']],
  ] as const)('finds for %s in one CTA what nothing orders', (_, steps, expected) => {
    const { found, again } = conflictsOf({ threads: TWO, steps });
    expect(found).toEqual(expected);
    // The second look finds something wrong wherever the run does not speak for all.
    expect(again === undefined).toBe(expected.length === 0);
  });

  it('takes scopes as far as they go', () => {
    expect(
      conflictsOf({
        threads: TWO,
        steps: [
          [0, 'c0'],
          [1, 'c0'],
        ],
      }),
    ).toEqual({ found: [], again: undefined });
    expect(
      conflictsOf({
        threads: APART,
        steps: [
          [0, 'c0'],
          [1, 'c0'],
        ],
      }).found,
    ).toEqual(['race 0:c0 1:c0']);
    expect(
      conflictsOf({
        threads: APART,
        steps: [
          [0, 'c0'],
          [1, 'a0'],
        ],
      }).found,
    ).toEqual(['race 0:c0 1:a0']);
    expect(
      conflictsOf({
        threads: APART,
        steps: [
          [0, 'a0'],
          [1, 'a0'],
        ],
      }),
    ).toEqual({ found: [], again: undefined });
  });

  it('goes through several barriers and grids', () => {
    const threads = [{ cta: 0 }, { cta: 0 }, { cta: 0 }];
    const chain = [[0, 'w0'], { meet: [0, 1], at: 'a' }, { meet: [1, 2], at: 'b' }, [2, 'r0']] as const;
    expect(conflictsOf({ threads, steps: chain })).toEqual({ found: [], again: undefined });
    const back = [[0, 'w0'], { meet: [1, 2], at: 'b' }, { meet: [0, 1], at: 'a' }, [2, 'r0']] as const;
    expect(conflictsOf({ threads, steps: back }).found).toEqual(['race 0:w0 2:r0']);
    const grids = [
      { cta: 0, launch: 0 },
      { cta: 1, launch: 1 },
    ];
    const steps = [
      [0, 'w0'],
      [1, 'r0'],
    ] as const;
    expect(conflictsOf({ threads: grids, steps, after: [0] })).toEqual({ found: [], again: undefined });
    expect(conflictsOf({ threads: grids, steps }).found).toEqual(['race 0:w0 1:r0']);
  });

  it('does not take for granted who meets at a barrier that others may come to first', () => {
    const threads = [{ cta: 0 }, { cta: 0 }, { cta: 0 }, { cta: 0 }];
    const pairs = [
      { meet: [0, 1], at: 'b' },
      { meet: [2, 3], at: 'b' },
    ];
    const { found, again } = conflictsOf({ threads, steps: pairs });
    expect(found).toEqual(['unforced']);
    expect(again).toMatch(/may come to the instance before/);
    const named = [
      { meet: [0, 1], at: 'b' },
      { meet: [2, 3], at: 'c' },
      { meet: [0, 1], at: 'b' },
    ];
    expect(conflictsOf({ threads, steps: named })).toEqual({ found: [], again: undefined });
    // One of the first pair lets the others know.
    const told = [
      { meet: [0, 1], at: 'b' },
      { meet: [1, 2, 3], at: 'c' },
      { meet: [2, 3], at: 'b' },
    ];
    expect(conflictsOf({ threads, steps: told })).toEqual({ found: [], again: undefined });
  });
});
