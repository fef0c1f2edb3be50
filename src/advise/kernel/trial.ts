import type { Source, Span } from '../../diagnostics/source.js';
import type { WholeRun } from '../../order/whole-run.js';
import type { LitmusFile } from '../../syntax/litmus-ast.js';
import { isMended, type Judge, type Verdicts } from '../verdicts.js';
import { originOf } from './kernel-code.js';
import { type LargerLaunch, largerLaunches } from './larger-launches.js';

/** A test with a change, of whatever launch. */
export type Variant = (source: Source) => Source;

/** What is known of a change for a larger launch: `open` where the launch cannot be enlarged like that. */
type Holds = 'holds' | 'fails' | 'open';

/** Asks of changes of a kernel test whether they mend it, and larger launches of it. */
export class Trial {
  private readonly larger: readonly LargerLaunch[];
  private readonly wrong = new Map<Source, ReadonlySet<string> | undefined>();

  constructor(
    private readonly source: Source,
    file: LitmusFile,
    private readonly judge: Judge,
    private readonly before: Verdicts,
  ) {
    this.larger = largerLaunches(file);
  }

  /** The largest launch of which all is met, as of that of the test. */
  async largestMet(): Promise<
    { readonly words: string; readonly source: Source; readonly verdicts: Verdicts } | undefined
  > {
    for (const { words, sources } of this.larger)
      for (const source of sources) {
        const verdicts = await this.judge.verdicts(source);
        if (verdicts !== undefined && isMended(this.before, verdicts)) return { words, source, verdicts };
      }
    return undefined;
  }

  /** Places at which threads race in one run of all of them, two and two. */
  races(): readonly (readonly [Span, Span])[] {
    const run = this.judge.runOf(this.source);
    return run === undefined ? [] : racesIn(run);
  }

  /** All that is asked is met, of the launch of the test. */
  async mends(variant: Variant): Promise<boolean> {
    const now = await this.judge.verdicts(variant(this.source));
    return now !== undefined && isMended(this.before, now);
  }

  /**
   * The larger launches for which a change was seen to hold; undefined where it fails for one that the test can be
   * enlarged to. With `isOfBlock` it may fail where a CTA has more threads.
   */
  async largerFor(variant: Variant, isOfBlock = false): Promise<readonly LargerLaunch[] | undefined> {
    const found: LargerLaunch[] = [];
    let isLarge = false;
    for (const larger of this.larger) {
      if (isLarge && larger.cluster === 1) continue;
      if (isOfBlock && (larger.threads > 1 || larger.cluster > 1)) continue;
      const holds = await this.holdsFor(larger, variant);
      if (holds === 'fails') return undefined;
      if (holds === 'holds') found.push(larger);
      // What holds for twice of both holds for twice of one; clusters are something else.
      if (holds === 'holds' && larger.ctas > 1 && larger.threads > 1) isLarge = true;
    }
    return found;
  }

  private async holdsFor({ sources }: LargerLaunch, variant: Variant): Promise<Holds> {
    let holds: Holds = 'open';
    for (const source of sources) {
      const now = await this.judge.verdicts(variant(source));
      if (now === undefined) continue;
      if (isMended(this.before, now)) return 'holds';
      if (now.isBroken && !(await this.isOfSize(source, variant, now))) holds = 'fails';
    }
    return holds;
  }

  /**
   * Whether what goes wrong in a larger launch with a change is neither what the test is broken by nor what the change
   * brings in, but comes with the size: such as a result that two CTAs store where one has stored it.
   */
  private async isOfSize(source: Source, variant: Variant, now: Verdicts): Promise<boolean> {
    if (OF_SIZES.includes(now.undefinedRule ?? '')) return true;
    const plain = await this.judge.verdicts(source);
    if (plain === undefined) return true;
    const [known, anyway, changed] = [
      this.wrongIn(this.source),
      this.wrongIn(source),
      this.judge.runOf(variant(source)),
    ];
    if (known === undefined || anyway === undefined || changed === undefined) return !this.isNoWorse(plain);
    return [...findingsIn(changed)].every((one) => !known.has(one) && anyway.has(one));
  }

  /** What the test does wrong without a change, of a launch that is asked about again and again. */
  private wrongIn(source: Source): ReadonlySet<string> | undefined {
    if (!this.wrong.has(source)) {
      const run = this.judge.runOf(source);
      this.wrong.set(source, run && findingsIn(run));
    }
    return this.wrong.get(source);
  }

  private readonly isNoWorse = ({ met, isBroken }: Verdicts): boolean =>
    isBroken && this.before.met.every((wasMet, i) => !wasMet || met[i] === true);
}

const racesIn = ({ conflicts }: WholeRun): readonly (readonly [Span, Span])[] =>
  conflicts.filter(({ kind }) => kind === 'race').map(({ threads: [a, b] }) => [a.span, b.span]);

/** What a run does wrong, by the lines of the program, which a change leaves as they are. */
function findingsIn(run: WholeRun): ReadonlySet<string> {
  const races = racesIn(run).map((pair) => pair.map(originOf).sort().join(' with '));
  return new Set([...races, ...run.findings.map(({ rule, thread }) => `${rule} at ${originOf(thread.span)}`)]);
}

/** What goes wrong where memory is too small. */
const OF_SIZES: readonly string[] = ['outside-memory'];
