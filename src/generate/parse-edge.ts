import { didYouMean } from '../diagnostics/nearest.js';
import { ACCESSES, ATOMIC_OPERATIONS } from './accesses.js';
import type { Direction } from './copies.js';
import { COMMUNICATIONS, type Communication, type Edge } from './cycle.js';
import { GIVES, TAKES } from './hand-overs.js';
import type { Impossible } from './memory-plan.js';
import { STEPS } from './steps.js';

/** An edge with the directions of its two events, as it was written. */
export interface DirectedEdge {
  readonly name: string;
  readonly edge: Edge;
  readonly from: Direction;
  readonly to: Direction;
}

/** Same or different location, and the directions of the two events, as in `dRW`. */
export const ENDS_PATTERN = /^[sd][RW][RW]$/;

/** The fixed names of edges; diy's other names for some of them. */
const INTERNAL = { Rfi: 'WR', Fri: 'RW', Coi: 'WW', Wsi: 'WW' } as const;
const OTHER_NAMES: Readonly<Record<string, Communication>> = { Wse: 'Coe' };
const DEPENDENCIES = { DpAddr: 'addr', DpData: 'data', DpCtrl: 'ctrl' } as const;

export const EDGE_NAMES: readonly string[] = [
  ...Object.keys(COMMUNICATIONS),
  ...Object.keys(OTHER_NAMES),
  ...Object.keys(INTERNAL),
  ...['R', 'W'].flatMap((from) => ['R', 'W'].flatMap((to) => [`Pod${from}${to}`, `Pos${from}${to}`])),
  ...['dR', 'dW', 'sR', 'sW'].flatMap((ends) => Object.keys(DEPENDENCIES).map((name) => `${name}${ends}`)),
  ...['exch', 'add', 'cas'].map((operation) => `Amo.${operation}`),
  'Rmw',
  ...[...STEPS.keys()].map((word) => word.replace('fence', 'Fence')),
];

const DEFAULT_AMO = { order: 'rlx', scope: 'gpu' } as const;

/** The edge that a token names; undefined if it may be an annotation. */
export function edgeOf(token: string): DirectedEdge | Impossible | undefined {
  const name = (OTHER_NAMES[token] ?? token) as Communication;
  const communication = COMMUNICATIONS[name];
  if (communication !== undefined) {
    const { from, to } = communication;
    return { name: token, edge: { kind: 'communication', name }, from, to };
  }
  if (token in INTERNAL) return program(token, `s${INTERNAL[token as keyof typeof INTERNAL]}`, []);
  const dependency = /^(Dp[A-Z][a-z]+)([sd])([RW])$/.exec(token);
  if (dependency !== null) {
    const [, name = '', where = '', to = ''] = dependency;
    const step = DEPENDENCIES[name as keyof typeof DEPENDENCIES];
    return step === undefined ? undefined : program(token, `${where}R${to}`, [step]);
  }
  if (/^(Rmw|Amo)\b/i.test(token)) return atomicEdge(token);
  const [, mechanism = '', ends = ''] = /^(.*?) ?([sd][RW][RW])$/.exec(token) ?? [];
  if (ends === '') return mechanismWithoutEnds(token);
  if (mechanism === 'Po') return program(token, ends, []);
  return mechanism.includes('>')
    ? handOver(token, mechanism.toLowerCase(), ends)
    : between(token, mechanism.toLowerCase(), ends);
}

const program = (name: string, ends: string, steps: readonly string[]): DirectedEdge => ({
  name,
  edge: { kind: 'program', same: ends.startsWith('s'), steps },
  ...directions(ends),
});
const directions = (ends: string): { readonly from: Direction; readonly to: Direction } => ({
  from: ends.charAt(1) as Direction,
  to: ends.charAt(2) as Direction,
});

