import type { ReportedCrossCheck } from './cross-check.js';
import { summarizeCrossChecks } from './cross-check.js';
import type { ReportedClaim, ReportedTest } from './reported-test.js';
import { NEVER_ENDS, type Style } from './text.js';
import { plural } from './words.js';

/** The counts of a suite, and the tests that its last lines name. It grows with these only. */
export class SuiteSummary {
  tests = 0;
  broken = 0;
  undecided = 0;
  neverEnding = 0;
  private readonly allowed = { true: 0, false: 0, null: 0 };
  private readonly outcomes = { met: 0, broken: 0, accepted: 0, undecided: 0, none: 0 };
  private undefinedTests = 0;
  private depending = 0;
  private vacuous = 0;
  private selections = 0;
  private accepted = 0;
  private readonly confirmation = { z3: 0, proof: 0, open: 0 };
  private readonly named: {
    readonly of: 'undefined' | 'endless' | 'undecided' | 'unconfirmed';
    readonly line: string;
  }[] = [];
  private readonly engines: ReportedCrossCheck[] = [];

  add(test: ReportedTest): void {
    this.tests += 1;
    this.broken += Number(test.broken);
    this.neverEnding += Number(test.neverEnds);
    this.vacuous += Number(test.vacuous);
    this.depending += Number(test.depends);
    if (test.engines !== undefined) this.engines.push(test.engines);
    for (const claim of test.claims) this.count(claim);
    this.accepted += (test.accepted ?? []).filter(({ outcome }) => outcome === 'found').length;
    this.selections += Number(test.selection !== undefined);
    this.addConfirmation(test);
    const name = `${test.name} (${test.model})`;
    if (test.undefined !== undefined) {
      this.undefinedTests += 1;
      this.named.push({ of: 'undefined', line: `  undefined: ${name}: ${test.undefined}` });
    }
    if (test.vacuous) this.named.push({ of: 'endless', line: `  no final state: ${name}: ${NEVER_ENDS}` });
    if (test.undecided) {
      this.undecided += 1;
      this.named.push({ of: 'undecided', line: `  undecided: ${name}: ${test.reasons.join('; ')}` });
    }
  }

  private addConfirmation({ confirmation, claims, name, model }: ReportedTest): void {
    if (confirmation !== undefined)
      for (const by of ['z3', 'proof', 'open'] as const) this.confirmation[by] += confirmation[by];
    const why = claims.find(({ unconfirmed }) => unconfirmed !== undefined)?.unconfirmed;
    if (why !== undefined) this.named.push({ of: 'unconfirmed', line: `  not confirmed: ${name} (${model}): ${why}` });
  }

  /** By how many refutations the answers are confirmed, and by whom. */
  get confirmed(): Readonly<Record<'z3' | 'proof' | 'open', number>> {
    return this.confirmation;
  }

  private confirmationText(): readonly string[] {
    const { z3, proof, open } = this.confirmation;
    const parts = [
      ...(z3 === 0 ? [] : [`${z3} confirmed by z3`]),
      ...(proof === 0 ? [] : [`${proof} by a checked proof`]),
      ...(open === 0 ? [] : [`${open} not confirmed`]),
    ];
    return parts.length === 0 ? [] : [`refutations: ${parts.join(', ')}`];
  }

  private count({ outcome, reachable }: ReportedClaim): void {
    this.outcomes[outcome] += 1;
    if (reachable !== undefined) this.allowed[`${reachable}`] += 1;
  }

  /** Something that whoever asked for problems only has to know. */
  get hasProblem(): boolean {
    return this.broken + this.undecided + this.vacuous > 0;
  }

  /** The last lines of a run; `time` in milliseconds, undefined where times are left out. */
  text(unreadable: number, time: number | undefined, style: Style): string {
    const { tests, outcomes, allowed } = this;
    if (tests === 0)
      return style.bad(`no test could be read: ${unreadable} file${unreadable === 1 ? ' has' : 's have'} errors`);
    const line = [
      plural(tests, 'test'),
      `conditions: ${allowed.true} allowed, ${allowed.false} ` +
        `forbidden${allowed.null === 0 ? '' : `, ${allowed.null} without a verdict`}`,
      `expectations: ${outcomes.met} met, ${outcomes.broken} ` +
        `broken${outcomes.undecided === 0 ? '' : `, ${outcomes.undecided} undecided`}`,
      ...(this.accepted === 0 ? [] : [`${plural(this.accepted, 'finding')} accepted`]),
      ...this.confirmationText(),
      ...(this.selections === 0 ? [] : [`scope: selection: ${plural(this.selections, 'test')}`]),
      ...(this.undefinedTests === 0 ? [] : [`${plural(this.undefinedTests, 'test')} undefined`]),
      ...(this.neverEnding === 0 ? [] : [`${this.neverEnding} without a final state`]),
      ...(this.undecided === 0 ? [] : [`${plural(this.undecided, 'test')} undecided`]),
      ...(this.depending === 0 ? [] : [`${this.depending} depend on an open choice`]),
      ...(unreadable === 0 ? [] : [`${unreadable} not readable`]),
      ...(time === undefined ? [] : [`${(time / 1000).toFixed(1)} s`]),
    ].join('   ');
    const names = (wanted: (typeof this.named)[number]['of']): readonly string[] =>
      this.named.filter(({ of }) => of === wanted).map((one) => one.line);
    const many = tests > 1;
    const dress = outcomes.broken > 0 || unreadable > 0 ? style.bad : this.undecided > 0 ? style.unsure : style.good;
    return [
      ...(many ? [...names('undefined'), ...names('endless')] : []),
      ...names('undecided'),
      ...names('unconfirmed'),
      ...summarizeCrossChecks(this.engines),
      dress(line),
    ].join('\n');
  }
}
