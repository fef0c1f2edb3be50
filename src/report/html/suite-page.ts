import { escaped } from '../markup.js';
import type { ReportedTest } from '../reported-test.js';
import type { CheckRun, ReportedDiagnostic } from '../reporters/reporter.js';
import { PLAIN } from '../text.js';
import { plural } from '../words.js';
import { PAGE_STYLE } from './style.js';
import { inBrief, isFound, PAGE_VERDICTS, type PageVerdict, pageVerdict } from './verdict.js';

/** A test in the index, with its section if it has one. */
export interface IndexedTest {
  readonly verdict: PageVerdict;
  /** The row of the index. */
  readonly row: string;
  readonly section: string | undefined;
}

export function indexed(test: ReportedTest, id: string, section: string | undefined): IndexedTest {
  const verdict = pageVerdict(test);
  const name = escaped(test.name);
  const row =
    `<tr class="is-${verdict}"><td><span class="word ${verdict}">${verdict}</span></td>` +
    `<th scope="row">${section === undefined ? name : `<a href="#${id}">${name}</a>`}</th>` +
    `<td>${escaped(inBrief(test))}</td><td>${escaped(test.model)}</td>` +
    `<td><code>${escaped(test.path)}:${test.line}</code></td></tr>`;
  return { verdict, row, section };
}

/** One page of a run, without anything from elsewhere: an index with what was found first, and a section for each. */
export function suitePage(tests: readonly IndexedTest[], run: CheckRun, tool: string): string {
  const inOrder = PAGE_VERDICTS.flatMap((verdict) => tests.filter((one) => one.verdict === verdict));
  const sections = inOrder.flatMap(({ section }) => section ?? []);
  const left = inOrder.filter(({ verdict, section }) => isFound(verdict) && section === undefined).length;
  const there = PAGE_VERDICTS.filter((verdict) => tests.some((one) => one.verdict === verdict));
  const title = `${plural(tests.length, 'test')}: ${there.map((one) => `${countOf(tests, one)} ${one}`).join(', ')}`;
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escaped(title)}</title><style>${PAGE_STYLE}${filterStyle(there)}</style></head>`,
    '<body>',
    '<a class="skip" href="#findings">Skip to what was found</a>',
    `<header><h1>${escaped(title)}</h1><p class="faint">${escaped(tool)}</p></header>`,
    '<main>',
    '<section aria-labelledby="index"><h2 id="index">Tests</h2>',
    ...summaryLines(run),
    ...filterFor(there, tests),
    indexTable(inOrder),
    '</section>',
    ...mistakes(run.diagnostics),
    `<div id="findings" tabindex="-1">${sections.join('\n')}</div>`,
    ...(left === 0 ? [] : [`<p>Of what was found, ${left} more are in the index only: check them by themselves.</p>`]),
    '</main>',
    '</body></html>',
    '',
  ].join('\n');
}

const countOf = (tests: readonly IndexedTest[], wanted: PageVerdict): number =>
  tests.filter(({ verdict }) => verdict === wanted).length;

const summaryLines = ({ summary, unreadable, time }: CheckRun): readonly string[] =>
  summary
    .text(unreadable, time, PLAIN)
    .split('\n')
    .slice(-1)
    .map((line) => {
      const parts = line.trim().split(/\s{2,}/);
      return `<ul class="counts">${parts.map((part) => `<li>${escaped(part)}</li>`).join('')}</ul>`;
    });

/** Rows are hidden by style alone: the page needs no script. */
function filterFor(there: readonly PageVerdict[], tests: readonly IndexedTest[]): readonly string[] {
  if (there.length < 2) return [];
  const choice = (id: string, text: string, checked: boolean): string =>
    `<label><input type="radio" name="show" id="show-${id}"${checked ? ' checked' : ''}> ${text}</label>`;
  return [
    '<fieldset class="filter"><legend>Show</legend>',
    choice('all', `all (${tests.length})`, true),
    ...there.map((verdict) => choice(verdict, `${verdict} (${countOf(tests, verdict)})`, false)),
    '</fieldset>',
  ];
}

const filterStyle = (there: readonly PageVerdict[]): string =>
  there
    .map((verdict) => `@media screen { main:has(#show-${verdict}:checked) .tests tbody tr:not(.is-${verdict}) `)
    .map((rule) => `${rule}{ display: none; } }\n`)
    .join('');

function indexTable(tests: readonly IndexedTest[]): string {
  const head = ['verdict', 'test', 'found', 'model', 'file'].map((word) => `<th scope="col">${word}</th>`).join('');
  return (
    '<table class="tests"><caption>What was found comes first</caption>' +
    `<thead><tr>${head}</tr></thead><tbody>\n${tests.map(({ row }) => row).join('\n')}\n</tbody></table>`
  );
}

function mistakes(diagnostics: readonly ReportedDiagnostic[]): readonly string[] {
  if (diagnostics.length === 0) return [];
  return [
    '<section aria-labelledby="mistakes"><h2 id="mistakes">Mistakes in texts</h2>',
    ...diagnostics.map(
      ({ rendered, path, line }, i) =>
        `<div class="scroll" tabindex="0" role="group" aria-label="Mistake ${i + 1}, ${escaped(path)}:${line}">` +
        `<pre>${escaped(rendered)}</pre></div>`,
    ),
    '</section>',
  ];
}
