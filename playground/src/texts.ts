import { MODEL_TEXTS } from 'virtual:models';
import type { Asking } from '../../src/interactive/asking.js';
import { sentenceOf } from '../../src/interactive/findings.js';
import type { Draft, Finding, Mark, ModelDraft } from '../../src/interactive/questions.js';
import { byId, element, Tabs } from './dom.js';
import { TextEditor } from './editors.js';
import type { Shared } from './link.js';

export const MODELS = Object.keys(MODEL_TEXTS)
  .filter((path) => !path.includes('/'))
  .map((path) => path.replace(/\.cat$/, ''))
  .sort();
const USUAL = 'ptx-9.4';
const OWN = 'my model';
const TEST = 'test';
const MODEL = 'model';

const FIRST: Draft = {
  path: 'MP.litmus',
  text: `PTX MP
"Message passing between two CTAs"
{
  .global .u32 data = 0;
  .global .u32 flag = 0;
}
P0 @ cta 0, gpu 0 {
  st.weak.global.u32 [data], 42;
  st.release.cta.global.u32 [flag], 1;
}
P1 @ cta 1, gpu 0 {
  ld.acquire.gpu.global.u32 r0, [flag];
  ld.weak.global.u32 r1, [data];
}
forbid (P1:r0 == 1 /\\ P1:r1 == 0) as stale
expect no-race
`,
};

/** The left side: the test, the modules that it names, and the model, a tab each. */
export class Texts {
  private readonly editors = new Map<string, TextEditor>();
  private path = FIRST.path;
  private modules: readonly string[] = [];
  private readonly tabs: Tabs;
  /** Set while texts are put in by the page. */
  private isQuiet = false;

  constructor(
    private readonly services: Asking,
    private readonly changed: () => void,
  ) {
    this.tabs = new Tabs(byId('texts'), byId('editor'), (id) => this.open(id));
    const select = this.modelSelect;
    select.replaceChildren(...[...MODELS, OWN].map((name) => element('option', { value: name }, name)));
    select.value = USUAL;
    select.addEventListener('change', () => {
      if (this.model.text === undefined) this.quietly(() => this.showModel());
      this.changed();
    });
    byId('edit-model').addEventListener('click', () => this.editModel());
  }

  get draft(): Draft {
    const modules = this.modules.map((name) => [name, this.editors.get(name)?.text ?? ''] as const);
    const text = this.editors.get(TEST)?.text ?? '';
    return { path: this.path, text, ...(modules.length > 0 && { modules: Object.fromEntries(modules) }) };
  }

  get model(): ModelDraft {
    const { value: name } = this.modelSelect;
    return name === OWN ? { name: 'my-model', text: this.editors.get(MODEL)?.text ?? '' } : { name };
  }

  private get modelSelect(): HTMLSelectElement {
    return byId<HTMLSelectElement>('model');
  }

  start(shared: Shared | undefined): void {
    this.quietly(() => {
      const { name = USUAL, text } = shared?.model ?? {};
      this.modelSelect.value = text === undefined ? (MODELS.includes(name) ? name : USUAL) : OWN;
      this.editor(MODEL, 'model').text = text ?? MODEL_TEXTS[`${this.modelSelect.value}.cat`] ?? '';
    });
    this.show(shared?.draft ?? FIRST);
  }

  /** Another test, with its modules. */
  show({ path, text, modules = {} }: Draft): void {
    this.quietly(() => {
      this.path = path;
      for (const name of this.modules) if (!(name in modules)) this.drop(name);
      this.modules = Object.keys(modules);
      this.editor(TEST, 'litmus').text = text;
      for (const [name, of] of Object.entries(modules)) this.editor(name, 'module').text = of;
      this.listTabs();
      this.tabs.select(TEST);
    });
    this.changed();
  }

  /** The test names these modules now; whether one of them is new. */
  name(modules: readonly string[]): boolean {
    const isNew = modules.some((name) => !this.modules.includes(name));
    if (isNew || modules.length !== this.modules.length) {
      for (const name of modules) this.editor(name, 'module');
      // What the text does not name any more is kept as long as it may be a slip of the pen.
      const written = this.modules.filter((name) => this.editors.get(name)?.text !== '');
      const kept = [...new Set([...modules, ...written])];
      for (const name of this.modules) if (!kept.includes(name)) this.drop(name);
      this.modules = kept;
      this.listTabs();
    }
    return isNew;
  }

  mark(marks: readonly Mark[], findings: readonly Finding[] = []): void {
    const found = findings.map((one): Mark => {
      const { path, line, column, isBroken, advice } = one;
      const end = { endLine: line, endColumn: column + one.text.length };
      const severity = isBroken ? 'error' : 'warning';
      return { path, line, column, ...end, severity, code: '', message: sentenceOf(one), hint: advice ?? null };
    });
    for (const [id, editor] of this.editors) {
      const path = id === TEST ? this.path : id === MODEL ? `${this.model.name}.cat` : id;
      editor.mark([...marks, ...found].filter((one) => one.path === path));
    }
  }

  goTo(path: string, line: number): void {
    const id = path === this.path ? TEST : path.endsWith('.cat') ? MODEL : path;
    if (!this.editors.has(id)) return;
    this.tabs.select(id);
    this.editors.get(id)?.goTo(line);
  }

  private editModel(): void {
    this.modelSelect.value = OWN;
    this.changed();
    this.editors.get(MODEL)?.view.focus();
  }

  private showModel(): void {
    this.editor(MODEL, 'model').text = MODEL_TEXTS[`${this.modelSelect.value}.cat`] ?? '';
  }

  private quietly(act: () => void): void {
    this.isQuiet = true;
    act();
    this.isQuiet = false;
  }

  private editor(id: string, language: 'litmus' | 'module' | 'model'): TextEditor {
    const known = this.editors.get(id);
    if (known !== undefined) return known;
    const path = (): string => (id === TEST ? this.path : id === MODEL ? 'model.cat' : id);
    const draft = (): Draft => ({ ...(id === TEST ? this.draft : {}), path: path(), text: made.text });
    const made: TextEditor = new TextEditor(
      language,
      id === TEST ? 'litmus test' : id === MODEL ? 'model in cat' : `module ${id}`,
      {
        changed: () => this.edited(id),
        hover: (offset) => this.services.ask('hover', { draft: draft(), offset }),
        complete: (offset) => this.services.ask('complete', { draft: draft(), offset }),
      },
    );
    this.editors.set(id, made);
    return made;
  }

  /** Whoever writes into a model that comes with the page has made a copy of it. */
  private edited(id: string): void {
    if (this.isQuiet) return;
    if (id === MODEL) this.modelSelect.value = OWN;
    this.changed();
  }

  private drop(name: string): void {
    this.editors.get(name)?.view.destroy();
    this.editors.delete(name);
  }

  private listTabs(): void {
    this.tabs.set([
      { id: TEST, title: 'test' },
      ...this.modules.map((name) => ({ id: name, title: name })),
      { id: MODEL, title: 'model' },
    ]);
  }

  private open(id: string): void {
    const editor = this.editors.get(id);
    if (editor === undefined) return;
    byId('editor').replaceChildren(editor.view.dom);
    byId('model-tools').hidden = id !== MODEL;
    editor.view.requestMeasure();
  }
}
