import { type DataType, dataTypeOf, type TypeName } from '../program/data-type.js';
import { FLOAT_FORMATS } from '../program/float-format.js';
import { eitherOf } from '../program/float-function.js';
import { registersWritten } from '../program/operands.js';
import { constant, type Operand, type Operation, type ProgramStatement, register } from '../program/operation.js';
import type { Contractible, Part } from './contractible.js';
import type { Decoder } from './decoder.js';
import { applyFloat, formatOf, isPacked } from './float-instructions.js';
import { fuseSteps } from './fuse-steps.js';
import { InstructionDecoder } from './instruction-decoder.js';

/** Products that may go into sums: of one type, and both or neither of them with .ftz. */
const kindOf = ({ typeName, words }: Contractible): string => `${typeName}${words.has('ftz') ? '.ftz' : ''}`;

/**
 * Sequences of mul and add or sub without rounding modifiers may be made fused multiply-adds, or not: the sum is one of
 * two values, of two products one of three (PTX ISA 9.7.3, add and sub). The choice is made anew for each sum, whoever
 * else uses the product. Beside each register that may hold such a product stand registers of our own: whether it does
 * and the factors. So products are followed along every way, through guards, joins, moves and negations. Gives the new
 * place of each statement; undefined where nothing is contracted.
 */
export function contractProducts(decoder: Decoder): ((old: number) => number) | undefined {
  const relevant = [...new Set(decoder.contractible.map(kindOf))].flatMap((kind) => {
    const registers = registersBetween(decoder, kind);
    return registers.size === 0 ? [] : [new Products(decoder, kind, registers)];
  });
  if (relevant.length === 0) return undefined;
  const old = decoder.statements.splice(0);
  const parts = new Map(decoder.contractible.map((one) => [one.index, one]));
  const places = old.map((statement, index) => {
    const place = decoder.statements.length;
    const part = parts.get(index);
    for (const products of relevant) products.before(statement, part);
    const summed = relevant.find(({ kind }) => part !== undefined && kindOf(part) === kind);
    if (part === undefined || summed?.sum(statement, part) !== true) decoder.statements.push(statement);
    return place;
  });
  return (place) => places[place] ?? decoder.statements.length;
}

/** Whether an instruction gives a product of a kind its other sign; with .ftz it changes those that have small ones. */
const negates = (part: Contractible | undefined, kind: string): part is Contractible =>
  part?.part === 'negation' && (kindOf(part) === kind || kind === `${part.typeName}.ftz`);

/** The registers by which a product may come to a sum. */
function registersBetween(decoder: Decoder, kind: string): ReadonlySet<string> {
  const own = decoder.contractible.filter((one) => kindOf(one) === kind);
  const [first] = own;
  const reading = (part: Part): readonly string[] =>
    own.flatMap((one) => (one.part === part ? one.operands.flatMap(registerOf) : []));
  const negations = decoder.contractible.filter((one) => negates(one, kind));
  const moves = [
    ...decoder.statements.flatMap(({ operation }) => {
      const source = first === undefined ? undefined : movedBy(operation, dataTypeOf(first.typeName));
      return source === undefined || operation.kind !== 'compute' ? [] : [[source, operation.target] as const];
    }),
    ...negations.flatMap(({ operands, target }) => operands.flatMap(registerOf).map((from) => [from, target] as const)),
  ];
  const made = grown(
    own.flatMap(({ part, target }) => (part === 'product' ? [target] : [])),
    moves,
  );
  const taken = grown(
    [...reading('sum'), ...reading('difference')],
    moves.map(([from, to]) => [to, from] as const),
  );
  return new Set([...made].filter((register) => taken.has(register)));
}

function grown(first: readonly string[], moves: readonly (readonly [string, string])[]): ReadonlySet<string> {
  const all = new Set(first);
  for (let size = -1; size !== all.size; ) {
    size = all.size;
    for (const [from, to] of moves) if (all.has(from)) all.add(to);
  }
  return all;
}

const registerOf = (operand: Operand): readonly string[] => (operand.kind === 'register' ? [operand.name] : []);

/** The register that an operation copies whole. */
function movedBy(operation: Operation, { width }: DataType): string | undefined {
  if (operation.kind !== 'compute' || operation.arithmetic.name !== 'move') return undefined;
  const [source] = operation.operands;
  return source?.kind === 'register' && operation.arithmetic.width === width && operation.type.width === width
    ? source.name
    : undefined;
}

/** The products of one kind, beside the registers that may hold them. */
class Products {
  private readonly type: DataType;
  private readonly typeName: TypeName;

  constructor(
    private readonly decoder: Decoder,
    readonly kind: string,
    private readonly registers: ReadonlySet<string>,
  ) {
    this.typeName = kind.replace('.ftz', '') as TypeName;
    this.type = { kind: 'b', width: dataTypeOf(this.typeName).width };
  }

