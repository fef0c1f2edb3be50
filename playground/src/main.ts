import type { Draft, ModelDraft } from '../../src/interactive/questions.js';
import { AnswerPane } from './answer-pane.js';
import { byId, element } from './dom.js';
import { type Example, loadExamples } from './examples.js';
import { fragmentOf, sharedIn } from './link.js';
import { Texts } from './texts.js';
import { byTheme, startTheme } from './theme.js';
import { TOUR } from './tour.js';
import { askingWorker } from './workers.js';

/** The page: texts on the left, what is said of them on the right. */
const search = askingWorker();
const services = askingWorker();
const confirming = askingWorker(true);
const start = performance.now();

const texts = new Texts(services, changed);
const pane = new AnswerPane(askingWorker(), {
  goTo: (path, line) => texts.goTo(path, line),
  take: (draft) => texts.show(draft),
});

/** In milliseconds. */
const PAUSE = 200;
let asked = 0;

/** What is on the left now. */
const about = (): { readonly draft: Draft; readonly model: ModelDraft } => ({ draft: texts.draft, model: texts.model });

function changed(): void {
  void answer().catch((thrown: unknown) => {
    byId('status').textContent = `a bug of ours: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
  });
}

/** The search answers at once; what it has not found is confirmed behind it. */
async function answer(): Promise<void> {
  asked += 1;
  const mine = asked;
  const question = about();
  // What was asked about an older text would hold up what is asked about this one.
  search.giveUp();
  confirming.giveUp();
  pane.wait();
  byId('status').textContent = 'reading …';
  const diagnosis = await search.ask('diagnose', { draft: question.draft });
  if (diagnosis === undefined || mine !== asked) return;
  // A module that the test has just named has a tab now, and belongs to the question.
  if (texts.name(diagnosis.modules)) return changed();
  texts.mark(diagnosis.marks);
  byId('status').textContent = 'searching …';
  const verdicts = await search.ask('check', question);
  if (verdicts === undefined || mine !== asked) return;
  texts.mark(verdicts.marks, verdicts.findings);
  pane.show(question, verdicts);
  const time = performance.now() - start;
  byId('status').textContent = verdicts.tests.length === 0 ? 'not decided' : 'decided';
  if (document.body.dataset['firstVerdict'] === undefined) document.body.dataset['firstVerdict'] = time.toFixed(0);
  if (verdicts.tests.length === 0) return;
  // Who is still typing need not wait for z3.
  await new Promise((resolve) => setTimeout(resolve, PAUSE));
  if (mine !== asked) return;
  const confirmed = await confirming.ask('check', question);
  if (confirmed === undefined || mine !== asked) return;
  pane.confirm(confirmed);
  byId('party').textContent = `confirmed by ${confirmed.party}`;
  byId('status').textContent = 'decided and confirmed';
  if (document.body.dataset['confirmed'] === undefined)
    document.body.dataset['confirmed'] = (performance.now() - start).toFixed(0);
}

function showExample({ path, text, modules }: Example): void {
  texts.show({ path, text, ...(modules !== undefined && { modules }) });
}

/** Topics and tests of `litmus/`. */
async function offerExamples(): Promise<void> {
  const topics = await loadExamples();
  const topic = byId<HTMLSelectElement>('topic');
  const example = byId<HTMLSelectElement>('example');
  topic.replaceChildren(...[...topics.keys()].map((name) => element('option', {}, name)));
  const list = (): void => {
    const tests = topics.get(topic.value) ?? [];
    const none = element('option', { value: '' }, `${tests.length} tests`);
    example.replaceChildren(
      none,
      ...tests.map(({ path }) => element('option', { value: path }, path.replace(/^[^/]*\//, ''))),
    );
  };
  const find = (path: string): Example | undefined =>
    topics.get(path.split('/')[0] ?? '')?.find((one) => one.path === path);
  topic.value = 'classic';
  topic.addEventListener('change', list);
  example.addEventListener('change', () => {
    const found = find(example.value);
    if (found !== undefined) showExample(found);
  });
  list();
  startTour(find);
}

function startTour(find: (path: string) => Example | undefined): void {
  const guide = byId('guide');
  const go = (at: number): void => {
    const stop = TOUR[at];
    guide.hidden = stop === undefined;
    if (stop === undefined) return byId('tour').focus();
    const found = find(stop.example);
    if (found !== undefined) showExample(found);
    pane.select(stop.view);
    const button = (text: string, to: number): HTMLElement =>
      element('button', { type: 'button', onclick: () => go(to), disabled: to < 0 || to >= TOUR.length }, text);
    guide.replaceChildren(
      element('h2', { tabindex: -1 }, `${at + 1} of ${TOUR.length}: ${stop.title}`),
      element('p', {}, stop.text),
      element(
        'div',
        { class: 'controls' },
        button('back', at - 1),
        button('next', at + 1),
        element('button', { type: 'button', onclick: () => go(TOUR.length) }, 'end the tour'),
      ),
    );
    guide.querySelector('h2')?.focus();
  };
  byId('tour').addEventListener('click', () => go(0));
}

async function share(): Promise<void> {
  const fragment = await fragmentOf(about());
  history.replaceState(null, '', fragment);
  const copied = await navigator.clipboard?.writeText(location.href).then(
    () => true,
    () => false,
  );
  byId('status').textContent = copied === true ? 'the link is copied' : 'the link is in the address bar';
}

/** What the link carries; without one a first test. */
async function begin(): Promise<void> {
  startTheme(byId('theme'));
  const shared = await sharedIn(location.hash);
  texts.start(shared);
  if (location.hash !== '' && shared === undefined)
    byId('status').textContent = 'this link cannot be read: it may have been cut; here is another test';
  byId('share').addEventListener('click', () => void share());
  window.addEventListener('hashchange', () => {
    void sharedIn(location.hash).then((found) => found !== undefined && texts.start(found));
  });
  await offerExamples();
}

/** Gives the page the headers that z3 needs, and keeps it for when there is no network. */
async function serve(): Promise<void> {
  if (!('serviceWorker' in navigator)) return;
  try {
    await navigator.serviceWorker.register('service-worker.js');
    await navigator.serviceWorker.ready;
    if (self.crossOriginIsolated) return;
    byId('offer').replaceChildren(
      'z3 can confirm from the next visit on. ',
      element('button', { type: 'button', onclick: () => location.reload() }, 'load the page again now'),
    );
  } catch {
    // A file server without https, or a private window: the checked proof confirms.
  }
}

byTheme();
void begin().then(serve);
