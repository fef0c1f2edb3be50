import { type Diagnostic, error } from '../diagnostics/diagnostic.js';
import type { FlatStatement } from '../isa/decode-thread.js';
import type { RegisterUse } from '../isa/decoder.js';
import { findInstruction } from '../isa/instruction-table.js';
import { type DataType, parseDataType, showDataType } from '../program/data-type.js';
import { truncate } from '../program/integer.js';
import type { Register } from '../program/program.js';
import type { OperandSyntax, RegisterDeclaration } from '../syntax/litmus-ast.js';

const LONGEST_DECLARATION = 1 << 16;

/** The statements of a thread without blocks and calls. */
interface Body {
  readonly statements: readonly FlatStatement[];
}

/** The registers that a thread declares with `.reg`, with their types; `r<4>` declares r0 to r3. */
export function declaredRegisters(thread: Body): {
  readonly types: ReadonlyMap<string, DataType>;
  readonly diagnostics: readonly Diagnostic[];
} {
  const types = new Map<string, DataType>();
  const diagnostics: Diagnostic[] = [];
  for (const statement of thread.statements) {
    if (statement.kind !== 'registers') continue;
    const type = parseDataType(statement.type);
    if (type === undefined) {
      diagnostics.push(
        error(
          'L0104',
          statement.span,
          `.reg .${statement.type} is not a register type of a litmus test`,
          'expected an integer type such as .u32 or .b64, or .pred',
        ),
      );
      continue;
    }
    for (const { name, count, span } of statement.names) {
      if (count !== undefined && (count < 1 || count > LONGEST_DECLARATION))
        diagnostics.push(
          error('L0104', span, `${name}<${count}>: a declaration makes 1 to ${LONGEST_DECLARATION} registers`),
        );
      const names =
        count === undefined
          ? [name]
          : Array.from({ length: Math.min(count, LONGEST_DECLARATION) }, (_, i) => `${name}${i}`);
      for (const one of names) {
        if (types.has(one)) diagnostics.push(error('L0104', span, `register ${one} is declared twice`));
        types.set(one, type);
      }
    }
  }
  return { types, diagnostics };
}

/** The registers that a thread writes, by the syntax of its instructions alone. */
export function writtenRegisters(thread: Body): readonly string[] {
  return thread.statements.flatMap((statement) => {
    if (statement.kind === 'copy') return [statement.target];
    if (statement.kind !== 'instruction') return [];
    const destination = findInstruction(statement)?.entry?.destination ?? false;
    const writes =
      typeof destination === 'boolean'
        ? destination
        : statement.qualifiers.some(({ text }) => text === destination.with);
    const first = statement.operands[0];
    return writes && first !== undefined ? namesIn(first) : [];
  });
}

function namesIn(operand: OperandSyntax): readonly string[] {
  switch (operand.kind) {
    case 'name':
    case 'selected':
      return [operand.name];
    case 'pair':
      return [operand.first, operand.second].filter((name) => name !== undefined);
    case 'vector':
      return [...operand.elements.flatMap(namesIn), ...(operand.predicate === undefined ? [] : [operand.predicate])];
    default:
      return [];
  }
}

/**
 * The registers of a thread with their types: as declared, else of the widest instruction that writes them, else of the
 * instructions that read them. Uses at another width are errors, as they are for ptxas.
 */
export function buildRegisters(
  declared: ReadonlyMap<string, DataType>,
  initial: ReadonlyMap<
    string,
    { readonly value: bigint; readonly address: boolean; readonly declaration: RegisterDeclaration }
  >,
  reads: readonly RegisterUse[],
  writes: readonly RegisterUse[],
): { readonly registers: ReadonlyMap<string, Register>; readonly diagnostics: readonly Diagnostic[] } {
  const types = new Map<string, DataType>();
  const widest = (uses: readonly RegisterUse[], unlessKnown: boolean): void => {
    const known = new Set(unlessKnown ? types.keys() : []);
    for (const { register, type } of uses) {
      const earlier = types.get(register);
      if (!known.has(register) && (earlier === undefined || type.width > earlier.width)) types.set(register, type);
    }
  };
  widest(writes, false);
  for (const [name, { address }] of initial)
    if (address && (types.get(name)?.width ?? 0) < 64) types.set(name, { kind: 'u', width: 64 });
  widest(reads, true);
  for (const name of initial.keys()) if (!types.has(name)) types.set(name, { kind: 's', width: 32 });
  for (const [name, type] of declared) types.set(name, type);

  const diagnostics: Diagnostic[] = [];
  for (const use of [...writes, ...reads]) {
    const type = types.get(use.register);
    if (type === undefined || use.untyped || use.register.startsWith('#')) continue;
    if (
      use.type.width > type.width ||
      (use.type.width < type.width && !use.widerAllowed) ||
      (use.type.kind === 'pred') !== (type.kind === 'pred')
    ) {
      diagnostics.push(
        error(
          'L0105',
          use.span,
          `register ${use.register} has type .${showDataType(type)}, but this instruction uses it as ` +
            `.${showDataType(use.type)}`,
          'use another register, or cvt to the other width',
        ),
      );
    }
  }
  const registers = new Map<string, Register>();
  for (const [name, type] of types)
    registers.set(name, { name, type, initial: truncate(initial.get(name)?.value ?? 0n, type.width) });
  return { registers, diagnostics };
}
