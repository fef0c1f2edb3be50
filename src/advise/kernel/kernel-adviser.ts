import { type Source, userLine } from '../../diagnostics/source.js';
import { volume, WARP_SIZE } from '../../kernel/grid.js';
import type { LitmusFile } from '../../syntax/litmus-ast.js';
import type { Advice } from '../advise.js';
import { applied, type Choices, patchOf } from '../patch.js';
import { Repairs } from '../repair.js';
import { type Accepts, allThat, costOfChoices, descend, firstChoices, firstThat, takeBack } from '../search.js';
import type { Choice, Site } from '../sites.js';
import { isAtMost } from '../strength.js';
import { different, type Suggestion, suggestionOf } from '../suggestion.js';
import { areSame, type Judge, type Verdicts } from '../verdicts.js';
import { weaken } from '../weaken.js';
import { atomicUpdates } from './atomic-updates.js';
import { groupMasks, renamedBarriers } from './common-numbers.js';
import { type KernelCode, kernelCode } from './kernel-code.js';
import { movedBarriers, orderingSites, removableSites } from './kernel-sites.js';
import { numberSites } from './numbers.js';
import { barriersFor, fencesFor, gapAt, type KernelBarrier, type KernelPlace, placesIn, waitsFor } from './places.js';
import { barriersIn, fileOf, programsFor, type SourceProgram } from './program-edits.js';
import { Trial, type Variant } from './trial.js';

/** The programs that modules are compiled from. */
export interface SourcePrograms {
  /** One, by the path of the module, and by its own name as the lines of the module have it. */
  readonly find: (module: string, file: string) => SourceProgram | undefined;
  /** The module that is compiled of a changed one; undefined where it cannot be compiled. */
  readonly compile?: (program: SourceProgram, module: string) => Promise<string | undefined>;
}

/**
 * Finds what mends the kernels of a test, or what they can do without. A change must hold for the launch of the test,
 * and for a larger one where there is such.
 */
export class KernelAdviser {
  private readonly code: KernelCode;
  private readonly places: readonly KernelPlace[];
  private readonly trial: Trial;

  constructor(
    private readonly source: Source,
    file: LitmusFile,
    private readonly judge: Judge,
    private readonly before: Verdicts,
    private readonly programs: SourcePrograms | undefined,
  ) {
    this.code = kernelCode(file);
    // What is in no loop is done once: it comes first.
    this.places = [...placesIn(this.code)].sort((a, b) => a.depth - b.depth);
    this.trial = new Trial(source, file, judge, before);
  }

  /**
   * One change of each kind if that is enough, else as few as it takes. Plain data stay plain: that accesses are atomic
   * would end a race and order nothing.
   */
  async repair(): Promise<Advice> {
    const search = new Repairs();
    const races = this.trial.races();
    const sites = orderingSites(this.code, races);
    const [fences, waits] = [fencesFor(this.code), waitsFor(this.code)];
    const gaps = this.places.flatMap((place) => fences.map((choices) => gapAt(place, choices)));
    const numbers = numberSites(this.code);
    const moved = movedBarriers(this.code, this.places);
    search.add('barriers', await this.byBarrier());
    search.add('fences', await this.byAddition(fences));
    if (waits.length > 0) search.add('waits', await this.byAddition(waits));
    search.add('qualifiers', await this.byStrength(sites));
    if (numbers.length > 0) search.add('numbers', await this.byNumber(numbers));
    const renamed = renamedBarriers(this.code);
    if (!search.has('numbers') && renamed.length > 0) search.add('numbers', await this.first(renamed));
    const masks = groupMasks(this.code);
    if (!search.has('numbers') && masks.length > 0) search.add('numbers', await this.first(masks));
    if (moved.length > 0) search.add('barriers elsewhere', await this.first(moved));
    if (search.repairs.length === 0) search.add('barriers', await this.byBarriers());
    if (search.repairs.length === 0) search.add('barriers', await this.byProgram(races));
    const isFence: Allowed = ({ kind }) => kind !== 'access';
    if (!search.has('fences')) search.add('fences', await this.byStrength([...sites, ...gaps], isFence));
    if (search.repairs.length === 0) search.add('qualifiers and fences', await this.byStrength([...sites, ...gaps]));
    const updates = atomicUpdates(this.code);
    if (search.repairs.length === 0 && updates.length > 0) search.add('atomic updates', await this.first(updates));
    const { undefinedBy } = this.before;
    const { repairs, tried } = search;
    return { kind: 'repair', repairs, tried, ...(undefinedBy === undefined ? {} : { undefinedBy }) };
  }

