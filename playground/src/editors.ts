import { autocompletion, type CompletionContext, type CompletionResult } from '@codemirror/autocomplete';
import { HighlightStyle, StreamLanguage, syntaxHighlighting } from '@codemirror/language';
import { type Diagnostic, setDiagnostics } from '@codemirror/lint';
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView, hoverTooltip } from '@codemirror/view';
import { Tag, tags } from '@lezer/highlight';
import { basicSetup } from 'codemirror';
import type { Mark, Questions } from '../../src/interactive/questions.js';
import { HIGHLIGHTING, type HighlightedLanguage, type TokenClass } from '../../src/language/highlight.js';
import { element } from './dom.js';

const REGISTER = Tag.define();
const QUALIFIER = Tag.define();
const TAG_OF: Readonly<Record<TokenClass, Tag>> = {
  comment: tags.comment,
  string: tags.string,
  number: tags.number,
  keyword: tags.keyword,
  instruction: tags.function(tags.variableName),
  qualifier: QUALIFIER,
  type: tags.typeName,
  register: REGISTER,
  label: tags.labelName,
  operator: tags.operator,
  name: tags.variableName,
};
/** Some of our names are names of CodeMirror too, with another meaning. */
const tokenOf = (of: TokenClass): string => `litmus-${of}`;
const TOKENS = Object.fromEntries(Object.entries(TAG_OF).map(([of, tag]) => [tokenOf(of as TokenClass), tag]));
/** The colors are in style.css, for both themes. */
const STYLE = HighlightStyle.define(Object.entries(TAG_OF).map(([name, tag]) => ({ tag, class: `tok-${name}` })));

/** Colors by the table that the VS Code extension has its grammar from. */
function languageOf(name: HighlightedLanguage): Extension {
  const { comments, rules } = HIGHLIGHTING[name];
  const matchers = rules.map(({ of, match }) => ({ of, match: new RegExp(`^(?:${match})`) }));
  return StreamLanguage.define<{ until: string | undefined }>({
    name,
    startState: () => ({ until: undefined }),
    token: (stream, state) => {
      if (state.until !== undefined) {
        if (stream.skipTo(state.until)) {
          stream.match(state.until);
          state.until = undefined;
        } else stream.skipToEnd();
        return tokenOf('comment');
      }
      if (stream.eatSpace()) return null;
      for (const { begin, end } of comments)
        if (stream.match(begin)) {
          state.until = end;
          return tokenOf('comment');
        }
      for (const { of, match } of matchers) if (stream.match(match)) return tokenOf(of);
      stream.next();
      return null;
    },
    tokenTable: TOKENS,
    languageData: { commentTokens: name === 'model' ? { block: { open: '(*', close: '*)' } } : { line: '//' } },
  });
}

/** What an editor asks while a text is written. */
export interface EditorServices {
  readonly changed: () => void;
  readonly hover: (offset: number) => Promise<Questions['hover']['gives']>;
  readonly complete: (offset: number) => Promise<Questions['complete']['gives'] | undefined>;
}

/** The editor of one text. */
export class TextEditor {
  readonly view: EditorView;

  constructor(language: HighlightedLanguage, label: string, services: EditorServices) {
    this.view = new EditorView({
      state: EditorState.create({
        extensions: [
          basicSetup,
          languageOf(language),
          syntaxHighlighting(STYLE),
          autocompletion({ override: [(context) => complete(context, services)] }),
          hoverTooltip(async (_, offset) => {
            const found = await services.hover(offset);
            if (found === undefined) return null;
            return { pos: found.start, end: found.end, create: () => ({ dom: hoverText(found.text) }) };
          }),
          EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false', tabindex: '0' }),
          EditorView.updateListener.of(({ docChanged }) => {
            if (docChanged) services.changed();
          }),
        ],
      }),
    });
  }

  get text(): string {
    return this.view.state.doc.toString();
  }

  set text(text: string) {
    if (text !== this.text) this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text } });
  }

  mark(marks: readonly Mark[]): void {
    const { state } = this.view;
    const offset = (line: number, column: number): number => {
      const found = state.doc.line(Math.min(Math.max(1, line), state.doc.lines));
      return Math.min(found.from + column - 1, found.to);
    };
    const shown = marks.map(({ line, column, endLine, endColumn, severity, code, message, hint }): Diagnostic => {
      const from = offset(line, column);
      const to = Math.max(from, offset(endLine, endColumn));
      return { from, to, severity, source: code, message: hint === null ? message : `${message}\n${hint}` };
    });
    this.view.dispatch(setDiagnostics(state, shown));
  }

  goTo(line: number): void {
    const { doc } = this.view.state;
    const at = doc.line(Math.min(Math.max(1, line), doc.lines)).from;
    this.view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: 'center' }) });
    this.view.focus();
  }
}

async function complete(context: CompletionContext, services: EditorServices): Promise<CompletionResult | null> {
  const before = context.matchBefore(/[\w.%$:-]+/);
  if (before === null && !context.explicit) return null;
  const found = (await services.complete(context.pos)) ?? [];
  const [first] = found;
  if (first === undefined) return null;
  return {
    from: first.start,
    options: found.map(({ text, kind, detail }) => ({
      label: text,
      detail,
      type: kind === 'name' ? 'variable' : kind,
    })),
    validFor: /^[\w%$:-]*$/,
  };
}

/** The little of Markdown that hovers are written in. */
function hoverText(text: string): HTMLElement {
  const block = element('div', { class: 'hover' });
  for (const line of text.split('\n')) {
    if (line === '' || line === '```') continue;
    const row = element('p', { class: line.startsWith('* ') ? 'item' : 'line' });
    for (const part of line.replace(/^\* /, '').split(/(\*\*`[^`]*`\*\*|`[^`]*`)/)) {
      const code = /^(?:\*\*)?`([^`]*)`/.exec(part)?.[1];
      row.append(code === undefined ? part : element('code', {}, code));
    }
    block.append(row);
  }
  return block;
}
