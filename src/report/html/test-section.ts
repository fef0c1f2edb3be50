import { escaped } from '../markup.js';
import type { ReportedClaim, ReportedTest } from '../reported-test.js';
import { PLAIN, restyled } from '../text.js';
import { plural } from '../words.js';
import { listingOf, type QuotedText } from './listing.js';
import type { ReportedExecution, ReportedStep, ReportedSteps } from './reported-page.js';
import { pageVerdict } from './verdict.js';

/** A text that a section may quote, by its path; undefined where there is none. */
export type Quoted = (path: string) => QuotedText | undefined;

/** What a page says of one test: what was asked and answered, where, by which execution, why, and what mends it. */
export function testSection(test: ReportedTest, id: string, quoted: Quoted): string {
  const { name, model, path, line, page } = test;
  const verdict = pageVerdict(test);
  const story = page?.story ?? (test.problem === undefined ? undefined : restyled(test.problem, PLAIN));
  return [
    `<article id="${id}" aria-labelledby="${id}-name">`,
    `<h2 id="${id}-name">${escaped(name)} <span class="word ${verdict}">${verdict}</span></h2>`,
    `<p class="faint">under ${escaped(model)}, <code>${escaped(path)}:${line}</code></p>`,
    ...answers(test),
    ...sources(test, quoted),
    ...(page?.executions ?? []).map((one, i) => executionPart(one, `${name}, ${i + 1}`)),
    ...(story === undefined || story === '' ? [] : ['<h3>Why</h3>', scrolled(`Why: ${name}`, escaped(story))]),
    ...(page?.repair === undefined ? [] : ['<h3>Repair</h3>', scrolled(`Repair: ${name}`, patchLines(page.repair))]),
    '</article>',
  ].join('\n');
}

function answers({ claims, undefined: rule, flags = [], remarks = [], accepted = [] }: ReportedTest): string[] {
  const rows = claims.map((one) => {
    const [word, verdict] = answerOf(one);
    const why = [
      ...(one.observation ? [`observation: ${one.observation}`] : []),
      ...(one.reason === null ? [] : [one.reason]),
      ...(one.unconfirmed === undefined ? [] : [`not confirmed: ${one.unconfirmed}`]),
    ].join('; ');
    return (
      `<tr><th scope="row"><code>${escaped(one.claim)}</code></th>` +
      `<td><span class="word ${verdict}">${word}</span> ${escaped(why)}</td>` +
      '</tr>'
    );
  });
  const notes = [
    ...(rule === undefined ? [] : [`undefined: ${rule}; the model says nothing about the outcomes of this test`]),
    ...accepted.map(({ allowance, because, outcome }) => `${allowance}: ${ACCEPTED[outcome]}: ${because}`),
    ...flags.map(({ flag, told }) => `flag ${flag}: ${told}`),
    ...remarks.map(({ remark }) => `remark: ${remark}`),
  ];
  return [
    '<h3>What was asked, and the answer</h3>',
    ...(rows.length === 0
      ? ['<p>The test asks nothing.</p>']
      : [
          '<table class="answers"><thead><tr><th scope="col">asked</th><th scope="col">answer</th></tr></thead>' +
            `<tbody>${rows.join('')}</tbody></table>`,
        ]),
    ...notes.map((note) => `<p>${escaped(note)}</p>`),
  ];
}

const ACCEPTED = { found: 'accepted', nothing: 'nothing of the kind is found', undecided: 'undecided' } as const;

function answerOf({ outcome, reachable }: ReportedClaim): readonly [word: string, verdict: string] {
  if (outcome !== 'none') return [outcome, outcome];
  if (reachable === undefined || reachable === null) return ['undecided', 'undecided'];
  return [reachable ? 'allowed' : 'forbidden', 'met'];
}

/** The test itself, and the files in which something is marked. */
function sources({ path, page, name }: ReportedTest, quoted: Quoted): readonly string[] {
  const marks = page?.marks ?? [];
  const paths = [...new Set([path, ...marks.map((one) => one.path)])];
  const listings = paths.flatMap((one) => {
    const text = quoted(one);
    const marked = new Set(marks.filter((mark) => mark.path === one).map(({ line }) => line));
    return text === undefined ? [] : [listingOf(one, text, marked, name)];
  });
  return listings.length === 0 ? [] : ['<h3>Source</h3>', ...listings];
}

function executionPart({ title, svg, threads, end }: ReportedExecution, label: string): string {
  return [
    `<h3>${escaped(title)}</h3>`,
    ...threadParts(threads),
    ...(end === '' ? [] : [`<p>${escaped(end)}</p>`]),
    `<figure style="margin:0.75rem 0"><figcaption class="faint">${LEGEND}</figcaption>` +
      `<div class="scroll picture" tabindex="0" role="group" aria-label="Graph: ${escaped(label)}">${svg}</div>` +
      '</figure>',
  ].join('\n');
}

const LEGEND = 'A box is an event, by its letter; those that were found have a thick border.';

/** The threads of what was found side by side; the others, where there are some, for who wants to see them. */
function threadParts(threads: readonly ReportedSteps[]): readonly string[] {
  const marked = threads.filter(({ steps }) => steps.some(({ isMarked }) => isMarked));
  const others = threads.filter((one) => !marked.includes(one));
  const columns = (some: readonly ReportedSteps[]): string =>
    `<div class="threads">${some.map(threadPart).join('\n')}</div>`;
  if (marked.length === 0 || others.length === 0) return [columns(threads)];
  const what = plural(others.length, 'other thread');
  return [columns(marked), `<details class="others"><summary>${what}</summary>${columns(others)}</details>`];
}

function threadPart({ name, place, steps }: ReportedSteps): string {
  const items = steps.map(stepItem).join('');
  return (
    `<div class="thread"><h4>${escaped(name)} <span class="faint">${escaped(place)}</span></h4>` +
    `${items === '' ? '<p class="faint">does nothing that matters here</p>' : `<ol>${items}</ol>`}</div>`
  );
}

function stepItem({ letter, what, at, quote, isMarked }: ReportedStep): string {
  const from = at === '' ? '' : `<small>${escaped(at)}${what === '' ? '' : `: <code>${escaped(quote)}</code>`}</small>`;
  return (
    `<li${isMarked ? ' class="marked"' : ''}><code><b>${letter}</b> ${escaped(what === '' ? quote : what)}</code>` +
    `${from}</li>`
  );
}

const scrolled = (label: string, content: string): string =>
  `<div class="scroll" tabindex="0" role="group" aria-label="${escaped(label)}"><pre>${content}</pre></div>`;

/** The lines of a patch that come and go stand out; they begin with + and - besides. */
function patchLines(text: string): string {
  return text
    .split('\n')
    .map((line) => {
      const kind = /^\+(?!\+\+ )/.test(line) ? 'added' : /^-(?!-- )/.test(line) ? 'gone' : undefined;
      return kind === undefined ? escaped(line) : `<span class="${kind}">${escaped(line)}</span>`;
    })
    .join('\n');
}
