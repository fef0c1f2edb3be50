import type { Random } from '../../src/generate/random.js';
import type { InstructionSyntax, LitmusFile, Qualifier, Statement, ThreadSyntax } from '../../src/syntax/litmus-ast.js';

/**
 * Changes of a test of which it is known, without an oracle, what they do to its outcomes: a stronger order or a wider
 * scope adds none; what has no effect changes nothing.
 */
export interface Law {
  readonly name: string;
  /**
   * `fewer`: what the changed test can end with, the test can too; `same`: the other way round as well, and in all
   * else; `shown`: nothing is changed, and each final state that an answer shows is one of all.
   */
  readonly outcomes: 'fewer' | 'same' | 'shown';
  /** Undefined, where the test has nothing to change. */
  readonly change: (file: LitmusFile, random: Random) => LitmusFile | undefined;
}

export const LAWS: readonly Law[] = [
  { name: 'a stronger order', outcomes: 'fewer', change: (file, random) => changeOne(file, random, stronger) },
  { name: 'a wider scope', outcomes: 'fewer', change: (file, random) => changeOne(file, random, wider) },
  {
    name: 'a no-op',
    outcomes: 'same',
    change: (file, random) => insert(file, random, 'mov', ['u32'], ['unused0', 1n]),
  },
  { name: 'an unused load of another location', outcomes: 'same', change: unusedLoad },
  { name: 'other numbers of CTAs', outcomes: 'same', change: renumbered },
  { name: 'an idle thread', outcomes: 'same', change: idleThread },
  { name: 'a branch for a predicate', outcomes: 'same', change: branchForPredicate },
  { name: 'an answer shows a final state', outcomes: 'shown', change: (file) => file },
  { name: 'fewer locations listed', outcomes: 'same', change: fewerListed },
];

const STRONGER: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  ld: { relaxed: 'acquire' },
  st: { relaxed: 'release' },
  atom: { relaxed: 'acquire', acquire: 'acq_rel', release: 'acq_rel' },
  red: { relaxed: 'release' },
  fence: { acquire: 'acq_rel', release: 'acq_rel', acq_rel: 'sc' },
};
const WIDER: Readonly<Record<string, string>> = { cta: 'gpu', gpu: 'sys' };

function stronger(instruction: InstructionSyntax, random: Random): readonly Qualifier[] | undefined {
  const { mnemonic, qualifiers } = instruction;
  const of = STRONGER[mnemonic];
  if (of === undefined) return undefined;
  if (qualifiers[0]?.text === 'weak') {
    const [weak, ...rest] = qualifiers;
    return [{ ...weak, text: 'relaxed' }, { ...weak, text: random.pick(['cta', 'gpu', 'sys']) }, ...rest];
  }
  if (!qualifiers.some(({ text }) => of[text] !== undefined)) return undefined;
  return qualifiers.map((qualifier) => ({ ...qualifier, text: of[qualifier.text] ?? qualifier.text }));
}

function wider({ mnemonic, qualifiers }: InstructionSyntax): readonly Qualifier[] | undefined {
  if (STRONGER[mnemonic] === undefined || !qualifiers.some(({ text }) => WIDER[text] !== undefined)) return undefined;
  return qualifiers.map((qualifier) => ({ ...qualifier, text: WIDER[qualifier.text] ?? qualifier.text }));
}

/** One instruction that can be changed, drawn at random, with other qualifiers. */
function changeOne(
  file: LitmusFile,
  random: Random,
  change: (instruction: InstructionSyntax, random: Random) => readonly Qualifier[] | undefined,
): LitmusFile | undefined {
  const places = file.threads.flatMap(({ statements }, thread) =>
    statements.flatMap((statement, at) => {
      const qualifiers = statement.kind === 'instruction' ? change(statement, random) : undefined;
      return statement.kind !== 'instruction' || qualifiers === undefined
        ? []
        : [{ thread, at, changed: { ...statement, qualifiers } }];
    }),
  );
  if (places.length === 0) return undefined;
  const { thread, at, changed } = random.pick(places);
  return withStatements(file, thread, (statements) =>
    statements.map((statement, i) => (i === at ? changed : statement)),
  );
}

function withStatements(
  file: LitmusFile,
  thread: number,
  change: (statements: readonly Statement[]) => readonly Statement[],
): LitmusFile {
  return {
    ...file,
    threads: file.threads.map((one, i) => (i === thread ? { ...one, statements: change(one.statements) } : one)),
  };
}