  /** What can be weaker or be left out, of the larger launch too. */
  async weaken(): Promise<Advice> {
    const sites = removableSites(this.code);
    const larger = await this.trial.largestMet();
    const keeps: Accepts = async (choices) =>
      areSame(this.before, await this.verdicts(choices)) &&
      (larger === undefined || areSame(larger.verdicts, await this.judge.verdicts(applied(larger.source, choices))));
    const { alone, together } = await weaken(sites, keeps);
    const told = (of: readonly Choices[]): readonly Suggestion[] => of.map((one) => this.suggestion(one, sites));
    return {
      kind: 'weaken',
      alone: [...told(alone)].sort((a, b) => a.cost - b.cost),
      together: await this.inPrograms(together, sites),
      cost: costOfChoices(sites, new Map()),
      alsoFor: larger === undefined ? [] : [larger.words],
    };
  }

  /** The cheapest of some sets of changes, in the program where it says them. */
  private async inPrograms(sets: readonly Choices[], sites: readonly Site[]): Promise<readonly Suggestion[]> {
    const told = new Map(sets.map((choices) => [this.suggestion(choices, sites), choices]));
    const found: Suggestion[] = [];
    for (const one of different([...told.keys()])) {
      const choices = told.get(one);
      const program = choices && (await this.inProgram(choices, false));
      found.push({ ...one, ...(program && { program }) });
    }
    return found;
  }

  private verdicts(choices: Choices): Promise<Verdicts | undefined> {
    return this.judge.verdicts(applied(this.source, choices));
  }

  /** All that is asked is met, of the launch of the test. */
  private readonly mends: Accepts = (choices) => this.trial.mends(changing(choices));

  /** And of a larger one, if the test can be made larger. */
  private readonly mendsLarger: Accepts = async (choices) =>
    (await this.mends(choices)) && (await this.trial.largerFor(changing(choices))) !== undefined;

  /** The first of some changes that mends the test. */
  private async first(changes: Iterable<Choices>): Promise<Suggestion | undefined> {
    const found = await firstThat(changes, this.mendsLarger);
    return found && this.checked(found);
  }

  /**
   * One barrier more: of the smallest group of threads for which that is enough. That of a warp must be so for a CTA of
   * several warps, or else is only taken where no other helps.
   */
  private async byBarrier(): Promise<Suggestion | undefined> {
    const all = barriersFor(this.code);
    const ofWarp = all.filter(({ isForAll }) => !isForAll).flatMap((one) => this.placed(one));
    const own = Math.max(...this.code.planned.map(({ launch }) => volume(launch.shape.block)));
    const isForMore = async (choices: Choices): Promise<boolean> =>
      (await this.trial.largerFor(changing(choices)))?.some(({ threads }) => threads * own > WARP_SIZE) === true;
    const mending = await allThat(ofWarp, this.mends);
    const found = await firstThat(mending, isForMore);
    if (found !== undefined) return this.checked(found);
    const wider = all.filter(({ isForAll }) => isForAll).flatMap((one) => this.placed(one));
    return this.first([...wider, ...mending]);
  }

  private placed(barrier: KernelBarrier): readonly Choices[] {
    const choice = barrierChoice(barrier);
    return this.placesOf(barrier).map((place) => firstChoices([gapAt(place, [choice])]));
  }

