type Attributes = Readonly<Record<string, string | number | boolean | ((event: Event) => void) | undefined>>;
type Child = Node | string;

/** An element with attributes, listeners (`onclick`) and children. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === 'function') made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? '' : String(value));
  }
  made.append(...children);
  return made;
}

/** An element of the page that is there. */
export function byId<E extends HTMLElement = HTMLElement>(id: string): E {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`no element ${id}`);
  return found as E;
}

const CLASSES: Readonly<Record<string, string>> = { '31': 'bad', '32': 'good', '33': 'unsure', '2': 'faint' };

/** A text as for a terminal: what is colored there is of a class here. */
export function colored(text: string): DocumentFragment {
  const fragment = document.createDocumentFragment();
  let style: string | undefined;
  for (const part of text.split(/(\u001b\[\d+m)/)) {
    const code = /^\u001b\[(\d+)m$/.exec(part)?.[1];
    if (code !== undefined) style = CLASSES[code];
    else if (part !== '') fragment.append(style === undefined ? part : element('span', { class: style }, part));
  }
  return fragment;
}

/** Text that keeps its columns; it can be scrolled by keyboard. */
export function textBlock(text: string, label: string): HTMLElement {
  const block = element('pre', { tabindex: 0, role: 'region', 'aria-label': label });
  block.append(colored(text));
  return block;
}

/** A list of tabs (WAI-ARIA): arrow keys go from one to the next. */
export class Tabs {
  private readonly buttons = new Map<string, HTMLButtonElement>();

  constructor(
    private readonly list: HTMLElement,
    private readonly panel: HTMLElement,
    private readonly onSelect: (id: string) => void,
  ) {
    list.setAttribute('role', 'tablist');
    panel.setAttribute('role', 'tabpanel');
    list.addEventListener('keydown', (event) => this.move(event));
  }

  selected = '';

  set(tabs: readonly { readonly id: string; readonly title: string }[]): void {
    const same = tabs.length === this.buttons.size && tabs.every(({ id }) => this.buttons.has(id));
    if (!same) {
      this.buttons.clear();
      for (const { id } of tabs) {
        const button = element('button', {
          ...{ type: 'button', role: 'tab', id: `${this.list.id}-${id}`, 'aria-controls': this.panel.id },
          onclick: () => this.select(id),
        });
        this.buttons.set(id, button);
      }
      this.list.replaceChildren(...this.buttons.values());
    }
    for (const { id, title } of tabs) {
      const button = this.buttons.get(id);
      if (button !== undefined && button.textContent !== title) button.textContent = title;
    }
    if (!this.buttons.has(this.selected)) this.select(tabs[0]?.id ?? '');
    else this.show();
  }

  select(id: string): void {
    if (!this.buttons.has(id)) return;
    this.selected = id;
    this.show();
    this.onSelect(id);
  }

  private show(): void {
    for (const [id, button] of this.buttons) {
      button.setAttribute('aria-selected', String(id === this.selected));
      button.tabIndex = id === this.selected ? 0 : -1;
    }
    this.panel.setAttribute('aria-labelledby', `${this.list.id}-${this.selected}`);
  }

  private move(event: KeyboardEvent): void {
    const ids = [...this.buttons.keys()];
    const at = ids.indexOf(this.selected);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: ids.length - 1 }[event.key];
    const id = to === undefined ? undefined : ids[(to + ids.length) % ids.length];
    if (id === undefined) return;
    event.preventDefault();
    this.select(id);
    this.buttons.get(id)?.focus();
  }
}
