import { parseTests } from '../check/load-tests.js';
import type { Source } from '../diagnostics/source.js';
import { UsageError } from '../diagnostics/usage-error.js';
import type { Program } from '../program/program.js';
import { type Barrier, barriersOf, placementsOf } from './barriers.js';
import { applied, type Choices, changesIn, patchOf } from './patch.js';
import { type Accepts, allThat, costOfChoices, descend, firstThat, tryingOrders, with_ } from './search.js';
import { type Choice, gapsOf, type Site, sitesOf } from './sites.js';
import { isAtMost } from './strength.js';
import type { Judge, Verdicts } from './verdicts.js';

/** A change of a test that was checked. */
export interface Suggestion {
  /** What it changes, in the order of the text. */
  readonly changes: readonly {
    readonly line: number;
    /** Whether an instruction of that line is changed, or one is put before or after it. */
    readonly place: 'at' | 'before' | 'after';
    readonly thread: string;
    readonly from: string;
    readonly to: string;
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

const MOST_SETS = 3;
const PLACES = { access: 'at', fence: 'at', gap: 'before', end: 'after' } as const;

/**
 * Finds out what a test can do without, or, where what it expects is broken, what would mend it. Every change is
 * decided before it is proposed: none brings in a race, a deadlock or undefined behavior.
 *
 * @example
 * ```ts
 * const judge = new Judge(solver, model, program.source, { timeout: 10_000 });
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
  const before = await judge.verdicts(source.text);
  if (before === undefined) throw new Error('the test itself cannot be read');
  const adviser = new Adviser(source, program, judge, before);
  if (before.met.length === 0)
    return { kind: 'nothing', reason: 'the test has no condition: there is nothing that a change would have to keep' };
  if (before.met.every((met) => met)) return adviser.weaken(valid(sitesOf(program, file), source, judge));
  const sites = valid(sitesOf(program, file), source, judge);
  return adviser.repair(sites, valid(gapsOf(program, file), source, judge), barriersOf(program, file));
}

/** Without the choices that PTX does not have. */
function valid(sites: readonly Site[], { text }: Source, judge: Judge): readonly Site[] {
  return sites
    .map((site) => ({
      ...site,
      others: site.others.filter((choice) => judge.isValid(applied(text, new Map([[site, choice]])))),
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
    return this.judge.verdicts(applied(this.source.text, choices));
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
      for (const access of sites.filter(({ kind, thread }) => kind === 'access' && thread === fence.thread)) {
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
    const tried: Way[] = [];
    const repairs: (Suggestion & { readonly way: Way })[] = [];
    const byWay = async (
      way: Way,
      of: readonly Site[],
      allowed: (site: Site, choice: Choice) => boolean,
    ): Promise<void> => {
      tried.push(way);
      const options = (site: Site): readonly Choice[] =>
        [site.present, ...site.others.filter((choice) => isAtMost(site.present, choice) && allowed(site, choice))].sort(
          (a, b) => a.cost - b.cost,
        );
      const top: Choices = new Map(of.map((site) => [site, options(site).at(-1) ?? site.present]));
      if (!(await this.mends(top))) return;
      const found: Choices[] = [];
      for (const order of tryingOrders(of)) found.push(await descend(order, top, options, this.mends));
      const right = await allThat(found, this.mendsAll);
      const [best] = this.different(right.map((choices) => this.suggestion(of, choices)));
      if (best !== undefined && repairs.every(({ patch }) => patch !== best.patch))
        repairs.push({ ...best, way: best.changes.some(({ from }) => from === '') ? way : 'qualifiers' });
    };
    await byWay('qualifiers', sites, () => true);
    // A fence needs accesses that are relaxed on both sides, at scopes that are large enough, and no more than that.
    await byWay(
      'fences',
      [...sites, ...gaps],
      (site, { strength }) => site.kind !== 'access' || strength === 'relaxed' || strength === site.present.strength,
    );
    if (repairs.length === 0) await byWay('qualifiers and fences', [...sites, ...gaps], () => true);
    const barrier = await this.byBarrier(barriers);
    if (barrier !== undefined) repairs.push({ ...barrier, way: 'barriers' });
    if (barriers.length > 0) tried.push('barriers');
    return { kind: 'repair', repairs, tried };
  }

  /** One barrier more, at the first places that mend the test; the smallest group of threads comes first. */
  private async byBarrier(barriers: readonly Barrier[]): Promise<Suggestion | undefined> {
    for (const barrier of barriers) {
      const choices = await firstThat(placementsOf(barrier), this.mendsAll);
      if (choices !== undefined) return this.suggestion([...choices.keys()], choices);
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
      changes: changed.map(([site, choice]) => ({
        line: site.line,
        place: PLACES[site.kind],
        thread: this.program.threads[site.thread]?.name ?? '',
        from: site.present.text,
        to: choice.text.replace(/;$/, ''),
      })),
      cost: costOfChoices(sites, choices),
      patch: patchOf(this.source, applied(this.source.text, choices)),
    };
  }
}