  private placesOf({ isForAll }: KernelBarrier): readonly KernelPlace[] {
    return this.places.filter(({ isUniform }) => isUniform || !isForAll);
  }

  /** As few barriers of one kind as it takes, in all places where one does no harm. */
  private async byBarriers(): Promise<Suggestion | undefined> {
    for (const barrier of barriersFor(this.code)) {
      const sites = this.placesOf(barrier).map((place) => gapAt(place, [barrierChoice(barrier)]));
      const harmless = await allThat(sites, async (site) => {
        const now = await this.verdicts(firstChoices([site]));
        return now !== undefined && now.undefinedBy === undefined && now.without.deadlock;
      });
      const top = firstChoices(harmless);
      if (!(await this.mendsLarger(top))) continue;
      const options = ({ present, others }: Site): readonly Choice[] => [present, ...others];
      const fewer = await takeBack(harmless, top, this.mendsLarger);
      return this.checked(await descend(harmless, fewer, options, this.mendsLarger));
    }
    return undefined;
  }

  /** One instruction more: at the first place where the strongest of its kind helps, the weakest that does. */
  private async byAddition(kinds: readonly (readonly Choice[])[]): Promise<Suggestion | undefined> {
    // What one thread does is cheaper than what all of them do.
    const places = [...this.places].sort((a, b) => a.depth - b.depth || Number(a.isUniform) - Number(b.isUniform));
    for (const place of places)
      for (const choices of kinds) {
        const site = gapAt(place, choices);
        const of = (choice: Choice): Choices => new Map([[site, choice]]);
        const strongest = site.others.at(-1);
        if (strongest === undefined || !(await this.mends(of(strongest)))) continue;
        const found = await this.first(site.others.map(of));
        if (found !== undefined) return found;
      }
    return undefined;
  }

  /** One other number. Where none holds for larger launches, one that fits CTAs and clusters of so many. */
  private async byNumber(numbers: readonly Site[]): Promise<Suggestion | undefined> {
    const changes = numbers.flatMap((site) => site.others.map((choice): Choices => new Map([[site, choice]])));
    const mending = await allThat(changes, this.mends);
    const general = await firstThat(mending, this.mendsLarger);
    if (general !== undefined) return this.checked(general);
    const found = await firstThat(
      mending,
      async (choices) => (await this.trial.largerFor(changing(choices), true)) !== undefined,
    );
    return found && { ...(await this.checked(found, true)), remark: OF_BLOCK };
  }

  /** The cheapest orders and scopes of some sites, and fences, that mend the test. */
  private async byStrength(of: readonly Site[], allowed: Allowed = () => true): Promise<Suggestion | undefined> {
    const options = (site: Site): readonly Choice[] =>
      [site.present, ...site.others.filter((choice) => isAtMost(site.present, choice) && allowed(site))].sort(
        (a, b) => a.cost - b.cost,
      );
    const strongest = (is: (choice: Choice) => boolean): Choices =>
      new Map(of.map((site) => [site, options(site).findLast(is) ?? site.present]));
    // Where fences need not be sc, fewer of them are needed than where any two of them are ordered.
    const tops = [strongest(({ strength }) => strength !== 'sc'), strongest(() => true)];
    const top = await firstThat(tops, this.mends);
    if (top === undefined) return undefined;
    const fewer = await takeBack(of, top, this.mends);
    const found = await descend(of, fewer, options, this.mends);
    // What is enough for few may not be for more: then the choices are made with these.
    if (await this.mendsLarger(found)) return this.checked(found);
    if (!(await this.mendsLarger(top))) return undefined;
    return this.checked(await descend(of, await takeBack(of, top, this.mendsLarger), options, this.mendsLarger));
  }

