import type { Finding, MachinePlace, Picture, Questions, Verdicts } from '../../src/interactive/questions.js';
import type { ReportedClaim, ReportedTest } from '../../src/report/reported-test.js';
import { element, textBlock } from './dom.js';

/** What the page shows of answers; each view makes its elements anew. */

const WORDS: Readonly<Record<ReportedClaim['outcome'], readonly [text: string, style: string]>> = {
  met: ['met', 'good'],
  broken: ['BROKEN', 'bad'],
  accepted: ['accepted', 'plain'],
  undecided: ['undecided', 'unsure'],
  none: ['', 'plain'],
};
const OBSERVED = { Always: 'in every execution', Sometimes: 'allowed', Never: 'forbidden' } as const;

export interface VerdictsShown {
  readonly verdicts: Verdicts;
  /** The same again, with what confirms it; until then `undefined`. */
  readonly confirmed: Verdicts | undefined;
  readonly goTo: (path: string, line: number) => void;
}

export function verdictsView({ verdicts, confirmed, goTo }: VerdictsShown): readonly HTMLElement[] {
  const errors = verdicts.marks.filter(({ severity }) => severity === 'error');
  if (errors.length > 0)
    return [
      element('h2', {}, errors.length === 1 ? 'A mistake in the text' : `${errors.length} mistakes in the text`),
      element(
        'ul',
        { class: 'mistakes' },
        ...errors.map(({ path, line, column, code, message, hint }) =>
          element(
            'li',
            {},
            place(`${path}:${line}:${column}`, () => goTo(path, line)),
            ` ${code}: ${message}`,
            ...(hint === null ? [] : [element('p', { class: 'hint' }, hint)]),
          ),
        ),
      ),
    ];
  return verdicts.tests.flatMap((test, i) => [
    element('h2', {}, test.name),
    ...(test.undefined === undefined ? [] : [element('p', { class: 'unsure' }, `undefined: ${test.undefined}`)]),
    element('ul', { class: 'claims' }, ...test.claims.map((one) => claim(one, goTo, test.path))),
    confirmation(test, confirmed?.tests[i], confirmed?.party),
    ...findings(
      verdicts.findings.filter((one) => one.test === i),
      goTo,
    ),
    ...(test.full === undefined ? [] : [textBlock(test.full, `report of ${test.name}`)]),
  ]);
}

function claim(
  { claim: text, outcome, observation, reason, line }: ReportedClaim,
  goTo: VerdictsShown['goTo'],
  path: string,
) {
  const [word, style] = WORDS[outcome];
  const observed = observation === undefined || observation === null ? '' : OBSERVED[observation];
  return element(
    'li',
    { class: style },
    place(`line ${line}`, () => goTo(path, Number(line))),
    element('code', {}, text),
    element('strong', { class: style }, word),
    element('span', { class: 'reason' }, [observed, reason ?? ''].filter((one) => one !== '').join('; ')),
  );
}

/** Who has confirmed what: the page says which. */
function confirmation(test: ReportedTest, again: ReportedTest | undefined, party: string | undefined): HTMLElement {
  const status = (style: string, text: string): HTMLElement =>
    element('p', { class: `confirmation ${style}`, 'data-confirmed': again === undefined ? 'no' : 'yes' }, text);
  if (again === undefined) return status('faint', 'found by the search; confirming …');
  const outcome = ({ claims }: ReportedTest): string => JSON.stringify(claims.map((one) => [one.claim, one.outcome]));
  if (outcome(again) !== outcome(test))
    return status('bad', 'asked again, the answers differ: please report this test');
  const { z3 = 0, proof = 0, open = 0 } = again.confirmation ?? {};
  const parts = [
    ...(z3 > 0 ? [`${z3} by z3`] : []),
    ...(proof > 0 ? [`${proof} by the checked proof`] : []),
    ...(open > 0 ? [`${open} by nobody`] : []),
  ];
  if (parts.length === 0) return status('good', 'shown by executions, or known from the text: nothing to confirm');
  const why =
    proof > 0 && z3 === 0 && party !== undefined ? `: ${party.replace(/^checked proof \((.*)\)$/, '$1')}` : '';
  return status(open > 0 ? 'unsure' : 'good', `that there is no such execution is confirmed ${parts.join(', ')}${why}`);
}

function findings(found: readonly Finding[], goTo: VerdictsShown['goTo']): readonly HTMLElement[] {
  const claims = [...new Set(found.map(({ claim: what }) => what))];
  return claims.map((what) =>
    element(
      'ul',
      { class: 'findings', 'aria-label': what },
      ...found
        .filter(({ claim: one }) => one === what)
        .map(({ path, line, text }) =>
          element(
            'li',
            {},
            place(`${path}:${line}`, () => goTo(path, line)),
            element('code', {}, text),
          ),
        ),
    ),
  );
}

