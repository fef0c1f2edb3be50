import { writtenRegisters } from '../build/build-registers.js';
import type { Span } from '../diagnostics/source.js';
import type { Traced } from '../follow/specialized-program.js';
import type { FlatStatement } from '../isa/decode-thread.js';
import type { Code } from '../kernel/code.js';
import type { LocationTable } from '../program/locations.js';
import type { ProgramStatement } from '../program/operation.js';
import type { Placement } from '../program/placement.js';
import type { InstructionSyntax, OperandSyntax, Statement } from '../syntax/litmus-ast.js';

/** What the format cannot say; where that is, and what to do, as far as whoever finds it knows. */
export class Inexpressible extends Error {
  constructor(
    message: string,
    readonly span?: Span,
    readonly hint?: string,
  ) {
    super(message);
  }
}

/** What must be known to write the instructions that one thread of a launch executes. */
export interface WrittenThread {
  readonly statements: readonly FlatStatement[];
  readonly code: Code;
  readonly locations: LocationTable;
  readonly placement: Placement;
  readonly traced: readonly Traced[];
}

/** The body of a thread in PTX: its instructions, with numbers and locations in the place of what is known. */
export function writtenBody({ statements, code, locations, placement, traced }: WrittenThread): readonly Statement[] {
  const bySpan = new Map(
    statements.flatMap((one) => (one.kind === 'instruction' ? [[one.span.start, one] as const] : [])),
  );
  const used = new Set<string>();
  const body: Statement[] = [];
  const writer = new Writer(code, locations, placement, used);
  for (const one of traced) {
    if (one.kind === 'label') body.push({ kind: 'label', name: labelOf(one.name), span: NOWHERE });
    else if (one.kind === 'statements') body.push(...one.statements.flatMap((step) => writer.plain(step)));
    else {
      const syntax = bySpan.get(one.span.start);
      if (syntax === undefined || syntax.mnemonic === 'call')
        throw new Inexpressible('a call of a function that stays in the test');
      const written = writer.instruction(syntax, one);
      // The registers of an asynchronous product are not touched behind its fence (PTX ISA, wgmma.fence).
      const fence = syntax.mnemonic === 'wgmma' ? body.findLastIndex(isProductFence) : -1;
      if (fence === -1) body.push(...written);
      else {
        body.splice(fence, 0, ...written.slice(0, -1));
        body.push(...written.slice(-1));
      }
    }
  }
  const declared = [...used].flatMap((name): readonly Statement[] => {
    const type = code.registers.get(name)?.type;
    if (type === undefined) return [];
    const shown = type.kind === 'pred' ? 'pred' : `b${type.width}`;
    return [{ kind: 'registers', type: shown, names: [{ name: registerOf(name), span: NOWHERE }], span: NOWHERE }];
  });
  return [...declared, ...body];
}

const isProductFence = (one: Statement): boolean =>
  one.kind === 'instruction' && one.mnemonic === 'wgmma' && one.qualifiers[0]?.text === 'fence';

const NOWHERE = { source: { path: '', text: '' }, start: 0, end: 0 };
const labelOf = (name: string): string => name.replace('#', 'L');
/** Registers of inner scopes have names that no test may use. */
const registerOf = (name: string): string => name.replaceAll('~', '_in_').replaceAll('#', 'h_');

class Writer {
  constructor(
    private readonly code: Code,
    private readonly locations: LocationTable,
    private readonly placement: Placement,
    private readonly used: Set<string>,
  ) {}

  private register(name: string): string {
    this.used.add(name);
    return registerOf(name);
  }

  private isRegister(name: string): boolean {
    return this.code.registers.has(name) && this.locations.named(name).length === 0;
  }

  /** A branch, an end, or a number that is put into a register. */
  plain({ operation, guard }: ProgramStatement): readonly Statement[] {
    const given =
      guard === undefined ? {} : { guard: { ...guard, register: this.register(guard.register), span: NOWHERE } };
    const make = (mnemonic: string, qualifiers: readonly string[], operands: readonly OperandSyntax[]): Statement => ({
      kind: 'instruction',
      ...given,
      mnemonic,
      mnemonicSpan: NOWHERE,
      qualifiers: qualifiers.map((text) => ({ text, span: NOWHERE })),
      operands,
      span: NOWHERE,
    });
    switch (operation.kind) {
      case 'branch':
        return [make('bra', [], [name(labelOf(operation.label))])];
      case 'exit':
      case 'trap':
        return [make(operation.kind, [], [])];
      case 'compute': {
        const [operand] = operation.operands;
        return operand?.kind === 'constant' ? this.move(operation.target, operand.value) : [];
      }
      default:
        throw new Inexpressible(`a step of ${operation.kind}`);
    }
  }

