import grammar, { type NvlitmusActionDict } from '../../generated/nvlitmus.ohm-bundle.js';
import { type Diagnosed, type Diagnostic, error } from '../diagnostics/diagnostic.js';
import { type Source, type Span, spanOf } from '../diagnostics/source.js';
import { integerOf, optional, repeated, textOfNode } from './chunk-nodes.js';
import type { Clause, Proposition, Quantifier, Term } from './condition-ast.js';
import type {
  Declaration,
  InstructionSyntax,
  LitmusFile,
  OperandSyntax,
  Statement,
  ThreadSyntax,
} from './litmus-ast.js';
import { reader, spanOfNode } from './parse-chunk.js';
import { parseClause } from './parse-condition.js';
import { parseStatement } from './parse-statement.js';
import { replaceTermsOf } from './replace-terms.js';

/** Reads a test of NVlabs/mixedproxy: one litmus test for each row of its template (docs/format.md). */
export function parseNvlitmus(
  source: Source,
  checkBudget: () => void = () => undefined,
): Diagnosed<readonly LitmusFile[]> {
  const diagnostics: Diagnostic[] = [];
  const files: LitmusFile[] = [];
  for (const instance of instances(source)) {
    checkBudget();
    const read = parseInstance(instance.source, instance.name);
    diagnostics.push(...read.diagnostics);
    if (read.value !== undefined) files.push(read.value);
  }
  return { value: files, diagnostics };
}

