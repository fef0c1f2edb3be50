import { parseTests } from '../check/load-tests.js';
import { citation, positionOf, type Source } from '../diagnostics/source.js';
import { UsageError } from '../diagnostics/usage-error.js';
import type { Program } from '../program/program.js';
import { type Barrier, barriersOf, placementsOf } from './barriers.js';
import { inCuda } from './cuda-terms.js';
import { kernelBarriers, kernelGaps, kernelSites } from './kernel-sites.js';
import { applied, type Choices, changesIn, patchOf } from './patch.js';
import { type Accepts, allThat, costOfChoices, descend, firstThat, takeBack, tryingOrders, with_ } from './search.js';
import { type Choice, gapsOf, type Site, sitesOf } from './sites.js';
import { isAtMost } from './strength.js';
import type { Judge, Verdicts } from './verdicts.js';

/** A change of a test that was checked. */
export interface Suggestion {
  /** What it changes, in the order of the text. */
  readonly changes: readonly {
    /** The first line of those that it changes, in the text that holds it. */
    readonly line: number;
    /** The same as answers cite it: `line 8`, or the line of a kernel's source program. */
    readonly at: string;
    /** How many more copies of that line are changed alike. */
    readonly copies: number;
    /** Whether an instruction of that line is changed, or one is put before or after it. */
    readonly place: 'at' | 'before' | 'after';
    readonly thread: string;
    readonly from: string;
    readonly to: string;
    /** Of a kernel in CUDA: how that is written there. */
    readonly cuda?: string;
  }[];
  readonly cost: number;
  /** A unified diff. */
  readonly patch: string;
}

/** What was found for a test: how it can be weakened, how it can be repaired, or why neither was looked for. */
export type Advice =
  /** All that the test expects is met: what it can do without. */
  | {
      readonly kind: 'weaken';
      readonly alone: readonly Suggestion[];
      readonly together: readonly Suggestion[];
      readonly cost: number;
    }
  /** An expectation is broken: the smallest changes that mend it, and by what they were looked for. */
  | {
      readonly kind: 'repair';
      readonly repairs: readonly (Suggestion & { readonly way: Way })[];
      readonly tried: readonly Way[];
    }
  | { readonly kind: 'nothing'; readonly reason: string };

/** The kinds of changes that a repair is made of. */
export type Way = 'qualifiers' | 'fences' | 'qualifiers and fences' | 'barriers';

/** Which choices of a site a way of repairing may take. */
type Allowed = (site: Site, choice: Choice) => boolean;

/** What was found by each way that was tried. */
class Repairs {
  readonly tried: Way[] = [];
  readonly repairs: (Suggestion & { readonly way: Way })[] = [];

  add(way: Way, found: Suggestion | undefined): void {
    if (!this.tried.includes(way)) this.tried.push(way);
    if (found === undefined || this.repairs.some(({ patch }) => patch === found.patch)) return;
    const isOfQualifiers = found.changes.every(({ from }) => from !== '');
    this.repairs.push({ ...found, way: isOfQualifiers ? 'qualifiers' : way });
  }
}

const isPlain = ({ present }: Site): boolean => present.strength === 'weak';
const MOST_SETS = 3;
const PLACES = { access: 'at', fence: 'at', gap: 'before', end: 'after' } as const;

/**
 * Finds out what a test can do without, or, where what it expects is broken, what would mend it. Every change is
 * decided before it is proposed: none brings in a race, a deadlock or undefined behavior.
 *
 * @example
 * ```ts
 * const judge = new Judge(solver, model, { timeout: 10_000 });
 * const advice = await advise(program, judge);
 * if (advice.kind === 'repair') for (const { way, patch } of advice.repairs) console.log(way, patch);
 * ```
 *
 * @param program - A test in the litmus format: its text is what is changed.
 */
export async function advise(program: Program, judge: Judge): Promise<Advice> {
  const { source } = program;
  const [file] = parseTests(source).value ?? [];
  if (file === undefined) throw new UsageError('advise changes the text of litmus files; convert this one first');
  const before = await judge.verdicts(source);
  if (before === undefined) throw new Error('the test itself cannot be read');
  const adviser = new Adviser(source, program, judge, before);
  if (before.met.length === 0)
    return { kind: 'nothing', reason: 'the test has no condition: there is nothing that a change would have to keep' };
  const isKernel = program.launches.length > 0;
  const sites = [...valid(sitesOf(program, file), source, judge), ...(isKernel ? kernelSites(program) : [])];
  if (before.met.every((met) => met)) return adviser.weaken(sites);
  if (before.open !== undefined) return { kind: 'nothing', reason: `the test itself is undecided: ${before.open}` };
  return isKernel
    ? adviser.repairKernel(sites, kernelGaps(program), kernelBarriers(program))
    : adviser.repair(sites, valid(gapsOf(program, file), source, judge), barriersOf(program, file));
}

