import { literalPattern } from '../diagnostics/literal-pattern.js';
import type { AcceptedOutside } from '../diagnostics/source.js';
import { withAcceptedClaims } from '../report/accepted-claims.js';
import type { ReportedTest } from '../report/reported-test.js';
import type { TestSource } from '../suite/test-source.js';
import { namesIn } from './find-tests.js';
import type { ProjectAllowance, ProjectFile } from './project-file.js';

/** Findings that something outside of the tests says are known: in a run they break nothing, and are told. */
export interface OutsideFindings {
  /** A source with what is accepted in its tests. */
  inSource(source: TestSource): TestSource;
  /** A result with those of its claims accepted that are known; `place`: of its source in the suite. */
  inTest(test: ReportedTest, place: number): ReportedTest;
  /** What of it is not there any more, in words. */
  idle(): readonly string[];
}

/**
 * What a project file accepts, in the tests of a run. Races and undefined behavior are accepted where they are found,
 * so that another one in the same test is still one; of other expectations and of conditions the whole claim is.
 */
export class AcceptedFindings implements OutsideFindings {
  private readonly used = new Set<ProjectAllowance>();
  private readonly met = new Set<ProjectAllowance>();

  constructor(private readonly project: Pick<ProjectFile, 'path' | 'allow'> | undefined) {}

  inSource(source: TestSource): TestSource {
    const { allow = [], path = '' } = this.project ?? {};
    const names = allow.length === 0 || source.problem !== undefined ? [] : namesIn(source);
    const accepted = allow.flatMap(({ finding, at, ...one }): readonly AcceptedOutside[] => {
      if (finding === undefined || !names.some((name) => means(one.test, name, source.path))) return [];
      return [{ finding, lines: at, reason: `${one.reason} (${path}:${one.line})`, entry: `${path}:${one.line}` }];
    });
    return accepted.length === 0 ? source : { ...source, accepted };
  }

  inTest(test: ReportedTest): ReportedTest {
    const { allow = [], path = '' } = this.project ?? {};
    const mine = allow.filter((one) => means(one.test, test.name, test.path));
    for (const one of mine) this.met.add(one);
    for (const { entry, outcome } of test.accepted ?? []) {
      const one = allow.find(({ line }) => entry === `${path}:${line}`);
      if (one !== undefined && outcome !== 'nothing') this.used.add(one);
    }
    // What was not decided may be there.
    if (test.undecided) for (const one of mine) this.used.add(one);
    return withAcceptedClaims(test, ({ claim }) => {
      const one = mine.find((allowed) => allowed.claim !== undefined && isLike(allowed.claim, claim));
      if (one !== undefined) this.used.add(one);
      return one === undefined ? undefined : `${one.reason} (${path}:${one.line})`;
    });
  }

  idle(): readonly string[] {
    const { allow = [], path = '' } = this.project ?? {};
    const idle = allow.filter((one) => this.met.has(one) && !this.used.has(one));
    const elsewhere = allow.filter((one) => !this.met.has(one));
    const entries = elsewhere.length === 1 ? 'entry' : 'entries';
    return [
      ...idle.map(
        ({ line, test, finding, claim }) =>
          `${path}:${line}: in ${test} nothing is found that "${finding ?? claim}" accepts: take the entry out`,
      ),
      ...(elsewhere.length === 0
        ? []
        : [
            `${path}: no test of this run is meant by ${elsewhere.length} ${entries} of "allow" ` +
              `(${elsewhere.map(({ line, test }) => `${test}, line ${line}`).join('; ')})`,
          ]),
    ];
  }
}

/** Whether a pattern means a test, by its name or by the end of its path. */
const means = (pattern: string, name: string, path: string): boolean => isLike(pattern, name) || isLike(pattern, path);

/** `*` stands for any characters: names of tests have all others that patterns elsewhere have. */
function isLike(pattern: string, text: string): boolean {
  const parts = pattern.split('*').map(literalPattern);
  return new RegExp(`^${parts.join('.*')}$`, 's').test(text);
}
