import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { AcceptedOutside } from '../diagnostics/source.js';
import { UsageError } from '../diagnostics/usage-error.js';
import { readText } from '../files/read-text.js';
import { writeText } from '../files/write-text.js';
import { withAcceptedClaims } from '../report/accepted-claims.js';
import type { FilePlace } from '../report/found-places.js';
import type { ReportedClaim, ReportedTest } from '../report/reported-test.js';
import type { TestSource } from '../suite/test-source.js';
import type { OutsideFindings } from './accepted-findings.js';
import { namesIn } from './find-tests.js';
import { quotedTexts } from './quoted-texts.js';

/** A line by what it says: an edit elsewhere in its file does not make it another. */
export interface KnownLine {
  /** The name of the file; absent where it is the test. */
  readonly file?: string;
  readonly text: string;
  /** Where several lines of the file say the same: which of them, from 1. */
  readonly nth?: number;
}

/** A broken claim that a baseline lists. */
export interface KnownFinding {
  readonly test: string;
  readonly model: string;
  /** As reports print the claim. */
  readonly claim: string;
  /** Where it was found, such as the two accesses that race; of conditions nothing. */
  readonly at: readonly KnownLine[];
}

const VERSION = 1;
const RACE = 'expect no-race';

/** The findings of a file that `check --write-findings` wrote. */
export function readFindings(file: string): readonly KnownFinding[] {
  if (!existsSync(file)) throw new UsageError(`no findings ${file}: "check <tests> --write-findings ${file}" makes it`);
  const wrong = new UsageError(
    `${file}: expected what "check --write-findings" writes, {"findings": ${VERSION}, "list": [..]}` +
      '; a baseline of verdicts is for "baseline check"',
  );
  let read: { readonly findings?: unknown; readonly list?: unknown };
  try {
    read = JSON.parse(readText(file)) as typeof read;
  } catch (thrown) {
    throw thrown instanceof SyntaxError ? wrong : thrown;
  }
  if (read?.findings !== VERSION || !Array.isArray(read.list) || !read.list.every(isKnownFinding)) throw wrong;
  return read.list;
}

function isKnownFinding(value: unknown): value is KnownFinding {
  if (typeof value !== 'object' || value === null) return false;
  const { test, model, claim, at } = value as Partial<Record<keyof KnownFinding, unknown>>;
  const isLine = (one: unknown): boolean => typeof (one as Partial<KnownLine> | null)?.text === 'string';
  return [test, model, claim].every((text) => typeof text === 'string') && Array.isArray(at) && at.every(isLine);
}

export function writeFindings(file: string, list: readonly KnownFinding[]): void {
  const lines = [...new Set(list.map((one) => JSON.stringify(one)))].sort().map((line) => `    ${line}`);
  writeText(file, `{\n  "findings": ${VERSION},\n  "list": [\n${lines.join(',\n')}\n  ]\n}\n`);
}

/**
 * The findings of a baseline in the tests of a run: they break nothing. A race is accepted where it was, so that
 * another one in the same test is told.
 */
export class KnownFindings implements OutsideFindings {
  private readonly found = new Set<KnownFinding>();
  private readonly met = new Set<KnownFinding>();

  constructor(
    private readonly file: string,
    private readonly list: readonly KnownFinding[],
    private readonly sources: readonly TestSource[],
  ) {}

  inSource(source: TestSource): TestSource {
    if (source.problem !== undefined) return source;
    const names = namesIn(source);
    const accepted = this.list.flatMap((one, i): readonly AcceptedOutside[] => {
      if (!isAtLines(one) || !names.includes(one.test)) return [];
      const lines = one.at.flatMap((line) => citedLine(line, source) ?? []);
      if (lines.length < one.at.length) return [];
      return [{ finding: 'race', lines, reason: this.because, entry: `${this.file}#${i}` }];
    });
    return accepted.length === 0 ? source : { ...source, accepted: [...(source.accepted ?? []), ...accepted] };
  }

