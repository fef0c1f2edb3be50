import type { Asking } from '../../src/interactive/asking.js';
import type { About, Draft, ModelDraft, Verdicts } from '../../src/interactive/questions.js';
import { byId, element, Tabs, textBlock } from './dom.js';
import { MODELS } from './texts.js';
import { changesView, comparisonView, type MachineControls, machineView, picturesView, verdictsView } from './views.js';

const VIEWS = [
  { id: 'verdicts', title: 'verdicts' },
  { id: 'why', title: 'why' },
  { id: 'picture', title: 'picture' },
  { id: 'states', title: 'final states' },
  { id: 'machine', title: 'machine' },
  { id: 'compare', title: 'two models' },
  { id: 'mend', title: 'advice' },
] as const;
type View = (typeof VIEWS)[number]['id'];

interface Deeds {
  readonly goTo: (path: string, line: number) => void;
  /** Puts another text in the place of the test. */
  readonly take: (draft: Draft) => void;
}

/** The right side: the verdicts, and what is asked only when it is looked at. */
export class AnswerPane {
  private readonly tabs: Tabs;
  private question: Omit<About, 'test'> | undefined;
  private verdicts: Verdicts | undefined;
  private confirmed: Verdicts | undefined;
  private readonly hidden = new Set<string>();
  private taken: readonly number[] = [];
  private undone: readonly number[] = [];
  private other = 'sc';
  private shown = 0;

  constructor(
    private readonly asking: Asking,
    private readonly deeds: Deeds,
  ) {
    this.tabs = new Tabs(byId('views'), byId('answer'), () => this.render());
    this.tabs.set(VIEWS);
    this.testSelect.addEventListener('change', () => this.restart());
  }

  private get testSelect(): HTMLSelectElement {
    return byId<HTMLSelectElement>('test');
  }

  private get answer(): HTMLElement {
    return byId('answer');
  }

  select(view: string): void {
    this.tabs.select(view);
  }

  /** What is shown is about what the texts were. */
  wait(): void {
    this.answer.classList.add('waiting');
  }

  show(question: { readonly draft: Draft; readonly model: ModelDraft }, verdicts: Verdicts): void {
    this.question = question;
    this.verdicts = verdicts;
    this.confirmed = undefined;
    const { tests } = verdicts;
    const { value } = this.testSelect;
    byId('test-choice').hidden = tests.length < 2;
    this.testSelect.replaceChildren(...tests.map(({ name }, i) => element('option', { value: i }, name)));
    this.testSelect.value = Number(value) < tests.length && value !== '' ? value : '0';
    this.restart();
  }

  confirm(verdicts: Verdicts): void {
    this.confirmed = verdicts;
    if (this.view === 'verdicts') this.render();
  }

  private get view(): View {
    return this.tabs.selected as View;
  }

  private restart(): void {
    this.taken = [];
    this.undone = [];
    this.render();
  }

  private render(): void {
    this.shown += 1;
    const mine = this.shown;
    this.asking.giveUp();
    void this.contents()
      .catch((thrown: unknown) => [
        element('p', { class: 'bad' }, `a bug of ours: ${thrown instanceof Error ? thrown.message : String(thrown)}`),
      ])
      .then((contents) => {
        if (contents === undefined || mine !== this.shown) return;
        this.answer.classList.remove('waiting');
        this.answer.replaceChildren(...contents);
      });
    this.answer.classList.add('waiting');
  }

  /** `undefined`: something newer is asked. */
  private async contents(): Promise<readonly HTMLElement[] | undefined> {
    const { question, verdicts, confirmed } = this;
    if (question === undefined || verdicts === undefined) return undefined;
    if (this.view === 'verdicts' || verdicts.tests.length === 0)
      return verdictsView({ verdicts, confirmed, goTo: this.deeds.goTo });
    const about: About = { ...question, test: Number(this.testSelect.value) };
    switch (this.view) {
      case 'why':
        return text(await this.asking.ask('explain', about), 'explanation');
      case 'states':
        return text(await this.asking.ask('states', about), 'final states');
      case 'picture':
        return this.pictures(about);
      case 'machine':
        return this.machine(about);
      case 'compare':
        return this.compare(about);
      case 'mend': {
        const given = await this.asking.ask('mend', about);
        return given && changesView(given, ({ draft }) => this.deeds.take(draft));
      }
    }
  }

  private async pictures(about: About): Promise<readonly HTMLElement[] | undefined> {
    const given = await this.asking.ask('draw', { ...about, hide: [...this.hidden] });
    if (given === undefined) return undefined;
    const relations = given.pictures.map((one) => ({ ...one, relations: [...one.relations, ...this.hidden] }));
    return picturesView({ ...given, pictures: relations }, this.hidden, (relation) => {
      if (!this.hidden.delete(relation)) this.hidden.add(relation);
      this.render();
    });
  }

  private async machine(about: About): Promise<readonly HTMLElement[] | undefined> {
    const given = await this.asking.ask('step', { ...about, taken: this.taken });
    if (given === undefined) return undefined;
    const go = (taken: readonly number[], undone: readonly number[]): void => {
      this.taken = taken;
      this.undone = undone;
      this.render();
    };
    const controls: MachineControls = {
      choose: (choice) => go([...this.taken, choice], []),
      back: () => go(this.taken.slice(0, -1), [...this.taken.slice(-1), ...this.undone]),
      forward: () => go([...this.taken, ...this.undone.slice(0, 1)], this.undone.slice(1)),
      random: () => go([...this.taken, Math.floor(Math.random() * given.choices.length)], []),
      restart: () => go([], [...this.taken, ...this.undone]),
      canGoBack: this.taken.length > 0,
      canGoForward: this.undone.length > 0,
    };
    return machineView(given, controls);
  }

  private async compare(about: About): Promise<readonly HTMLElement[] | undefined> {
    const select = element('select', {
      onchange: () => {
        this.other = select.value;
        this.render();
      },
    });
    select.append(...MODELS.map((name) => element('option', { value: name }, name)));
    select.value = this.other;
    const given = await this.asking.ask('compare', { ...about, other: { name: this.other } });
    if (given === undefined) return undefined;
    const choice = element('p', {}, element('label', {}, `${about.model.name} beside `, select));
    return [choice, ...comparisonView(given)];
  }
}

const text = (given: { readonly text: string } | undefined, label: string): readonly HTMLElement[] | undefined =>
  given && [textBlock(given.text, label)];
