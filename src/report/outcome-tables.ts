import type { LogVerdict } from '../compare/compare-logs.js';
import type { OutcomeRow } from '../compare/outcome-table.js';
import type { Style } from './text.js';
import { plural } from './words.js';

/** What is odd about tests that were run, by their names, such as what ptxas made of their instructions. */
export type Marks = ReadonlyMap<string, readonly string[]>;

/** What tables of outcomes are about. */
export interface OutcomeSettings {
  readonly model: string;
  /** The model that tells which outcomes are weak, if one was named. */
  readonly beyond: string | undefined;
  readonly marks: Marks;
  /** Only tests are shown of which something was observed that should not be. */
  readonly isBrief?: boolean;
}

/** In characters, of the bar of an outcome that was always seen. */
const WIDEST = 16;

/** The outcomes of each test in three columns: what the model allows, the machine reaches, and was observed. */
export function reportOutcomes(verdicts: readonly LogVerdict[], settings: OutcomeSettings, style: Style): string {
  const tabled = verdicts.flatMap(({ test, outcomes }) => (outcomes === undefined ? [] : [{ test, ...outcomes }]));
  if (tabled.length === 0) return '';
  const shown =
    settings.isBrief === true ? tabled.filter(({ rows }) => rows.some((row) => wrongOf(row).length > 0)) : tabled;
  const tables = shown.map(({ test, rows, machine }) => {
    const head = ['model', 'machine', 'observed'];
    const cells = rows.map((row) => [allowedWord(row), reachedWord(row), observedWord(row)]);
    const widths = head.map((word, i) =>
      Math.max(...[word, ...cells.map((line) => line[i] ?? '')].map(({ length }) => length)),
    );
    const aligned = (line: readonly string[]): string =>
      line.map((cell, i) => (i === 2 ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0))).join('  ');
    const most = Math.max(1, ...rows.map(({ count }) => count ?? 0));
    const lines = rows.map((row, i) => {
      const text = `  ${aligned(cells[i] ?? [])}  ${bar(row, most).padEnd(WIDEST)}  ${stateText(row)}`;
      const wrong = wrongOf(row);
      const said = [...(row.isBeyond ? [`beyond ${settings.beyond}`] : []), ...wrong].join(', ');
      return said === '' ? text : `${text}   ${wrong.length > 0 ? style.bad(said) : said}`;
    });
    return [
      test,
      `  ${aligned(head)}`,
      ...lines,
      ...(machine === undefined ? [] : [`  ${style.faint(`?: the machine has more, perhaps: ${machine}`)}`]),
      ...(settings.marks.get(test) ?? []).map((mark) => `  ${style.unsure('note')}: ${mark}`),
    ].join('\n');
  });
  return [...tables, outcomeSummary(verdicts, settings).join('\n')].join('\n\n');
}

export const allowedWord = ({ allowed }: OutcomeRow): string =>
  allowed === undefined ? '?' : allowed ? 'allowed' : 'forbidden';
export const reachedWord = ({ reached }: OutcomeRow): string =>
  reached === undefined ? '?' : reached ? 'reached' : 'not reached';
export const observedWord = ({ observed, count }: OutcomeRow): string =>
  observed ? (count === undefined ? 'seen' : String(count)) : '-';

export const stateText = ({ values }: OutcomeRow): string =>
  [...values].map(([name, value]) => `${name} = ${value};`).join(' ');

/** What was observed and should not have been. */
export const wrongOf = ({ observed, allowed, reached }: OutcomeRow): readonly string[] =>
  !observed || (allowed !== false && reached !== false)
    ? []
    : allowed === false
      ? ['VIOLATION: observed and forbidden']
      : ['observed, and the machine does not reach it'];

/** The part of the widest bar that an outcome has, from 0 to 1: by the logarithm of how often it was seen. */
export const shareOf = ({ count = 0 }: OutcomeRow, most: number): number => Math.log1p(count) / Math.log1p(most);

const bar = (row: OutcomeRow, most: number): string => '█'.repeat(Math.ceil(WIDEST * shareOf(row, most)));

/** How much of what is allowed was observed, a sentence each. */
export function outcomeSummary(
  verdicts: readonly LogVerdict[],
  { model, beyond, marks }: OutcomeSettings,
): readonly string[] {
  const rows = verdicts.flatMap(({ outcomes }) => outcomes?.rows ?? []);
  const allowed = rows.filter((row) => row.allowed === true);
  const seen = allowed.filter(({ observed }) => observed);
  const unseen = allowed.filter(({ observed }) => !observed);
  const weak = allowed.filter(({ isBeyond }) => isBeyond);
  const wrong = rows.filter((row) => row.observed && row.allowed === false);
  const beside = rows.filter((row) => row.observed && row.allowed !== false && row.reached === false);
  const open = rows.filter((row) => row.observed && row.reached === undefined);
  const marked = verdicts.filter(({ test }) => marks.has(test)).length;
  const ofAll = (part: readonly OutcomeRow[], all: readonly OutcomeRow[]): string =>
    `${part.length} observed${all.length === 0 ? '' : ` (${Math.round((100 * part.length) / all.length)} %)`}`;
  return [
    `${plural(allowed.length, 'outcome')} allowed by ${model}, ${ofAll(seen, allowed)}; of the ${unseen.length} ` +
      `others the machine reaches ${unseen.filter(({ reached }) => reached).length}`,
    ...(beyond === undefined
      ? []
      : [
          `${plural(weak.length, 'outcome')} allowed by ${model} and forbidden by ${beyond}, ` +
            ofAll(
              weak.filter(({ observed }) => observed),
              weak,
            ),
        ]),
    `${plural(wrong.length, 'outcome')} observed and forbidden; ${beside.length} observed and not reached by the ` +
      `machine${open.length === 0 ? '' : `, ${open.length} where that is not known`}`,
    ...(marked === 0 ? [] : [`${plural(marked, 'test')} of which ptxas has left something else than they say`]),
  ];
}
