import { HIGHLIGHTING, type Highlighting, type TokenClass } from '../../src/language/highlight.js';

/** The names that themes have colors for (TextMate, naming conventions). */
const SCOPES: Readonly<Record<TokenClass, string>> = {
  comment: 'comment.line',
  string: 'string.quoted.double',
  number: 'constant.numeric',
  keyword: 'keyword.control',
  instruction: 'support.function',
  qualifier: 'storage.modifier',
  type: 'storage.type',
  register: 'variable.parameter',
  label: 'entity.name.label',
  operator: 'keyword.operator',
  name: 'variable.other',
};

const SCOPE_NAMES = { litmus: 'source.ptx-litmus', module: 'source.ptx', model: 'source.cat' } as const;

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');

/** A TextMate grammar from the table that also colors the playground. */
function grammarOf(scope: string, { comments, rules }: Highlighting): object {
  return {
    name: scope,
    scopeName: scope,
    patterns: [
      ...comments.map(({ begin, end }) => ({
        ...{ begin: escaped(begin), end: escaped(end) },
        name: `comment.block.${scope.replace('source.', '')}`,
      })),
      ...rules.map(({ of, match }) => ({ match, name: `${SCOPES[of]}.${scope.replace('source.', '')}` })),
    ],
  };
}

/** By the names of their files. */
export const GRAMMARS: Readonly<Record<string, object>> = Object.fromEntries(
  (Object.keys(SCOPE_NAMES) as (keyof typeof SCOPE_NAMES)[]).map((name) => [
    `${name}.tmLanguage.json`,
    grammarOf(SCOPE_NAMES[name], HIGHLIGHTING[name]),
  ]),
);
