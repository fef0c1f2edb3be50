import type { LogVerdict } from '../compare/compare-logs.js';
import type { OutcomeRow, OutcomeTable } from '../compare/outcome-table.js';
import { escaped } from './markup.js';
import {
  allowedWord,
  type OutcomeSettings,
  observedWord,
  outcomeSummary,
  reachedWord,
  shareOf,
  stateText,
  wrongOf,
} from './outcome-tables.js';

/** A log whose tests were judged. */
interface JudgedLog {
  readonly path: string;
  readonly verdicts: readonly LogVerdict[];
}

const STYLE = `
:root { color-scheme: light dark; }
body { font: 14px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem; }
h2 { font-size: 1rem; margin: 1.5rem 0 .25rem; }
table { border-collapse: collapse; width: 100%; table-layout: fixed; }
th, td { text-align: left; padding: .1rem .75rem .1rem 0; vertical-align: baseline; }
th:nth-child(1), th:nth-child(2) { width: 7rem; }
th:nth-child(3) { width: 7rem; text-align: right; }
th:nth-child(4) { width: 12rem; }
td.count { text-align: right; font-variant-numeric: tabular-nums; }
td.bar div { background: #4a7ebb; height: .7rem; min-width: 1px; }
tr.weak td.bar div { background: #c77d0a; }
tr.wrong { font-weight: bold; }
tr.wrong td.bar div { background: #c0392b; }
code { font-size: .95em; }
.note { font-style: italic; }
`;

/** A page with the outcomes of every test: what the model allows, the machine reaches, and how often each was seen. */
export function outcomePage(logs: readonly JudgedLog[], settings: OutcomeSettings): string {
  const sections = logs.flatMap(({ path, verdicts }) => [
    `<h1>${escaped(path)}</h1>`,
    ...outcomeSummary(verdicts, settings).map((line) => `<p>${escaped(line)}.</p>`),
    '<p>Bars are by the logarithm of how often an outcome was seen.</p>',
    ...verdicts.map((verdict) => testSection(verdict, settings)),
  ]);
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
    `<title>Outcomes under ${escaped(settings.model)}</title><style>${STYLE}</style></head><body><main>`,
    ...sections,
    '</main></body></html>',
    '',
  ].join('\n');
}

function testSection({ test, outcomes, undecided }: LogVerdict, settings: OutcomeSettings): string {
  const notes = [
    ...(undecided === undefined ? [] : [`undecided: ${undecided}`]),
    ...(outcomes?.machine === undefined ? [] : [`?: the machine has more, perhaps: ${outcomes.machine}`]),
    ...(settings.marks.get(test) ?? []),
  ];
  return [
    `<section><h2>${escaped(test)}</h2>`,
    outcomes === undefined ? '' : tableOf(outcomes, settings),
    ...notes.map((note) => `<p class="note">${escaped(note)}</p>`),
    '</section>',
  ].join('\n');
}

function tableOf({ rows }: OutcomeTable, { beyond }: OutcomeSettings): string {
  const most = Math.max(1, ...rows.map(({ count }) => count ?? 0));
  const head = ['model', 'machine', 'observed', '', 'final state', ''];
  return [
    `<table><thead><tr>${head.map((word) => `<th scope="col">${word}</th>`).join('')}</tr></thead><tbody>`,
    ...rows.map((row) => {
      const said = [...(row.isBeyond ? [`beyond ${beyond}`] : []), ...wrongOf(row)].join(', ');
      return (
        `<tr class="${classOf(row)}"><td>${allowedWord(row)}</td><td>${reachedWord(row)}</td>` +
        `<td class="count">${observedWord(row)}</td>` +
        `<td class="bar"><div style="width: ${(100 * shareOf(row, most)).toFixed(1)}%"></div></td>` +
        `<td><code>${escaped(stateText(row))}</code></td><td>${escaped(said)}</td></tr>`
      );
    }),
    '</tbody></table>',
  ].join('\n');
}

const classOf = (row: OutcomeRow): string => (wrongOf(row).length > 0 ? 'wrong' : row.isBeyond ? 'weak' : '');