  private async checked(choices: Choices, isOfBlock = false): Promise<Suggestion> {
    const alsoFor = (await this.trial.largerFor(changing(choices), isOfBlock)) ?? [];
    const program = await this.inProgram(choices, isOfBlock);
    const found = { ...this.suggestion(choices), alsoFor: alsoFor.map(({ words }) => words) };
    if (program !== undefined) return { ...found, program };
    // What the compiler does not make of these words is not said in them.
    const changes = found.changes.map(({ cuda: _, ...one }) => one);
    return this.programs?.compile === undefined ? found : { ...found, changes, remark: NOT_IN_PROGRAM };
  }

  /** A change in the program that the modules were compiled from: compiled and asked again, where that can be done. */
  private async inProgram(choices: Choices, isOfBlock: boolean): Promise<Suggestion['program']> {
    const at = fileOf(choices);
    const program = at && this.programs?.find(at.module, at.file);
    if (at === undefined || program === undefined) return undefined;
    return this.compiled(program, at.module, programsFor(choices, program), isOfBlock);
  }

  /** The first of some changed programs that mends the test. */
  private async compiled(
    program: SourceProgram,
    module: string,
    changed: readonly SourceProgram[],
    isOfBlock: boolean,
  ): Promise<Suggestion['program']> {
    const [first] = changed;
    const patch = (one: SourceProgram): string => patchOf(program, one);
    if (this.programs?.compile === undefined)
      return first === undefined || patch(first) === '' ? undefined : { patch: patch(first), isCompiled: false };
    for (const one of changed) {
      if (one.text === program.text) continue;
      const text = await this.programs.compile(one, module);
      if (text === undefined) continue;
      const variant: Variant = (source) => withModule(source, module, text);
      if (!(await this.trial.mends(variant)) || (await this.trial.largerFor(variant, isOfBlock)) === undefined)
        continue;
      return { patch: patch(one), isCompiled: true };
    }
    return undefined;
  }

  /**
   * A barrier in the program, before what conflicts: where a compiler has made two ways of what follows a branch, no
   * place of the module is on both.
   */
  private async byProgram(races: ReturnType<Trial['races']>): Promise<Suggestion | undefined> {
    if (this.programs?.compile === undefined) return undefined;
    const places = races.flatMap((pair) => pair.flatMap((span) => span.source.compiledFrom?.(span.start) ?? []));
    const isCooperative = this.code.planned.some(({ launch }) => launch.cooperative);
    for (const module of new Set(this.code.planned.map(({ launch }) => launch.module.source.path)))
      for (const file of new Set(places.map((line) => userLine(line).file))) {
        const program = this.programs.find(module, file);
        if (program === undefined) continue;
        const lines = new Set(places.map(userLine).flatMap((one) => (one.file === file ? one.line : [])));
        for (const { statement, programs } of barriersIn(program, [...lines], isCooperative)) {
          const found = await this.compiled(program, module, programs, false);
          if (found === undefined) continue;
          const change = { line: 0, at: file, copies: 0, place: 'at', thread: '', from: '' } as const;
          return { changes: [{ ...change, to: statement, cuda: statement }], cost: 1, patch: '', program: found };
        }
      }
    return undefined;
  }

  private suggestion(choices: Choices, sites: readonly Site[] = [...choices.keys()]): Suggestion {
    return suggestionOf(this.source, sites, choices, []);
  }
}

const changing =
  (choices: Choices): Variant =>
  (source) =>
    applied(source, choices);

const withModule = (source: Source, path: string, text: string): Source => ({
  ...source,
  modules: Object.fromEntries(
    Object.entries(source.modules ?? {}).map(([name, module]) => [
      name,
      'path' in module && module.path === path ? { ...module, text } : module,
    ]),
  ),
});

/** Which sites a way of repairing may change. */
type Allowed = (site: Site) => boolean;

const NOT_IN_PROGRAM = 'no line was found at which the program says the same: the patch is of the module';
const OF_BLOCK = 'this number is for CTAs and clusters of that size: for others it is another one';

const barrierChoice = ({ text }: KernelBarrier): Choice => ({ strength: 'acq_rel', scope: undefined, text, cost: 1 });