function atomicEdge(token: string): DirectedEdge | Impossible {
  const [head = '', named, ...rest] = token.split('.').map((word) => word.toLowerCase());
  const operation = head === 'rmw' ? 'exch' : named;
  const words = head === 'rmw' ? [...(named === undefined ? [] : [named]), ...rest] : rest;
  const access = ACCESSES.get(
    [operation, ...(words.length === 0 ? [DEFAULT_AMO.order, DEFAULT_AMO.scope] : words)].join('.'),
  );
  if (access?.kind !== 'atomic' || access.operation === 'red') {
    const operations = ATOMIC_OPERATIONS.filter((name) => name !== 'red').map((name) => `Amo.${name}`);
    return {
      cannot:
        `unknown atomic edge ${token}: it is one of ${operations.join(', ')}, with order and scope, as in ` +
        'Amo.add.acq_rel.gpu',
    };
  }
  return {
    name: token,
    edge: { kind: 'atomic', operation: access.operation, order: access.order, scope: access.scope },
    from: 'R',
    to: 'W',
  };
}

/** A fence or a hand-over that lacks the rest of its edge. */
function mechanismWithoutEnds(token: string): Impossible | undefined {
  const known = token.includes('>') || STEPS.has(token.toLowerCase());
  return known
    ? {
        cannot:
          `${token} needs its ends, as in "${token} dRW": s or d (same or different location), then the ` +
          'directions of the two events',
      }
    : undefined;
}

/** Fences, proxy fences and dependencies between two accesses, joined by `-`. */
function between(name: string, mechanism: string, ends: string): DirectedEdge | Impossible | undefined {
  const steps = mechanism.split('-');
  const wrong = steps.find((step) => !STEPS.has(step));
  if (wrong === undefined) return program(name, ends, steps);
  return steps.length === 1 && !/^(fence|membar|bar)/.test(wrong) ? undefined : notAmong(STEPS, 'step', wrong);
}

/** `GIVE>TAKE` with fences before and after. */
function handOver(name: string, mechanism: string, ends: string): DirectedEdge | Impossible {
  const [giving = '', taking = ''] = mechanism.split('>');
  const before = giving.split('-');
  const [take = '', ...after] = taking.split('-');
  const give = before.pop() ?? '';
  if (!GIVES.has(give)) return notAmong(GIVES, 'hand-over', give);
  if (!TAKES.has(take)) return notAmong(TAKES, 'wait', take);
  const fits = (step: string): boolean => STEPS.get(step)?.kind === 'fence';
  const wrong = [...before, ...after.filter((step) => step !== 'branch')].find((step) => !fits(step));
  if (wrong !== undefined) return notAmong(STEPS, 'fence', wrong);
  return {
    name,
    edge: { kind: 'handOver', same: ends.startsWith('s'), before, give, take, after },
    ...directions(ends),
  };
}

export const unknownWord = (what: string, word: string, hint: string | undefined): Impossible => ({
  cannot: `unknown ${what} ${word}${hint === undefined ? '; ptx-litmus gen --help lists them' : `: ${hint}`}`,
});

const notAmong = (words: ReadonlyMap<string, unknown>, what: string, word: string): Impossible =>
  unknownWord(what, word === '' ? '(nothing)' : word, didYouMean(word, words.keys()));

const LONG_WORDS: Readonly<Record<string, string>> = {
  relaxed: 'rlx',
  acquire: 'acq',
  release: 'rel',
  volatile: 'vol',
};

/** What an annotation says of an event; undefined if it is none. */
export function annotationOf(
  token: string,
): { readonly access: string | undefined; readonly alias: boolean } | undefined {
  const words = token.toLowerCase().split('.');
  const alias = words.at(-1) === 'alias';
  const access = (alias ? words.slice(0, -1) : words).map((word) => LONG_WORDS[word] ?? word).join('.');
  if (alias && access === '') return { access: undefined, alias };
  return ACCESSES.has(access) ? { access, alias } : undefined;
}
