import { type Diagnostic, error, warning } from '../diagnostics/diagnostic.js';
import { didYouMean } from '../diagnostics/nearest.js';
import type { Span } from '../diagnostics/source.js';
import type { FlatStatement } from '../isa/decode-thread.js';
import { typeIn } from '../program/data-type.js';
import type {
  FunctionSyntax,
  InstructionSyntax,
  OperandSyntax,
  Statement,
  ThreadSyntax,
  VariableSyntax,
} from '../syntax/litmus-ast.js';
import { mapNames } from '../syntax/operands.js';
import { NameScope } from './name-scope.js';

export interface FlatBody {
  readonly statements: readonly FlatStatement[];
  /** Variables in memory, under names of their own. */
  readonly variables: readonly VariableSyntax[];
  /** Variables that are handed over, which are like registers (PTX ISA, Device Function Parameters): bytes by name. */
  readonly cells: ReadonlyMap<string, number>;
}

export interface Flattened extends FlatBody {
  readonly diagnostics: readonly Diagnostic[];
}

/** Of a kernel: by name, the functions that a pointer may lead to. */
interface OfKernel {
  readonly functionAddresses: ReadonlyMap<string, bigint>;
}

/**
 * A body as the engines take it: names of blocks are unique, and functions stand where they are called. What a kernel
 * cannot call is wrong only where a thread comes to it.
 */
export function flattenBody(thread: ThreadSyntax, functions: readonly FunctionSyntax[], kernel?: OfKernel): Flattened {
  const bodies = new Map<string, FunctionSyntax>();
  for (const one of functions) if (one.statements !== undefined || !bodies.has(one.name)) bodies.set(one.name, one);
  const flattener = new Flattener(bodies, kernel);
  flattener.body(thread.statements, new NameScope(undefined, 0), undefined);
  return flattener;
}

/** The functions that the toolkit provides, by what a call of them does. */
const PROVIDED: Readonly<Record<string, 'nothing' | 'trap'>> = { vprintf: 'nothing', __assertfail: 'trap' };

interface Context {
  /** Where `ret` goes in a function. */
  readonly end: string | undefined;
  /** Lists of labels and of functions, by their label. */
  readonly tables: ReadonlyMap<string, readonly string[]>;
}

/** How a call hands over: what it is given, and where its results go. */
interface Handed {
  readonly results: readonly OperandSyntax[];
  readonly given: readonly OperandSyntax[];
}

/** Bodies of functions in bodies of others that pointers lead to may be ever so many. */
const MOST_STATEMENTS = 1 << 18;

class Flattener implements Flattened {
  readonly statements: FlatStatement[] = [];
  readonly variables: VariableSyntax[] = [];
  readonly cells = new Map<string, number>();
  readonly diagnostics: Diagnostic[] = [];
  private scopes = 0;
  private labels = 0;
  private readonly calling: string[] = [];

  constructor(
    private readonly functions: ReadonlyMap<string, FunctionSyntax>,
    private readonly kernel: OfKernel | undefined,
  ) {}

  /** `end`: where `ret` goes in a function. */
  body(statements: readonly Statement[], scope: NameScope, end: string | undefined): void {
    const tables = new Map<string, readonly string[]>();
    let table: string | undefined;
    for (const statement of statements) {
      if (statement.kind === 'label') scope.declareLabel(statement.name);
      if (statement.kind === 'targets' && table !== undefined) tables.set(table, statement.names);
      table = statement.kind === 'label' ? statement.name : undefined;
      if (statement.kind === 'registers')
        for (const { name, count } of statement.names) scope.declareRegisters(name, count);
    }
    for (const statement of statements) this.statement(statement, scope, { end, tables });
  }

  private statement(statement: Statement, scope: NameScope, context: Context): void {
    switch (statement.kind) {
      case 'label':
        this.statements.push({ ...statement, name: scope.label(statement.name) });
        return;
      case 'registers': {
        const names = statement.names.map((one) => ({ ...one, name: scope.name(one.name) }));
        this.statements.push(
          scope.depth === 0 ? statement : { ...statement, names: expanded(names, statement.names, scope) },
        );
        return;
      }
      case 'block':
        this.body(statement.statements, this.inner(scope), context.end);
        return;
      case 'variable':
        this.variable(statement, scope);
        return;
      case 'targets':
      case 'note':
        return;
      case 'instruction':
        this.instruction(statement, scope, context);
    }
  }

  private inner(scope: NameScope): NameScope {
    this.scopes += 1;
    return new NameScope(scope, this.scopes);
  }

  private variable(variable: VariableSyntax, scope: NameScope): void {
    const name = scope.declare(variable.name);
    const space = variable.directives[0]?.name;
    if (space === 'param') {
      const bytes = bytesOf(variable);
      if (bytes === undefined) return this.refuse(variable.span, 'a parameter has a type and a size');
      this.cells.set(name, bytes);
    } else this.variables.push({ ...variable, name });
  }