  private move(register: string, value: bigint): readonly Statement[] {
    const type = this.code.registers.get(register)?.type;
    if (type === undefined) return [];
    return [
      {
        kind: 'instruction',
        mnemonic: 'mov',
        mnemonicSpan: NOWHERE,
        qualifiers: [{ text: type.kind === 'pred' ? 'pred' : `b${type.width}`, span: NOWHERE }],
        operands: [name(this.register(register)), number(value)],
        span: NOWHERE,
      },
    ];
  }

  instruction(syntax: InstructionSyntax, traced: Extract<Traced, { kind: 'instruction' }>): readonly Statement[] {
    const before: Statement[] = [];
    const known = (register: string): bigint | undefined => traced.known(register);
    // Where a box lies is written as numbers: it must be known before the test is run.
    const coordinate = (one: OperandSyntax): OperandSyntax => {
      const value = one.kind === 'name' && this.isRegister(one.name) ? known(one.name) : undefined;
      return value === undefined ? operand(one) : number(BigInt.asIntN(32, value));
    };
    const operand = (one: OperandSyntax): OperandSyntax => {
      switch (one.kind) {
        case 'name': {
          if (!this.isRegister(one.name)) return one;
          const value = known(one.name);
          if (value !== undefined) before.push(...this.move(one.name, value));
          return { ...one, name: this.register(one.name) };
        }
        case 'negated':
        case 'selected': {
          const value = known(one.name);
          if (value !== undefined) before.push(...this.move(one.name, value));
          return { ...one, name: this.register(one.name) };
        }
        case 'pair': {
          const part = (register: string | undefined): string | undefined =>
            register === undefined ? undefined : this.register(register);
          return { ...one, first: part(one.first), second: part(one.second) };
        }
        case 'address':
        case 'tensor': {
          if (typeof one.base !== 'string' || !this.isRegister(one.base)) {
            return one.kind === 'tensor' ? { ...one, coordinates: one.coordinates.map(coordinate) } : one;
          }
          const coordinates = one.kind === 'tensor' ? { coordinates: one.coordinates.map(coordinate) } : {};
          const value = known(one.base);
          const offset = one.kind === 'address' ? one.offset : 0n;
          const place = value === undefined ? undefined : this.placeOf(value + offset);
          if (place !== undefined && one.kind === 'address')
            return { ...one, base: place.name, percent: false, offset: place.offset };
          if (place?.offset === 0n) return { ...one, ...coordinates, base: place.name, percent: false };
          if (value !== undefined) before.push(...this.move(one.base, value));
          return { ...one, ...coordinates, base: this.register(one.base) };
        }
        case 'vector':
        case 'list':
          return { ...one, elements: one.elements.map(operand) };
        default:
          return one;
      }
    };
    const written = new Set(writtenRegisters({ statements: [syntax] }));
    const given = syntax.operands.map((one, i) => {
      const isTarget = i === 0 && (one.kind === 'name' || one.kind === 'selected') && written.has(one.name);
      return isTarget ? { ...one, name: this.register(one.name) } : operand(one);
    });
    const operands = traced.arrivals === undefined ? given : [...given.slice(0, 2), number(traced.arrivals)];
    const { guard, ...rest } = syntax;
    const held =
      guard === undefined || traced.certain ? {} : { guard: { ...guard, register: this.register(guard.register) } };
    return [...before, { ...rest, ...held, operands }];
  }

  /** The location that holds an address, as the thread means it by its name. */
  private placeOf(address: bigint): { readonly name: string; readonly offset: bigint } | undefined {
    const range = this.locations.at(address, 1, this.placement.thread);
    if (range === undefined || this.locations.resolve(range.name, this.placement) !== range) return undefined;
    return { name: range.name, offset: address - range.base };
  }
}

const name = (text: string): OperandSyntax => ({ kind: 'name', name: text, offset: 0n, span: NOWHERE });
const number = (value: bigint): OperandSyntax => ({ kind: 'number', value, span: NOWHERE });
