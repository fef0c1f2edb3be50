import type { Roots } from '../flow/slice.js';
import type { LocationTable } from '../program/locations.js';
import type { Thread } from '../program/program.js';
import { termsIn } from '../program/proposition.js';
import type { Clause, LocationTerm, Term } from '../syntax/condition-ast.js';
import { threadName } from '../syntax/thread-name.js';

type RegisterTerm = Extract<Term, { kind: 'register' }>;

/** What the clauses of a test ask for at the end. */
export interface Asked {
  readonly registers: readonly RegisterTerm[];
  readonly locations: readonly LocationTerm[];
}

export function askedBy(clauses: readonly Clause[]): Asked {
  const terms = clauses.flatMap(termsOf);
  return {
    registers: terms.filter((term) => term.kind === 'register'),
    locations: terms.filter((term) => term.kind === 'location'),
  };
}

function termsOf(clause: Clause): readonly Term[] {
  switch (clause.kind) {
    case 'condition':
    case 'filter':
      return termsIn(clause.proposition);
    case 'locations':
      return clause.terms;
    case 'expect':
    case 'allow':
      return [];
  }
}

/** Whether a thread is meant by its name, or by its place in a launch. */
export function isNamed({ name, launched }: NamedThread, wanted: string): boolean {
  if (threadName(name) === wanted) return true;
  return launched !== undefined && placeInLaunch(launched) === wanted;
}

/** What tells a thread from others in conditions. */
type NamedThread = Pick<Thread, 'name'> & { readonly launched?: Place | undefined };
interface Place {
  readonly launch: string;
  readonly cta: number;
  readonly tid: number;
}

/** How conditions name a thread of a launch by its place. */
export const placeInLaunch = ({ launch, cta, tid }: Place): string => `${launch}[cta ${cta}, tid ${tid}]`;

/** Whether threads are named by their places alone: a number is that of one that is run. */
export const namesPlaces = (clauses: readonly Clause[]): boolean =>
  askedBy(clauses).registers.every(({ thread }) => thread.includes('['));

/** The registers of a thread that are asked for. */
export const registersAsked = ({ registers }: Asked, thread: NamedThread): ReadonlySet<string> =>
  new Set(registers.flatMap(({ thread: wanted, register }) => (isNamed(thread, wanted) ? [register] : [])));

/** Where slices begin; `aliases`: what names of the test mean in its modules. */
export function rootsOf(
  clauses: readonly Clause[],
  threads: readonly Thread[],
  locations: LocationTable,
  aliases: ReadonlyMap<string, string> = new Map(),
): Roots {
  const asked = askedBy(clauses);
  const objects = asked.locations.flatMap(({ name }) => locations.named(aliases.get(name) ?? name));
  return {
    objects: new Set(objects.map(({ object }) => object)),
    registers: threads.map((thread) => registersAsked(asked, thread)),
  };
}