/** Without the choices that PTX does not have. */
function valid(sites: readonly Site[], source: Source, judge: Judge): readonly Site[] {
  return sites
    .map((site) => ({
      ...site,
      others: site.others.filter((choice) => judge.isValid(applied(source, new Map([[site, choice]])))),
    }))
    .filter(({ others }) => others.length > 0);
}

class Adviser {
  constructor(
    private readonly source: Source,
    private readonly program: Program,
    private readonly judge: Judge,
    private readonly before: Verdicts,
  ) {}

  /** No verdict changes: no outcome comes in or goes, no race, no deadlock, no undefined behavior. */
  private readonly keepsVerdicts: Accepts = async (choices) => {
    const now = await this.verdicts(choices);
    return (
      now !== undefined &&
      now.undefinedBy === this.before.undefinedBy &&
      now.answers.every((answer, i) => answer === this.before.answers[i])
    );
  };

  /** What is broken is met; whether anything else changes is asked at the end, since it may come and go on the way. */
  private readonly mends: Accepts = async (choices) => {
    const now = await this.verdicts(choices);
    return now?.met.every((met, i) => met || this.before.met[i] === true) === true && now.undefinedBy === undefined;
  };

  private readonly mendsAll: Accepts = async (choices) => {
    const now = await this.verdicts(choices);
    return (
      now?.met.every((met) => met) === true &&
      now.undefinedBy === undefined &&
      (now.without.race || !this.before.without.race) &&
      (now.without.deadlock || !this.before.without.deadlock)
    );
  };

  private verdicts(choices: Choices): Promise<Verdicts | undefined> {
    return this.judge.verdicts(applied(this.source, choices));
  }

  async weaken(sites: readonly Site[]): Promise<Advice> {
    // What changes a verdict alone also does so with others: weakening only lets more happen.
    const single = new Map<Site, readonly Choice[]>();
    for (const site of sites) {
      const weaker = site.others.filter((choice) => isAtMost(choice, site.present) && choice.cost < site.present.cost);
      single.set(site, await allThat(weaker, (choice) => this.keepsVerdicts(new Map([[site, choice]]))));
    }
    const options = (site: Site): readonly Choice[] => single.get(site) ?? [];
    const alone = sites.flatMap((site) =>
      options(site)
        .slice(0, 1)
        .map((choice) => this.suggestion(sites, new Map([[site, choice]]))),
    );
    const cost = costOfChoices(sites, new Map());
    const found: Choices[] = [];
    for (const order of tryingOrders(sites))
      found.push(await this.withoutFences(sites, await descend(order, new Map(), options, this.keepsVerdicts)));
    const together = this.different(
      found.filter((choices) => costOfChoices(sites, choices) < cost).map((choices) => this.suggestion(sites, choices)),
    );
    return { kind: 'weaken', alone, together, cost };
  }

  /** A fence and a relaxed access may be one release or acquire: takes fences away where that is cheaper. */
  private async withoutFences(sites: readonly Site[], from: Choices): Promise<Choices> {
    let current = from;
    const now = (site: Site): Choice => current.get(site) ?? site.present;
    for (const fence of sites.filter(({ kind }) => kind === 'fence')) {
      const none = fence.others.find(({ strength }) => strength === 'none');
      if (none === undefined || now(fence).strength === 'none') continue;
      for (const access of sites.filter(
        ({ kind, threads }) => kind === 'access' && threads.some((one) => fence.threads.includes(one)),
      )) {
        const without = with_(current, fence, none);
        const stronger = access.others.filter(
          (choice) =>
            isAtMost(now(access), choice) &&
            now(access).strength !== 'weak' &&
            choice.cost < now(access).cost + now(fence).cost,
        );
        const choice = await firstThat(stronger, (one) => this.keepsVerdicts(with_(without, access, one)));
        if (choice === undefined) continue;
        current = with_(without, access, choice);
        break;
      }
    }
    return current;
  }

  async repair(sites: readonly Site[], gaps: readonly Site[], barriers: readonly Barrier[]): Promise<Advice> {
    const search = new Repairs();
    search.add('qualifiers', await this.byWay(sites, () => true, tryingOrders));
    // A fence needs accesses that are relaxed on both sides, at scopes that are large enough, and no more than that.
    const byFences: Allowed = (site, { strength }) =>
      site.kind !== 'access' || strength === 'relaxed' || strength === site.present.strength;
    search.add('fences', await this.byWay([...sites, ...gaps], byFences, tryingOrders));
    if (search.repairs.length === 0)
      search.add('qualifiers and fences', await this.byWay([...sites, ...gaps], () => true, tryingOrders));
    if (barriers.length > 0) search.add('barriers', await this.byBarrier(barriers));
    return { kind: 'repair', ...search };
  }