  inTest(test: ReportedTest, place: number): ReportedTest {
    const mine = this.list.filter((one) => one.test === test.name && one.model === test.model);
    for (const one of mine) this.met.add(one);
    for (const { entry, outcome } of test.accepted ?? []) {
      const one = mine.find((known) => entry === `${this.file}#${this.list.indexOf(known)}`);
      if (one !== undefined && outcome !== 'nothing') this.found.add(one);
    }
    // What was not decided may be there.
    if (test.undecided) for (const one of mine) this.found.add(one);
    return withAcceptedClaims(test, (claim) => {
      const now = findingOf(test, claim, this.sources[place]);
      const one = mine.find((known) => isSame(known, now));
      if (one !== undefined) this.found.add(one);
      return one === undefined ? undefined : this.because;
    });
  }

  /** Those of the list that are found, or of which that is not known: their tests were not in the run. */
  stillThere(): readonly KnownFinding[] {
    return this.list.filter((one) => this.found.has(one) || !this.met.has(one));
  }

  idle(): readonly string[] {
    const gone = this.list.filter((one) => this.met.has(one) && !this.found.has(one));
    return gone.map(
      ({ test, claim, at }) =>
        `${this.file}: gone: ${test}: ${claim}${at.length === 0 ? '' : ` at ${at.map(quotedLine).join(' and ')}`}; ` +
        '--write-findings takes it out',
    );
  }

  private get because(): string {
    return `listed in ${this.file}`;
  }
}

const quotedLine = ({ text }: KnownLine): string => `"${text}"`;

/** Whether others of its kind may be behind it. */
export const isAtLines = ({ claim, at }: KnownFinding): boolean => claim === RACE && at.length > 0;

/** The broken claims of a test. */
export const findingsOf = (test: ReportedTest, source: TestSource | undefined): readonly KnownFinding[] =>
  test.claims.filter(({ outcome }) => outcome === 'broken').map((claim) => findingOf(test, claim, source));

function findingOf(
  { name, model }: ReportedTest,
  { claim, places = [] }: ReportedClaim,
  source: TestSource | undefined,
): KnownFinding {
  const at = source === undefined ? [] : places.flatMap((place) => knownLine(place, source) ?? []);
  return { test: name, model, claim, at: at.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) };
}

const isSame = (a: KnownFinding, b: KnownFinding): boolean =>
  a.claim === b.claim && JSON.stringify(a.at) === JSON.stringify(b.at);

function knownLine({ path, line }: Omit<FilePlace, 'line'> & { line: number | string }, source: TestSource) {
  const lines = linesOf(path, source);
  const text = lines?.get(Number(line));
  if (lines === undefined || text === undefined) return undefined;
  const nth = [...lines].filter(([at, other]) => other === text && at <= Number(line)).length;
  const file = path === source.path ? {} : { file: basename(path) };
  return { ...file, text, ...(nth > 1 && { nth }) } satisfies KnownLine;
}

function citedLine({ file, text, nth = 1 }: KnownLine, source: TestSource) {
  const modules = Object.values(source.modules ?? {}).flatMap((one) => ('path' in one ? [one.path] : []));
  const paths =
    file === undefined
      ? [source.path]
      : modules.map((path) => (basename(path) === file ? path : join(dirname(path), file)));
  for (const path of paths) {
    const [line] = [...(linesOf(path, source) ?? [])].filter(([, other]) => other === text)[nth - 1] ?? [];
    if (line !== undefined) return { file, line };
  }
  return undefined;
}

/** The lines of a file by their numbers, without what an edit for the eye changes. */
function linesOf(path: string, source: TestSource): ReadonlyMap<number, string> | undefined {
  const quoted = quotedTexts([source])(path, 0);
  if (quoted === undefined) return undefined;
  const lines = quoted.text.split('\n').map((line) =>
    line
      .replace(/\/\/.*$/, '')
      .replace(/\s+/g, ' ')
      .trim(),
  );
  return new Map(lines.map((line, i) => [(quoted.firstLine ?? 1) + i, line]));
}