  private beside(name: string, what: 'is' | 'a' | 'b'): Operand & { readonly kind: 'register' } {
    return register(`#product.${this.kind}.${what} ${name}`);
  }

  /** Notes what a statement is about to do to registers that may hold products. */
  before(statement: ProgramStatement, part: Contractible | undefined): void {
    const { operation } = statement;
    const written = registersWritten(operation).filter((name) => this.registers.has(name));
    const [a = constant(0), b = constant(0)] = part?.operands ?? [];
    for (const name of written) {
      const source = movedBy(operation, this.type);
      if (part?.part === 'product' && kindOf(part) === this.kind) this.note(statement, name, [constant(1), a, b]);
      else if (negates(part, this.kind)) this.copy(statement, name, a, true);
      else if (source !== undefined) this.copy(statement, name, register(source), false);
      // A sum reads first whether its operands are products.
      else if (part === undefined || !isSum(part) || kindOf(part) !== this.kind)
        this.note(statement, name, [constant(0)]);
    }
  }

  private copy(statement: ProgramStatement, name: string, source: Operand, negated: boolean): void {
    if (source.kind !== 'register' || !this.registers.has(source.name))
      return this.note(statement, name, [constant(0)]);
    if (source.name === name && !negated) return;
    const [is, a, b] = (['is', 'a', 'b'] as const).map((what) => this.beside(source.name, what)) as Operand[];
    this.note(statement, name, [is as Operand, negated ? this.negated(statement, a as Operand) : a, b] as Operand[]);
  }

  private negated({ span }: ProgramStatement, a: Operand): Operand {
    return negate(new InstructionDecoder(this.decoder, { span }), this.typeName, a);
  }

  /** Whether a register holds a product, and of what. */
  private note({ span, guard }: ProgramStatement, name: string, values: readonly Operand[]): void {
    (['is', 'a', 'b'] as const).forEach((what, i) => {
      const value = values[i];
      if (value === undefined) return;
      const type: DataType = what === 'is' ? { kind: 'pred', width: 1 } : this.type;
      const { name: target } = this.beside(name, what);
      this.decoder.hidden(target, type, span);
      new InstructionDecoder(this.decoder, { span, guard }).result(target, type, value);
    });
  }

  /** A sum, of which an operand may be a product: each of them may be fused with it. Whether it is one. */
  sum(statement: ProgramStatement, part: Contractible): boolean {
    const { operation } = statement;
    const [x = constant(0), y = constant(0)] = part.operands;
    const isProduct = (operand: Operand): boolean => registerOf(operand).some((name) => this.registers.has(name));
    if (!isSum(part) || (operation.kind !== 'compute' && operation.kind !== 'open')) return false;
    if (isProduct(x) || isProduct(y)) this.choose(statement, operation, part, [x, y].filter(isProduct));
    else this.decoder.statements.push(statement);
    if (this.registers.has(operation.target)) this.note(statement, operation.target, [constant(0)]);
    return true;
  }

  private choose(
    statement: ProgramStatement,
    operation: Extract<Operation, { kind: 'compute' | 'open' }>,
    { at, operands: [x = constant(0), y = constant(0)], part, words }: Contractible,
    products: readonly Operand[],
  ): void {
    const { decoder, typeName } = this;
    const first = decoder.statements.length;
    const { width } = this.type;
    const plain = decoder.temporary(this.type, statement.span);
    decoder.statements.push({ ...statement, operation: { ...operation, target: plain }, guard: undefined });
    const fused = (product: Operand): Operand => {
      const [name = ''] = registerOf(product);
      const [a, b] = [this.beside(name, 'a'), this.beside(name, 'b')];
      const context = { at, words: new Set([...words, 'rn']), typeName };
      // A difference negates what it takes away: the product by one of its factors, which is exact.
      const minus = (operand: Operand): Operand => (part === 'sum' ? operand : negate(at, typeName, operand));
      return applyFloat(context, 'fma', product === x ? [a, b, minus(y)] : [minus(a), b, x]);
    };
    let value: Operand = register(plain);
    for (const product of products) {
      const [name = ''] = registerOf(product);
      const other = at.of(width).select(this.beside(name, 'is'), fused(product), value);
      value = at.open(width, eitherOf(width), [value, other]);
    }
    at.result(operation.target, operation.type, value);
    fuseSteps(decoder, first);
  }
}

const isSum = ({ part }: Contractible): boolean => part === 'sum' || part === 'difference';

/** With the other sign, of each half of packed numbers. */
function negate(at: InstructionDecoder, typeName: TypeName, a: Operand): Operand {
  const { width } = FLOAT_FORMATS[formatOf(typeName)];
  const sign = 1n << BigInt(width - 1);
  const [whole, signs] = isPacked(typeName) ? [2 * width, sign | (sign << BigInt(width))] : [width, sign];
  return at.of(whole).xor(a, constant(signs));
}