  /**
   * Of a kernel, whose variants take longer: each kind is looked for in one order, and groups of changes are taken back
   * together first. Plain data stay plain: that accesses are atomic would end a race and order nothing.
   */
  async repairKernel(sites: readonly Site[], gaps: readonly Site[], barriers: readonly Barrier[]): Promise<Advice> {
    const search = new Repairs();
    const inOneOrder = (of: readonly Site[]): readonly (readonly Site[])[] => [of];
    const all = [...sites, ...gaps];
    if (barriers.length > 0)
      search.add('barriers', (await this.byBarrier(barriers)) ?? (await this.byBarriers(barriers)));
    search.add('fences', await this.byWay(all, ({ kind }) => kind !== 'access', inOneOrder));
    search.add('qualifiers', await this.byWay(sites, (site) => !isPlain(site), inOneOrder));
    const ordering: Allowed = (site, { strength }) => !isPlain(site) || strength !== 'relaxed';
    if (search.repairs.length === 0) search.add('qualifiers', await this.byWay(sites, ordering, inOneOrder));
    if (search.repairs.length === 0) search.add('qualifiers and fences', await this.byWay(all, ordering, inOneOrder));
    return { kind: 'repair', ...search };
  }

  /** The cheapest changes of some sites that mend the test. */
  private async byWay(
    of: readonly Site[],
    allowed: Allowed,
    orders: (sites: readonly Site[]) => readonly (readonly Site[])[],
  ): Promise<Suggestion | undefined> {
    const options = (site: Site): readonly Choice[] =>
      [site.present, ...site.others.filter((choice) => isAtMost(site.present, choice) && allowed(site, choice))].sort(
        (a, b) => a.cost - b.cost,
      );
    const strongest = (is: (choice: Choice) => boolean): Choices =>
      new Map(of.map((site) => [site, options(site).findLast(is) ?? site.present]));
    const isKernel = this.program.launches.length > 0;
    // Where fences need not be sc, fewer of them are needed than where any two of them are ordered.
    const tops = [...(isKernel ? [strongest(({ strength }) => strength !== 'sc')] : []), strongest(() => true)];
    const top = await firstThat(tops, this.mends);
    if (top === undefined) return undefined;
    const from = isKernel ? await takeBack(of, top, this.mends) : top;
    const found: Choices[] = [];
    for (const order of orders(of)) found.push(await descend(order, from, options, this.mends));
    const right = await allThat(found, this.mendsAll);
    const [best] = this.different(right.map((choices) => this.suggestion(of, choices)));
    return best;
  }

  /** One barrier more, at the first places that mend the test; the smallest group of threads comes first. */
  private async byBarrier(barriers: readonly Barrier[]): Promise<Suggestion | undefined> {
    for (const barrier of barriers) {
      const choices = await firstThat(placementsOf(barrier), this.mendsAll);
      if (choices !== undefined) return this.suggestion([...choices.keys()], choices);
    }
    return undefined;
  }

  /** As few barriers of one kind as it takes, in all places where one does no harm. */
  private async byBarriers(barriers: readonly Barrier[]): Promise<Suggestion | undefined> {
    for (const { places } of barriers) {
      const sites = places.flat();
      const placed = (of: readonly Site[]): Choices =>
        new Map(of.flatMap((site) => site.others.slice(0, 1).map((choice) => [site, choice] as const)));
      const harmless = await allThat(sites, async (site) => {
        const now = await this.verdicts(placed([site]));
        return now?.undefinedBy === undefined && now?.without.deadlock === true;
      });
      const top = placed(harmless);
      if (!(await this.mendsAll(top))) continue;
      const options = ({ present, others }: Site): readonly Choice[] => [present, ...others];
      const fewer = await takeBack(harmless, top, this.mendsAll);
      return this.suggestion(harmless, await descend(harmless, fewer, options, this.mendsAll));
    }
    return undefined;
  }

  /** The cheapest first, each once. */
  private different(suggestions: readonly Suggestion[]): readonly Suggestion[] {
    const byPatch = new Map(suggestions.map((one) => [one.patch, one]));
    return [...byPatch.values()].sort((a, b) => a.cost - b.cost).slice(0, MOST_SETS);
  }

  private suggestion(sites: readonly Site[], choices: Choices): Suggestion {
    const changed = changesIn(choices);
    return {
      changes: changed.map(([site, choice]) => {
        const [{ span }, ...copies] = site.spots;
        const cuda = inCuda(site, choice);
        return {
          line: positionOf(span.source, span.start).line,
          at: citation(span),
          copies: copies.length,
          place: PLACES[site.kind],
          thread: site.threads.map((index) => this.program.threads[index]?.name ?? '').join(', '),
          from: site.present.text,
          to: choice.text.replace(/;$/, ''),
          ...(cuda === undefined ? {} : { cuda }),
        };
      }),
      cost: costOfChoices(sites, choices),
      patch: patchOf(this.source, applied(this.source, choices)),
    };
  }
}