function insert(
  file: LitmusFile,
  random: Random,
  mnemonic: string,
  qualifiers: readonly string[],
  operands: readonly (string | bigint)[],
): LitmusFile {
  const thread = random.below(file.threads.length);
  return withStatements(file, thread, (statements) => {
    const at = random.below(statements.length + 1);
    return [...statements.slice(0, at), instructionOf(file, mnemonic, qualifiers, operands), ...statements.slice(at)];
  });
}

/** `[name]` is an address, another string a register. */
function instructionOf(
  { source }: LitmusFile,
  mnemonic: string,
  qualifiers: readonly string[],
  operands: readonly (string | bigint)[],
): InstructionSyntax {
  const span = { source, start: 0, end: 0 };
  return {
    kind: 'instruction',
    mnemonic,
    mnemonicSpan: span,
    qualifiers: qualifiers.map((text) => ({ text, span })),
    operands: operands.map((operand) => {
      if (typeof operand === 'bigint') return { kind: 'number', value: operand, span };
      const address = /^\[(.*)\]$/.exec(operand)?.[1];
      if (address !== undefined) return { kind: 'address', base: address, percent: false, offset: 0n, span };
      return { kind: 'name', name: operand, offset: 0n, span };
    }),
    span,
  };
}

function unusedLoad(file: LitmusFile, random: Random): LitmusFile {
  const span = { source: file.source, start: 0, end: 0 };
  const directives = [
    { name: 'global', span },
    { name: 'u32', span },
  ];
  const declaration = { kind: 'location', name: 'elsewhere', span, directives } as const;
  return insert(
    { ...file, declarations: [...file.declarations, declaration] },
    random,
    'ld',
    ['weak', 'global', 'u32'],
    ['unused1', '[elsewhere]'],
  );
}

const renumber = (levels: ThreadSyntax['levels']): ThreadSyntax['levels'] =>
  levels.map((level) => (level.level === 'cta' ? { ...level, number: 7 - level.number } : level));

function renumbered(file: LitmusFile): LitmusFile {
  return {
    ...file,
    threads: file.threads.map((thread) => ({ ...thread, levels: renumber(thread.levels) })),
    declarations: file.declarations.map((one) =>
      one.kind === 'location' && one.place !== undefined ? { ...one, place: renumber(one.place) } : one,
    ),
  };
}

/** In the CTA of the first thread, in a warp of its own. */
function idleThread(file: LitmusFile): LitmusFile | undefined {
  const [first] = file.threads;
  if (first === undefined) return undefined;
  const levels = first.levels.filter(({ level }) => level !== 'warp');
  const idle = { ...first, name: '9', levels, statements: [instructionOf(file, 'mov', ['u32'], ['unused2', 1n])] };
  return { ...file, threads: [...file.threads, idle] };
}

function branchForPredicate(file: LitmusFile, random: Random): LitmusFile | undefined {
  const places = file.threads.flatMap(({ statements }, thread) =>
    statements.flatMap((statement, at) =>
      statement.kind === 'instruction' &&
      statement.guard !== undefined &&
      !['bra', 'exit', 'ret'].includes(statement.mnemonic)
        ? [{ thread, at, statement }]
        : [],
    ),
  );
  if (places.length === 0) return undefined;
  const { thread, at, statement } = random.pick(places);
  const { guard, ...bare } = statement;
  if (guard === undefined) return undefined;
  const over: InstructionSyntax = {
    ...instructionOf(file, 'bra', [], ['over0']),
    guard: { ...guard, negated: !guard.negated },
  };
  const label = { kind: 'label', name: 'over0', span: statement.span } as const;
  return withStatements(file, thread, (statements) => [
    ...statements.slice(0, at),
    over,
    bare,
    label,
    ...statements.slice(at + 1),
  ]);
}

function fewerListed(file: LitmusFile, random: Random): LitmusFile | undefined {
  let changed = false;
  const clauses = file.clauses.map((clause) => {
    if (clause.kind !== 'locations') return clause;
    const terms = clause.terms.filter(() => random.chance(50));
    changed ||= terms.length < clause.terms.length && terms.length > 0;
    return { ...clause, terms };
  });
  return changed ? { ...file, clauses } : undefined;
}
