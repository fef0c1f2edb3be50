/** What a word of a text is to a reader; editors choose the colors. */
export type TokenClass =
  | 'comment'
  | 'string'
  | 'number'
  | 'keyword'
  | 'instruction'
  | 'qualifier'
  | 'type'
  | 'register'
  | 'label'
  | 'operator'
  | 'name';

/** The longest match of the first rule that matches counts. Only what JavaScript and Oniguruma read alike is used. */
export interface HighlightRule {
  readonly of: TokenClass;
  readonly match: string;
}

/** Comments that may go on over lines. */
export interface BlockComment {
  readonly begin: string;
  readonly end: string;
}

export interface Highlighting {
  readonly comments: readonly BlockComment[];
  readonly rules: readonly HighlightRule[];
}

const C_COMMENT: BlockComment = { begin: '/*', end: '*/' };
const CAT_COMMENT: BlockComment = { begin: '(*', end: '*)' };

const PTX: readonly HighlightRule[] = [
  { of: 'comment', match: '//.*' },
  { of: 'string', match: '"[^"]*"' },
  { of: 'register', match: '%[A-Za-z_$][A-Za-z0-9_$]*(\\.[xyzw](?![A-Za-z0-9_]))?' },
  { of: 'type', match: '\\.(u|s|b|f)(8|16|32|64|128)(x2)?(?![A-Za-z0-9_])|\\.(pred|bf16)(?![A-Za-z0-9_])' },
  { of: 'qualifier', match: '\\.[A-Za-z_][A-Za-z0-9_:]*' },
  { of: 'number', match: '-?(0[xX][0-9a-fA-F]+|0[fFdD][0-9a-fA-F]{8,16}|[0-9]+(\\.[0-9]+)?)U?(?![A-Za-z0-9_])' },
  { of: 'operator', match: '/\\\\|\\\\/|==|!=|<=|>=|~|@!?|&' },
];

/** The first word of an instruction has a qualifier behind it, or is one of those that need none. */
const INSTRUCTIONS: readonly HighlightRule[] = [
  { of: 'instruction', match: '[a-z][a-z0-9_]*(?=\\.[a-z])' },
  { of: 'instruction', match: '(bra|call|exit|ret|trap|membar|activemask|nanosleep)(?![A-Za-z0-9_.:])' },
];

/** By language: litmus tests, PTX modules, models. */
export const HIGHLIGHTING = {
  litmus: {
    comments: [C_COMMENT, CAT_COMMENT],
    rules: [
      ...PTX.slice(0, 2),
      { of: 'keyword', match: 'PTX(?=\\s)' },
      {
        of: 'keyword',
        match:
          '(exists|forall|permit|forbid|require|expect|allow|filter|locations|launch|alias|aliases|run|cooperative|' +
          'dependent|after|exactly|auto|grid|block|cluster|cta|gpu|host|warp|lane|tid|as|for|at|of|on|mbarrier|' +
          'tensormap|tile|uninitialized|forward-progress|not)(?![A-Za-z0-9_$.:-])',
      },
      { of: 'label', match: 'P[0-9]+(?![A-Za-z0-9_])' },
      ...INSTRUCTIONS,
      ...PTX.slice(2),
      { of: 'label', match: '[A-Za-z_$][A-Za-z0-9_$]*(?=:[^:])' },
      { of: 'name', match: '[A-Za-z_$][A-Za-z0-9_$]*(-[a-z]+)*' },
    ],
  },
  module: {
    comments: [C_COMMENT],
    rules: [
      ...PTX.slice(0, 2),
      {
        of: 'keyword',
        match: '\\.(version|target|address_size|visible|extern|weak|entry|func|file|loc|pragma|reg)\\b',
      },
      ...INSTRUCTIONS,
      ...PTX.slice(2),
      { of: 'label', match: '[A-Za-z_$][A-Za-z0-9_$]*(?=:[^:])' },
      { of: 'name', match: '[A-Za-z_$][A-Za-z0-9_$]*' },
    ],
  },
  model: {
    comments: [CAT_COMMENT],
    rules: [
      ...PTX.slice(0, 2),
      {
        of: 'keyword',
        match:
          '(let|rec|and|as|include|acyclic|irreflexive|empty|flag|undefined_unless|if|then|else|show|unshow)' +
          '(?![A-Za-z0-9_.-])',
      },
      { of: 'type', match: '[A-Z][A-Z_0-9]*(?![A-Za-z0-9_.-])' },
      { of: 'operator', match: '\\^-1|[|&\\\\;~*+?\\[\\]]' },
      { of: 'number', match: '0(?![A-Za-z0-9_])' },
      { of: 'name', match: '[A-Za-z_][A-Za-z0-9_.-]*' },
    ],
  },
} as const satisfies Readonly<Record<string, Highlighting>>;

export type HighlightedLanguage = keyof typeof HIGHLIGHTING;