  private instruction(given: InstructionSyntax, scope: NameScope, { end, tables }: Context): void {
    const { mnemonic, span } = given;
    if (mnemonic === 'call') return this.call(given, scope, tables);
    if (mnemonic === 'ret' && end !== undefined) {
      this.statements.push({
        ...renamedGuard(given, scope),
        mnemonic: 'bra',
        qualifiers: [],
        operands: [named(end, span)],
      });
      return;
    }
    const labelAt = /^(bra|goto|b(eq|ne|lt|le|gt|ge))$/.test(mnemonic) ? given.operands.length - 1 : -1;
    const operands = given.operands.map((operand, i): OperandSyntax => {
      if (operand.kind === 'name' && i === labelAt) return { ...operand, name: scope.label(operand.name) };
      const targets = operand.kind === 'name' && mnemonic === 'brx' ? tables.get(operand.name) : undefined;
      if (targets === undefined) return this.renamed(operand, scope);
      return {
        kind: 'list',
        elements: targets.map((one) => named(scope.label(one), operand.span)),
        span: operand.span,
      };
    });
    this.statements.push({ ...renamedGuard(given, scope), operands });
  }

  /** `call (r), f, (a)`: copies, the body of the function in a scope of its own, copies back. */
  private call(given: InstructionSyntax, scope: NameScope, tables: Context['tables']): void {
    const { span, operands } = given;
    const results = operands[0]?.kind === 'list' ? operands[0].elements : [];
    const [callee, ...rest] = operands[0]?.kind === 'list' ? operands.slice(1) : operands;
    const handed: Handed = { results, given: rest[0]?.kind === 'list' ? rest[0].elements : [] };
    if (callee?.kind !== 'name') return this.refuse(span, 'call names a function, as in call (r), f, (a)');
    const name = callee.name;
    const called = this.functions.get(name);
    const provided = PROVIDED[name];
    const isPointer = this.kernel !== undefined && callee.span.source.text.startsWith('%', callee.span.start);
    if (called === undefined && provided === undefined && !isPointer)
      return this.refuse(
        callee.span,
        `${name} is no function of this test`,
        didYouMean(name, this.functions.keys()) ??
          'a function stands before the threads: .func f (.param .b32 a) { … }; calls through registers have a ' +
            'meaning in kernels alone',
      );
    if (this.calling.includes(name)) return this.recursion(name, callee.span);
    const skip = given.guard === undefined ? undefined : this.newLabel();
    if (skip !== undefined && given.guard !== undefined) {
      const guard = { ...given.guard, register: scope.name(given.guard.register), negated: !given.guard.negated };
      this.statements.push({ ...given, guard, mnemonic: 'bra', qualifiers: [], operands: [named(skip, span)] });
    }
    const last = rest.at(-1);
    const listed = last?.kind === 'name' ? tables.get(last.name) : undefined;
    if (isPointer) this.callPointer(name, handed, listed, scope, span);
    else if (called?.statements === undefined) this.provided(provided, results, scope, callee.span, name);
    else this.inline(called, called.statements, handed, scope, span);
    if (skip !== undefined) this.statements.push({ kind: 'label', name: skip, span });
  }

  /**
   * `call (r), %rd1, (a), prototype`: a branch to each function that the pointer may lead to (PTX ISA, call); `listed`:
   * those of `.calltargets`.
   */
  private callPointer(
    pointer: string,
    handed: Handed,
    listed: readonly string[] | undefined,
    scope: NameScope,
    span: Span,
  ): void {
    const end = this.newLabel();
    for (const [name, value] of this.kernel?.functionAddresses ?? []) {
      const called = this.functions.get(name);
      if (called?.statements === undefined || listed?.includes(name) === false || !this.fits(called, handed, scope))
        continue;
      if (this.statements.length > MOST_STATEMENTS)
        return this.refuse(span, 'too many functions that pointers lead to');
      const [isOther, next] = [`${this.newLabel()}p`, this.newLabel()];
      const register = named(scope.name(pointer), span);
      this.statements.push(
        { kind: 'registers', type: 'pred', names: [{ name: isOther, span }], span },
        made('setp', ['ne', 'u64'], [named(isOther, span), register, { kind: 'number', value, span }], span),
        { ...made('bra', [], [named(next, span)], span), guard: { register: isOther, negated: false, span } },
      );
      if (this.calling.includes(name)) this.recursion(name, span);
      else this.inline(called, called.statements, handed, scope, span);
      this.statements.push(made('bra', [], [named(end, span)], span), { kind: 'label', name: next, span });
    }
    const others = 'anything but the address of a function of this module that takes these arguments';
    const message = `%${pointer} may be ${others}`;
    this.statements.push(
      { kind: 'refused', diagnostic: error('L0104', span, message, POINTERS), next: end, span },
      { kind: 'label', name: end, span },
    );
  }

  /** Whether a function takes and returns what a call has. */
  private fits({ parameters, results }: FunctionSyntax, handed: Handed, scope: NameScope): boolean {
    const alike = (declared: readonly VariableSyntax[], operands: readonly OperandSyntax[]): boolean =>
      declared.length === operands.length &&
      declared.every((variable, i) => {
        const operand = operands[i];
        const bytes = operand?.kind === 'name' ? this.cells.get(scope.name(operand.name)) : undefined;
        return bytes === undefined || bytes === bytesOf(variable);
      });
    return alike(parameters, handed.given) && alike(results, handed.results);
  }