const place = (text: string, go: () => void): HTMLElement =>
  element('button', { type: 'button', class: 'place', onclick: go }, text);

/** The pictures, and the relations that can be hidden. */
export function picturesView(
  { pictures, problem }: Questions['draw']['gives'],
  hidden: ReadonlySet<string>,
  toggle: (relation: string) => void,
): readonly HTMLElement[] {
  if (problem !== undefined) return [element('p', {}, problem)];
  const relations = [...new Set(pictures.flatMap((one) => one.relations))];
  return [
    element(
      'fieldset',
      { class: 'relations' },
      element('legend', {}, 'relations'),
      ...relations.map((relation) => {
        const box = element('input', { type: 'checkbox', onchange: () => toggle(relation) });
        box.checked = !hidden.has(relation);
        return element('label', {}, box, relation);
      }),
    ),
    ...pictures.map(figure),
  ];
}

function figure({ title, svg }: Picture): HTMLElement {
  const paper = element('div', { class: 'paper', tabindex: 0, role: 'region', 'aria-label': title });
  paper.innerHTML = svg;
  const events = (of: Element): readonly string[] =>
    (of.getAttribute('data-events') ?? `${of.getAttribute('data-from')} ${of.getAttribute('data-to')}`).split(' ');
  for (const part of paper.querySelectorAll('.node, .edge')) {
    const near = new Set(events(part));
    part.addEventListener('pointerenter', () => {
      paper.classList.add('pointed');
      for (const other of paper.querySelectorAll('.node, .edge')) {
        const isNear = part.matches('.edge')
          ? events(other).every((one) => near.has(one))
          : events(other).some((one) => near.has(one));
        other.classList.toggle('near', isNear);
      }
    });
    part.addEventListener('pointerleave', () => paper.classList.remove('pointed'));
  }
  return element('figure', {}, element('figcaption', {}, title), paper);
}

export interface MachineControls {
  readonly choose: (choice: number) => void;
  readonly back: () => void;
  readonly forward: () => void;
  readonly random: () => void;
  readonly restart: () => void;
  readonly canGoBack: boolean;
  readonly canGoForward: boolean;
}

/** The machine, step by step. */
export function machineView({ done, choices, end }: MachinePlace, controls: MachineControls): readonly HTMLElement[] {
  const button = (text: string, act: () => void, enabled: boolean): HTMLElement =>
    element('button', { type: 'button', onclick: act, disabled: !enabled }, text);
  return [
    element(
      'div',
      { class: 'controls', role: 'group', 'aria-label': 'run' },
      button('from the beginning', controls.restart, controls.canGoBack),
      button('back', controls.back, controls.canGoBack),
      button('forward', controls.forward, controls.canGoForward),
      button('a random step', controls.random, choices.length > 0),
    ),
    element('h2', {}, 'Done'),
    done.length === 0
      ? element('p', { class: 'faint' }, 'nothing yet')
      : element('ol', { class: 'steps' }, ...done.map((step) => element('li', {}, step))),
    element('h2', {}, choices.length > 0 ? 'What can be done next' : 'The end'),
    ...(choices.length === 0 ? end.map((line) => element('p', {}, line)) : []),
    element(
      'ul',
      { class: 'choices' },
      ...choices.map((text, i) =>
        element(
          'li',
          {},
          button(text, () => controls.choose(i), true),
        ),
      ),
    ),
  ];
}

/** Changes that mend the test, or that it can do without something; each can be taken. */
export function changesView(
  { changes, text }: Questions['mend']['gives'],
  take: (change: Questions['mend']['gives']['changes'][number]) => void,
): readonly HTMLElement[] {
  return [
    ...changes.map((change) =>
      element(
        'p',
        { class: 'change' },
        element('button', { type: 'button', onclick: () => take(change) }, 'change it'),
        element('code', {}, change.title),
      ),
    ),
    textBlock(text, 'advice'),
  ];
}

/** Two models side by side: what each says of each condition, and what only one of them allows. */
export function comparisonView({ models, rows, text }: Questions['compare']['gives']): readonly HTMLElement[] {
  const cell = (said: string | undefined): HTMLElement => element('td', {}, said ?? 'not asked');
  const head = ['', ...models].map((name) => element('th', { scope: 'col' }, name === '' ? 'condition' : name));
  const body = rows.map(({ claim: asked, a, b }) =>
    element(
      'tr',
      a === b ? {} : { class: 'differs' },
      element('th', { scope: 'row' }, element('code', {}, asked)),
      cell(a),
      cell(b),
    ),
  );
  const table = element('table', {}, element('thead', {}, element('tr', {}, ...head)), element('tbody', {}, ...body));
  return [...(rows.length === 0 ? [] : [table]), textBlock(text, 'what only one of them allows')];
}