/** Fills in the template: after a line `$$`, each row gives the values of `$0`, `$1`, … */
function instances(source: Source): readonly { readonly source: Source; readonly name: string }[] {
  const name = source.path.replace(/^.*\//, '').replace(/\.test$/, '');
  const cut = /^\s*\$\$\s*$/m.exec(source.text);
  if (cut === null) return [{ source, name }];
  const template = source.text.slice(0, cut.index);
  const rows = source.text
    .slice(cut.index + cut[0].length)
    .split('\n')
    .filter((row) => row.trim() !== '');
  return rows.map((row, i) => {
    const cells = row.split('|').map((cell) => cell.trim());
    const text = template.replace(/\$(\d+)/g, (whole, index: string) => cells[Number(index)] ?? whole);
    return { source: { path: `${source.path}#${i + 1}`, text }, name: `${name}.${i + 1}` };
  });
}

interface Instruction {
  readonly statement: Span;
  readonly required: bigint | undefined;
}

interface Parts {
  readonly declarations: readonly Declaration[];
  readonly threads: readonly {
    readonly place: readonly [gpu: number, cta: number];
    readonly span: Span;
    readonly instructions: readonly Instruction[];
  }[];
  readonly clauses: readonly {
    readonly quantifier: string;
    readonly proposition: Span;
    readonly name: string;
    readonly span: Span;
  }[];
}

const QUANTIFIERS: Readonly<Record<string, Quantifier>> = { permit: 'permit', assert: 'require', check: 'exists' };

function parseInstance(source: Source, name: string): Diagnosed<LitmusFile> {
  const { value: parts, failure } = parseFile(spanOf(source, 0, source.text.length));
  if (failure !== undefined) return { value: undefined, diagnostics: [failure] };
  const found: Found = { diagnostics: [], owners: new Map(), filters: [] };
  const threads = parts.threads.map(
    ({ place: [gpu, cta], span, instructions }, index): ThreadSyntax => ({
      name: String(index),
      span,
      statements: instructions.flatMap((one) => readInstruction(one, String(index), found)),
      levels: [
        { level: 'cta', number: cta, span },
        { level: 'gpu', number: gpu, span },
      ],
    }),
  );
  const { diagnostics, owners, filters } = found;
  const clauses: Clause[] = [...filters];
  for (const clause of parts.clauses) {
    const read = parsePart(clause.proposition, owners);
    if (read.failure !== undefined) diagnostics.push(read.failure);
    if (read.proposition !== undefined)
      clauses.push({
        kind: 'condition',
        quantifier: QUANTIFIERS[clause.quantifier] ?? 'exists',
        proposition: read.proposition,
        name: clause.name,
        span: clause.span,
      });
  }
  const file: LitmusFile = {
    source,
    name,
    descriptions: [],
    layout: 'blocks',
    launches: [],
    functions: [],
    declarations: parts.declarations,
    threads,
    clauses,
  };
  return { value: file, diagnostics };
}

interface Found {
  readonly diagnostics: Diagnostic[];
  /** The thread of each register. */
  readonly owners: Map<string, string>;
  readonly filters: Clause[];
}

/** Reads an instruction of a thread; a value that it must return becomes a filter. */
function readInstruction(
  { statement, required }: Instruction,
  thread: string,
  { diagnostics, owners, filters }: Found,
): readonly Statement[] {
  const read = parseStatement(statement);
  if (read.failure !== undefined) diagnostics.push({ ...read.failure, code: 'L0005' });
  return (read.value ?? []).map((one) => {
    const native = one.kind === 'instruction' ? nativeSpelling(one) : one;
    const target = native.kind === 'instruction' ? targetOf(native) : undefined;
    if (target !== undefined) owners.set(target, thread);
    if (required !== undefined && target === undefined)
      diagnostics.push(error('L0005', statement, 'only an instruction that returns a value can require one'));
    else if (required !== undefined && target !== undefined)
      filters.push({
        kind: 'filter',
        span: statement,
        proposition: {
          kind: 'compare',
          comparison: '==',
          left: { kind: 'register', thread, register: target, span: statement },
          right: { kind: 'number', value: required, span: statement },
        },
      });
    return native;
  });
}

/** `fence.alias` is short for `fence.proxy.alias`. */
function nativeSpelling(instruction: InstructionSyntax): InstructionSyntax {
  const [first] = instruction.qualifiers;
  if (instruction.mnemonic !== 'fence' || first?.text !== 'alias') return instruction;
  return { ...instruction, qualifiers: [{ text: 'proxy', span: first.span }, ...instruction.qualifiers] };
}

function targetOf(instruction: InstructionSyntax): string | undefined {
  const first: OperandSyntax | undefined = instruction.operands[0];
  return /^(ld|tld|suld|ldc|atom|suatom)$/.test(instruction.mnemonic) && first?.kind === 'name'
    ? first.name
    : undefined;
}

/** Registers are named without their thread, and are unique across threads. */
function parsePart(
  span: Span,
  owners: ReadonlyMap<string, string>,
): { readonly proposition?: Proposition; readonly failure?: Diagnostic } {
  const text = `exists (${span.source.text.slice(span.start, span.end)})`;
  const { value: clause, failure } = parseClause(spanOf({ path: span.source.path, text }, 0, text.length));
  if (failure !== undefined) return { failure: error('L0005', span, failure.message) };
  return clause.kind === 'condition' ? { proposition: withThreads(clause.proposition, owners, span) } : {};
}

function withThreads(proposition: Proposition, owners: ReadonlyMap<string, string>, span: Span): Proposition {
  const term = (one: Term): Term => {
    const owner = one.kind === 'location' ? owners.get(one.name) : undefined;
    return one.kind === 'location' && owner !== undefined
      ? { kind: 'register', thread: owner, register: one.name, span }
      : { ...one, span };
  };
  return replaceTermsOf(proposition, term);
}

const PROXIES: Readonly<Record<string, string>> = { texref: 'texture', surfref: 'surface', constref: 'constant' };

const ACTIONS: NvlitmusActionDict<unknown> = {
  File(declarations, threads, clauses): Parts {
    return { declarations: repeated(declarations), threads: repeated(threads), clauses: repeated(clauses) };
  },
  Declaration(_dot, kind, name, manner, _aliases, target, _semicolon): Declaration {
    const span = spanOfNode(name);
    const aliases = optional(target, textOfNode);
    const proxy = PROXIES[textOfNode(kind)];
    if (proxy !== undefined && aliases !== undefined)
      return { kind: 'alias', name: textOfNode(name), proxy, aliases, span };
    // "physically" makes another virtual address of the same location.
    if (aliases !== undefined && optional(manner, textOfNode) === 'physically')
      return { kind: 'alias', name: textOfNode(name), proxy: 'generic', aliases, span };
    return { kind: 'location', name: textOfNode(name), span, directives: [] };
  },
  Thread(place, _open, instructions, _close): Parts['threads'][number] {
    const [gpu = 0, cta = 0] = (textOfNode(place).match(/\d+/g) ?? []).map(Number);
    return {
      place: [gpu, cta],
      span: spanOfNode(place),
      instructions: repeated(instructions),
    };
  },
  Instruction(statement, required, _semicolon): Instruction {
    return { statement: spanOfNode(statement), required: optional(required) };
  },
  Required(_equals, number): bigint {
    return integerOf(number);
  },
  Clause(quantifier, _open, proposition, _close, _as, name, _semicolon): Parts['clauses'][number] {
    return {
      quantifier: textOfNode(quantifier),
      proposition: spanOfNode(proposition),
      name: textOfNode(name),
      span: spanOfNode(this),
    };
  },
};

const parseFile = reader<Parts>(
  { grammar, rule: 'File', code: 'L0005', what: 'this is not an nvlitmus test' },
  ACTIONS,
);