  /** An operand with the names that it has in a scope; a function is its address. */
  private renamed(operand: OperandSyntax, scope: NameScope): OperandSyntax {
    const { source, start } = operand.span;
    const value =
      operand.kind === 'name' && !source.text.startsWith('%', start) && scope.name(operand.name) === operand.name
        ? this.kernel?.functionAddresses.get(operand.name)
        : undefined;
    return value === undefined
      ? mapNames(operand, (name) => scope.name(name))
      : { kind: 'number', value, span: operand.span };
  }

  /** Where a thread of a kernel comes there, what the test does is not known. */
  private recursion(name: string, span: Span): void {
    const what = `${name} calls itself: recursion has no meaning here`;
    if (this.kernel === undefined) return this.refuse(span, what);
    this.statements.push({ kind: 'refused', diagnostic: warning('L0215', span, what), span });
  }

  private provided(
    what: 'nothing' | 'trap' | undefined,
    results: readonly OperandSyntax[],
    scope: NameScope,
    span: Span,
    name: string,
  ): void {
    if (what === undefined) return this.refuse(span, `the body of ${name} is not in this test`);
    for (const result of results) {
      if (result.kind !== 'name') continue;
      const target = scope.name(result.name);
      this.statements.push({ kind: 'copy', target, width: 8 * (this.cells.get(target) ?? 4), source: undefined, span });
    }
    if (what === 'trap') this.statements.push(made('trap', [], [], span));
  }

  private inline(
    { name, parameters, results: declared }: FunctionSyntax,
    body: readonly Statement[],
    { results, given }: Handed,
    scope: NameScope,
    span: Span,
  ): void {
    if (given.length !== parameters.length || results.length !== declared.length)
      return this.refuse(
        span,
        `${name} takes ${parameters.length} parameters and returns ${declared.length}, but the call has ` +
          `${given.length} and ${results.length}`,
      );
    const inner = this.inner(new NameScope(undefined, 0));
    const cellOf = (variable: VariableSyntax): { readonly cell: string; readonly width: number } => {
      const bytes = bytesOf(variable) ?? 4;
      const cell = inner.declare(variable.name);
      this.cells.set(cell, bytes);
      return { cell, width: 8 * bytes };
    };
    const cells = parameters.map(cellOf);
    const returned = declared.map(cellOf);
    cells.forEach(({ cell, width }, i) => {
      const source = given[i];
      if (source !== undefined)
        this.statements.push({ kind: 'copy', target: cell, width, source: this.renamed(source, scope), span });
    });
    const end = this.newLabel();
    this.calling.push(name);
    this.body(body, inner, end);
    this.calling.pop();
    this.statements.push({ kind: 'label', name: end, span });
    returned.forEach(({ cell, width }, i) => {
      const result = results[i];
      if (result?.kind !== 'name') return;
      this.statements.push({ kind: 'copy', target: scope.name(result.name), width, source: named(cell, span), span });
    });
  }

  private newLabel(): string {
    this.labels += 1;
    return `#end${this.labels}`;
  }

  private refuse(span: Span, message: string, hint?: string): void {
    const diagnostic = error('L0104', span, message, hint);
    if (this.kernel !== undefined) this.statements.push({ kind: 'refused', diagnostic, span });
    else this.diagnostics.push(diagnostic);
  }
}

const POINTERS =
  'a pointer leads to a function where its value is known: by a table in memory that holds addresses, or by mov.u64';

/** An instruction that stands in the place of another one. */
const made = (
  mnemonic: string,
  qualifiers: readonly string[],
  operands: readonly OperandSyntax[],
  span: Span,
): InstructionSyntax => ({
  ...{ kind: 'instruction', mnemonic, mnemonicSpan: span, operands, span },
  qualifiers: qualifiers.map((text) => ({ text, span })),
});

const named = (name: string, span: Span): OperandSyntax => ({ kind: 'name', name, offset: 0n, span });

/** Registers of an inner scope, each by itself. */
function expanded(
  names: readonly { readonly name: string; readonly count?: number; readonly span: Span }[],
  given: readonly { readonly name: string; readonly count?: number }[],
  scope: NameScope,
): readonly { readonly name: string; readonly span: Span }[] {
  return names.flatMap(({ name, span, count }, i) =>
    count === undefined
      ? [{ name, span }]
      : Array.from({ length: count }, (_, n) => ({ name: scope.name(`${given[i]?.name}${n}`), span })),
  );
}

function bytesOf({ directives, elements }: VariableSyntax): number | undefined {
  const type = typeIn(directives);
  return type === undefined || elements === 0 ? undefined : (elements ?? 1) * Math.max(1, type.width / 8);
}

function renamedGuard(given: InstructionSyntax, scope: NameScope): InstructionSyntax {
  return given.guard === undefined
    ? given
    : { ...given, guard: { ...given.guard, register: scope.name(given.guard.register) } };
}
