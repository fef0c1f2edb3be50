import type { Source } from '../diagnostics/source.js';
import { type Barrier, placementsOf } from './barriers.js';
import type { Choices } from './patch.js';
import { type Accepts, allThat, descend, firstThat, tryingOrders } from './search.js';
import type { Choice, Site } from './sites.js';
import { isAtMost } from './strength.js';
import { different, type Suggestion, suggestionOf } from './suggestion.js';
import { isMended, type Verdicts } from './verdicts.js';

/** The kinds of changes that a repair is made of. */
export type Way =
  | ('qualifiers' | 'fences' | 'qualifiers and fences' | 'barriers')
  /** Of kernels: what waits for copies, numbers that are counted by, barriers in other places, counters. */
  | ('waits' | 'numbers' | 'barriers elsewhere' | 'atomic updates');

/** A change that mends a test, with the kind that it is of. */
export type Repair = Suggestion & { readonly way: Way };

/** These may turn out to need no fence. */
const WITH_FENCES: readonly Way[] = ['fences', 'qualifiers and fences'];

/** What was found by each way that was tried. */
export class Repairs {
  readonly tried: Way[] = [];
  readonly repairs: Repair[] = [];

  readonly has = (way: Way): boolean => this.repairs.some((one) => one.way === way);

  add(way: Way, found: Suggestion | undefined): void {
    if (!this.tried.includes(way)) this.tried.push(way);
    if (found === undefined || this.repairs.some(({ patch }) => patch !== '' && patch === found.patch)) return;
    const isOfQualifiers = WITH_FENCES.includes(way) && found.changes.every(({ from }) => from !== '');
    this.repairs.push({ ...found, way: isOfQualifiers ? 'qualifiers' : way });
  }
}

/** A test whose threads are written out, and what may be changed in it. */
interface BrokenTest {
  readonly source: Source;
  /** Of its threads. */
  readonly names: readonly string[];
  readonly before: Verdicts;
  readonly verdictsOf: (choices: Choices) => Promise<Verdicts | undefined>;
  readonly sites: readonly Site[];
  readonly gaps: readonly Site[];
  readonly barriers: readonly Barrier[];
}

/** Which choices of a site a way of repairing may take. */
type Allowed = (site: Site, choice: Choice) => boolean;

/** The smallest changes of each kind that mend a test. */
export async function repair(
  test: BrokenTest,
): Promise<Pick<Repairs, 'repairs' | 'tried'> & { readonly kind: 'repair' }> {
  const { sites, gaps, barriers } = test;
  const search = new Repairs();
  const all = [...sites, ...gaps];
  search.add('qualifiers', await byWay(test, sites, () => true));
  // A fence needs accesses that are relaxed on both sides, at scopes that are large enough, and no more than that.
  const byFences: Allowed = (site, { strength }) =>
    site.kind !== 'access' || strength === 'relaxed' || strength === site.present.strength;
  search.add('fences', await byWay(test, all, byFences));
  if (search.repairs.length === 0) search.add('qualifiers and fences', await byWay(test, all, () => true));
  if (barriers.length > 0) search.add('barriers', await byBarrier(test));
  const { repairs, tried } = search;
  return { kind: 'repair', repairs, tried };
}

/** What is broken is met; whether anything else changes is asked at the end, since it may come and go on the way. */
const mends =
  ({ before, verdictsOf }: BrokenTest): Accepts =>
  async (choices) => {
    const now = await verdictsOf(choices);
    return now?.met.every((met, i) => met || before.met[i] === true) === true && now.undefinedBy === undefined;
  };

const mendsAll =
  ({ before, verdictsOf }: BrokenTest): Accepts =>
  async (choices) => {
    const now = await verdictsOf(choices);
    return now !== undefined && isMended(before, now);
  };

/** The cheapest changes of some sites that mend the test. */
async function byWay(test: BrokenTest, of: readonly Site[], allowed: Allowed): Promise<Suggestion | undefined> {
  const options = (site: Site): readonly Choice[] =>
    [site.present, ...site.others.filter((choice) => isAtMost(site.present, choice) && allowed(site, choice))].sort(
      (a, b) => a.cost - b.cost,
    );
  const strongest: Choices = new Map(of.map((site) => [site, options(site).at(-1) ?? site.present]));
  if (!(await mends(test)(strongest))) return undefined;
  const found: Choices[] = [];
  for (const order of tryingOrders(of)) found.push(await descend(order, strongest, options, mends(test)));
  const right = await allThat(found, mendsAll(test));
  const [best] = different(right.map((choices) => suggestionOf(test.source, of, choices, test.names)));
  return best;
}

/** One barrier more, at the first places that mend the test; the smallest group of threads comes first. */
async function byBarrier(test: BrokenTest): Promise<Suggestion | undefined> {
  for (const barrier of test.barriers) {
    const choices = await firstThat(placementsOf(barrier), mendsAll(test));
    if (choices !== undefined) return suggestionOf(test.source, [...choices.keys()], choices, test.names);
  }
  return undefined;
}
