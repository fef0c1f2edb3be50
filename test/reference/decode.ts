import type { InstructionSyntax, LitmusFile, OperandSyntax } from '../../src/syntax/litmus-ast.js';
import { type Layout, registerNames, type Thread, Unsupported } from './layout.js';

/**
 * The instructions of the fragment, decoded strictly: a word or an operand that is not understood makes the test
 * unsupported. Qualifiers, defaults are those of the syntax blocks of the PTX ISA, in any order. A register holds the
 * unsigned bits of the value written last: 64 of them, or 32 for the types of at most 32 bits, if signed extended.
 */
export type Scope = 'cta' | 'cluster' | 'gpu' | 'sys';
export type Order = 'weak' | 'relaxed' | 'acquire' | 'release' | 'acq_rel' | 'sc';
export type Type = Readonly<{ bits: number; signed: boolean }>;
/** A register or a number, to be read in a type. */
export type Source = Readonly<{ register?: string; value: bigint; type: Type; negated?: boolean }>;
type Address = Readonly<{ base: Source; offset: bigint; shared: boolean | undefined }>;
/** Each scalar of a vector is an instruction: its place in the vector, and their number. */
type Access = Readonly<{ type: Type; part: number; parts: number; address?: Address; reduction?: boolean }>;
type Family = 'cta' | 'cluster' | 'warp';
type Synchronization = Readonly<{ action: string; family?: Family; expectTx?: boolean; parity?: boolean }>;

export interface Instruction extends Access, Synchronization {
  readonly kind: 'compute' | 'label' | 'branch' | 'memory' | 'fence' | 'barrier' | 'mbarrier' | 'grid' | 'trap';
  readonly guard?: Source | undefined;
  /** What is computed or written depends on the sources; whether and where it happens on operands and address. */
  readonly sources: readonly Source[];
  readonly operands: readonly Source[];
  readonly target?: Readonly<{ register: string; type: Type }> | undefined;
  readonly compute?: (operands: readonly bigint[]) => bigint;
  /** Where a branch goes; `exit` goes to the end. */
  readonly label?: string;
  readonly order: Order;
  readonly scope: Scope;
  /** A `fence.proxy.alias`. */
  readonly alias?: boolean;
  /** Of an `.aligned` barrier: all that lanes of a warp must have in common. */
  readonly aligned?: string | undefined;
  /** Which statement of its body this is. */
  readonly statement?: number;
  /** The function of an atomic operation; that of a barrier reduction, its predicate being the only source. */
  readonly update?: string | undefined;
  readonly reduce?: 'and' | 'or' | 'popc' | undefined;
}

const PREDICATE: Type = { bits: 1, signed: false };
const U32: Type = { bits: 32, signed: false };
const U64: Type = { bits: 64, signed: false };
/** The operand as a number of the type: the type's bits of the register, signed if the type is. */
export const cut = (value: bigint, { signed, bits }: Type): bigint =>
  signed ? BigInt.asIntN(bits, value) : BigInt.asUintN(bits, value);
/** The bits of a destination register. */
export const extend = (value: bigint, type: Type): bigint =>
  BigInt.asUintN(Math.max(type.bits, 32), type.bits < 32 ? cut(value, type) : value);
type Compute = (operands: readonly bigint[], type: Type) => bigint;
/** How many operands, and the result before it is cut. */
const ARITHMETIC: Readonly<Record<string, readonly [number, Compute]>> = {
  mov: [1, ([a]) => a!],
  cvt: [1, ([a]) => a!],
  add: [2, ([a, b]) => a! + b!],
  sub: [2, ([a, b]) => a! - b!],
  mul: [2, ([a, b]) => a! * b!],
  mad: [3, ([a, b, c]) => a! * b! + c!],
  and: [2, ([a, b]) => a! & b!],
  or: [2, ([a, b]) => a! | b!],
  xor: [2, ([a, b]) => a! ^ b!],
  not: [1, ([a]) => ~a!],
  neg: [1, ([a]) => -a!],
  shl: [2, ([a, b], { bits }) => a! << (b! < bits ? b! : BigInt(bits))],
  shr: [2, ([a, b], { bits }) => a! >> (b! < bits ? b! : BigInt(bits))],
  min: [2, ([a, b]) => (a! < b! ? a! : b!)],
  max: [2, ([a, b]) => (a! < b! ? b! : a!)],
  'setp.eq': [2, ([a, b]) => BigInt(a === b)],
  'setp.ne': [2, ([a, b]) => BigInt(a !== b)],
  'setp.lt': [2, ([a, b]) => BigInt(a! < b!)],
  'setp.le': [2, ([a, b]) => BigInt(a! <= b!)],
  'setp.gt': [2, ([a, b]) => BigInt(a! > b!)],
  'setp.ge': [2, ([a, b]) => BigInt(a! >= b!)],
  selp: [3, ([a, b, p]) => (p === 1n ? a! : b!)],
};
/** What an atomic operation writes, from the old value and its operands; undefined where it writes nothing. */
export const UPDATES: Readonly<Record<string, (operands: readonly bigint[], type: Type) => bigint | undefined>> = {
  ...Object.fromEntries(['add', 'and', 'or', 'xor', 'min', 'max'].map((name) => [name, ARITHMETIC[name]![1]])),
  exch: ([, b]) => b,
  cas: ([old, b, c]) => (old === b ? c : undefined),
  inc: ([old, b]) => (old! >= b! ? 0n : old! + 1n),
  dec: ([old, b]) => (old === 0n || old! > b! ? b : old! - 1n),
};
const SCOPES = ['cta', 'cluster', 'gpu', 'sys'] as const;
const SPACES = ['global', 'shared', 'shared::cta', 'shared::cluster'] as const;
const SPECIAL = /\.|^(clock|smid|nsmid|laneid|warpid|nwarpid|lanemask|globaltimer|WARP_SZ)/;
const NO_EVENT = { order: 'weak', scope: 'cta', type: U32, part: 0, parts: 1, action: '' } as const;
const BLANK = { ...NO_EVENT, sources: [], operands: [] } as const;
const END = 'the end of the thread';

/**
 * A label is an instruction that does nothing. A thread of a grid that comes after others begins with an instruction
 * that waits for them.
 */
export function decode(file: LitmusFile, thread: Thread, layout: Layout): readonly Instruction[] {
  const follows = file.declarations.some((one) => one.kind === 'grid-order' && one.grid === thread.grid);
  const registers = registerNames(file, thread);
  const labels = thread.statements.flatMap((one) => (one.kind === 'label' ? [one.name] : []));
  const code = thread.statements.flatMap((syntax, statement): readonly Instruction[] => {
    if (syntax.kind === 'label') return [{ ...BLANK, kind: 'label', label: syntax.name }];
    if (syntax.kind === 'registers' || syntax.kind === 'note') return [];
    if (syntax.kind !== 'instruction') throw new Unsupported(`statement (${syntax.kind})`);
    const words = syntax.qualifiers.map((qualifier) => qualifier.text);
    const decoder = new Decoder(syntax, words, thread, layout, registers, labels);
    const guard = syntax.guard && { ...syntax.guard, value: 0n, type: PREDICATE };
    const parts = [(FORMS[syntax.mnemonic] ?? arithmetic)(decoder)].flat();
    const inputs = [guard?.register, parts[0]!.address?.base.register];
    const overwrites = parts.slice(0, -1).some(({ target }) => target && inputs.includes(target.register));
    if (overwrites) decoder.refuse('into its address');
    decoder.end();
    return parts.map((one) => ({ ...BLANK, ...one, guard, statement }));
  });
  const begin = follows ? [{ ...BLANK, kind: 'grid', action: 'begin' } as const] : [];
  return [...begin, ...code, { ...BLANK, kind: 'label', label: END }];
}

/** What syntax says, without where it stands. */
export const textOf = (syntax: unknown): string =>
  JSON.stringify(syntax, (key, value) => {
    if (/span$/i.test(key)) return undefined;
    return typeof value === 'bigint' ? `${value}` : value;
  });

/** The qualifiers and operands of an instruction; each is to be asked for. */
class Decoder {
  private next = 0;
  constructor(
    readonly syntax: InstructionSyntax,
    private readonly words: string[],
    private readonly thread: Thread,
    private readonly layout: Layout,
    private readonly registers: ReadonlySet<string>,
    readonly labels: readonly string[],
  ) {}
  take<T extends string>(...options: readonly T[]): T | undefined {
    const at = this.words.findIndex((word) => (options as readonly string[]).includes(word));
    return at === -1 ? undefined : (this.words.splice(at, 1)[0] as T);
  }
  readonly need = <T extends string>(...options: readonly T[]): T =>
    this.take(...options) ?? this.refuse(`without ${options.join('|')}`);
  typeWord(ifNone?: string): Type {
    const named = this.words.find((word) => /^([usb](8|16|32|64)|pred)$/.test(word));
    const word = this.take(named ?? '') ?? ifNone ?? this.refuse('without an integer type');
    return word === 'pred' ? PREDICATE : { bits: Number(word.slice(1)), signed: word.startsWith('s') };
  }
  readonly more = (): boolean => this.next < this.syntax.operands.length;
  readonly operand = (): OperandSyntax => this.syntax.operands[this.next++] ?? this.refuse('with too few operands');
  end(): void {
    if (this.more()) this.refuse('with too many operands');
    if (this.words.length > 0) this.refuse(`.${this.words.join('.')}`);
  }
  refuse(what: string): never {
    throw new Unsupported(`${this.syntax.mnemonic} ${what}`);
  }
  source(type: Type, syntax: OperandSyntax = this.operand()): Source {
    if (syntax.kind === 'number') return { value: syntax.value, type };
    if (syntax.kind === 'negated') return { register: syntax.name, value: 0n, type, negated: true };
    if (syntax.kind !== 'name' && syntax.kind !== 'addressOf') return this.refuse(`operand (${syntax.kind})`);
    const percent = syntax.span.source.text[syntax.span.start] === '%';
    const isRegister = syntax.kind === 'name' && (percent || this.registers.has(syntax.name));
    const offset = syntax.kind === 'name' ? syntax.offset : 0n;
    const place = isRegister ? undefined : this.layout.resolve(syntax.name, this.thread);
    if (place !== undefined) return { value: BigInt(place.address) + offset, type };
    if (offset !== 0n) return this.refuse('operand with an offset');
    return { register: this.target(type, syntax)!.register, value: 0n, type };
  }
  /** A destination register, or none for the sink. */
  target(type: Type, syntax: OperandSyntax = this.operand()): Instruction['target'] {
    if (syntax.kind === 'sink') return undefined;
    if (syntax.kind !== 'name') return this.refuse(`destination (${syntax.kind})`);
    return SPECIAL.test(syntax.name) ? this.refuse(`special register ${syntax.name}`) : { register: syntax.name, type };
  }
  /** The address operand and, if it names a location, the location's type. */
  address(spaces: readonly string[] = SPACES): { readonly address: Address; readonly placeType?: string } {
    const syntax = this.operand();
    const space = this.take(...spaces);
    const shared = space === undefined ? undefined : space !== 'global';
    if (syntax.kind !== 'address' && syntax.kind !== 'name') return this.refuse('without an address');
    const { offset } = syntax;
    const name = syntax.kind === 'name' ? syntax.name : syntax.base;
    if (typeof name === 'bigint') return this.refuse('of a numeric address');
    if ((syntax.kind === 'address' && syntax.percent) || this.registers.has(name))
      return { address: { base: { register: name, value: 0n, type: U64 }, offset, shared } };
    const place = this.layout.resolve(name, this.thread) ?? this.refuse(`of unknown location ${name}`);
    const remote = place.cta !== undefined && place.cta !== this.thread.cta && space !== 'shared::cluster';
    if (shared !== undefined && (shared !== (place.cta !== undefined) || remote)) this.refuse('in another state space');
    const base = { value: BigInt(place.address), type: U64 };
    return { address: { base, offset, shared }, placeType: place.type };
  }
  vector(syntax = this.operand()): readonly OperandSyntax[] {
    return syntax.kind === 'vector' ? syntax.elements : [syntax];
  }
}

type Parts = Partial<Instruction> & Pick<Instruction, 'kind'>;
type Form = (decoder: Decoder) => Parts | readonly Parts[];
/** PTX ISA "ld", "st", "atom", "red". */
const access: Form = (d) => {
  const { mnemonic } = d.syntax;
  const reduction = mnemonic === 'red';
  const isAtomic = reduction || mnemonic === 'atom';
  const loads = mnemonic === 'ld' || mnemonic === 'atom';
  const own = { ld: 'acquire', st: 'release', red: 'release', atom: 'acq_rel' }[mnemonic] as Order;
  const others = { atom: ['acquire', 'release'] as const, red: [] }[mnemonic] ?? (['weak', 'volatile'] as const);
  const named = d.take(own, 'relaxed', ...others) ?? (isAtomic ? 'relaxed' : 'weak');
  const usual = named === 'volatile' ? 'sys' : named === 'weak' ? 'cta' : undefined;
  const scope = usual ?? (isAtomic ? (d.take(...SCOPES) ?? 'gpu') : d.need(...SCOPES));
  const functions = Object.keys(UPDATES).filter((name) => !reduction || (name !== 'exch' && name !== 'cas'));
  const update = isAtomic ? d.need(...functions) : undefined;
  const parts = isAtomic ? 1 : Number(d.take('v2', 'v4')?.slice(1) ?? 1);
  const loaded = loads ? d.vector() : [];
  const { address, placeType } = d.address();
  const type = d.typeWord(placeType);
  const stored =
    mnemonic === 'ld' ? [] : update === 'cas' ? [d.operand(), d.operand()] : isAtomic ? [d.operand()] : d.vector();
  if (isAtomic ? loaded.length > 1 : loaded.length + stored.length !== parts) d.refuse('of another number of elements');
  return Array.from({ length: parts }, (_, part) => {
    const target = loaded[part] && d.target(type, loaded[part]);
    const sources = (isAtomic ? stored : stored.slice(part, part + 1)).map((one) => d.source(type, one));
    const scalar = { ...address, offset: address.offset + BigInt((part * type.bits) / 8) };
    const order = named === 'volatile' ? 'relaxed' : named;
    return { kind: 'memory', order, scope, type, address: scalar, part, parts, update, reduction, target, sources };
  });
};

/** PTX ISA "membar, fence". */
const fence: Form = (d) => {
  if (d.take('proxy') !== undefined) return { kind: 'fence', alias: d.need('alias') === 'alias' };
  const old = d.syntax.mnemonic === 'membar';
  const order = old ? 'sc' : (d.take('sc', 'acq_rel', 'acquire', 'release') ?? 'acq_rel');
  const level = old ? d.need('cta', 'gl', 'sys') : d.need(...SCOPES);
  return { kind: 'fence', order, scope: level === 'gl' ? 'gpu' : level };
};

/** PTX ISA "bar, barrier", "bar.warp.sync", "barrier.cluster". */
const barrier: Form = (d) => {
  const { mnemonic, qualifiers, operands: all } = d.syntax;
  const short = mnemonic === 'bar';
  if (short && d.take('warp') !== undefined)
    return { kind: 'barrier', family: 'warp', action: d.need('sync'), order: 'acq_rel', operands: [d.source(U32)] };
  const cluster = !short && d.take('cluster') !== undefined;
  if (!cluster && d.take('cta') !== undefined && short) d.refuse('.cta, which has two meanings');
  const action = cluster ? d.need('arrive', 'wait') : d.need('sync', 'arrive', 'red');
  const reduce = action === 'red' ? d.need('and', 'or', 'popc') : undefined;
  const text = textOf([mnemonic, qualifiers, reduce === undefined ? all : all.slice(0, -1)]);
  const aligned = short || d.take('aligned') !== undefined ? text : undefined;
  const common = { kind: 'barrier', action, aligned } as const;
  if (cluster) {
    const order = action === 'wait' ? (d.take('acquire') ?? 'acquire') : (d.take('release', 'relaxed') ?? 'release');
    return { ...common, family: 'cluster', order };
  }
  const target = reduce && d.target(d.need(reduce === 'popc' ? 'u32' : 'pred') === 'u32' ? U32 : PREDICATE);
  const operands = all.slice(0, reduce === undefined ? all.length : -2).map(() => d.source(U32));
  const sources = reduce === undefined ? [] : [d.source(PREDICATE)];
  if (operands.length !== 2 && (action === 'arrive' || operands.length !== 1)) d.refuse('with other operands');
  return { ...common, family: 'cta', order: 'acq_rel', operands, reduce, target, sources };
};

/** PTX ISA "mbarrier". */
const mbarrier: Form = (d) => {
  const named = d.need('init', 'arrive', 'arrive_drop', 'expect_tx', 'complete_tx', 'test_wait', 'try_wait');
  const arrives = named.startsWith('arrive');
  const waits = named.endsWith('wait');
  const expectTx = arrives && d.take('expect_tx') !== undefined;
  const parity = waits && d.take('parity') !== undefined;
  const usual = arrives ? 'release' : waits ? 'acquire' : 'relaxed';
  const order = named === 'init' ? 'relaxed' : (d.take(usual, 'relaxed') ?? usual);
  const scope = (named === 'init' ? undefined : d.take('cta', 'cluster')) ?? 'cta';
  const hasTarget = waits || (arrives && d.syntax.operands[0]?.kind !== 'address');
  const target = hasTarget ? d.target(waits ? PREDICATE : U64) : undefined;
  if (waits && target === undefined) d.refuse('into a sink');
  d.need('b64');
  const { address } = d.address(['shared', 'shared::cta']);
  const defaultCount = arrives && !expectTx && !d.more();
  const operand = defaultCount ? { value: 1n, type: U32 } : d.source(waits && !parity ? U64 : U32);
  if (named === 'try_wait' && d.more()) d.operand();
  const common = { kind: 'mbarrier', order, scope, address, target, expectTx, parity } as const;
  return waits ? { ...common, action: 'wait', operands: [operand] } : { ...common, action: named, sources: [operand] };
};

/** PTX ISA "bra", "exit", "ret". */
const branch: Form = (d) => {
  d.take('uni');
  if (d.syntax.mnemonic !== 'bra') return { kind: 'branch', label: END };
  const label = d.operand();
  if (label.kind !== 'name' || !d.labels.includes(label.name)) return d.refuse('to no label of the thread');
  return { kind: 'branch', label: label.name };
};

/** The third operand of a wide mad is as wide as its result; a shift counts in 32 bits. */
const arithmetic: Form = (d) => {
  const { mnemonic } = d.syntax;
  const isComparison = mnemonic === 'setp';
  const comparison = isComparison ? `.${d.need('eq', 'ne', 'lt', 'le', 'gt', 'ge')}` : '';
  const [count, compute] = ARITHMETIC[mnemonic + comparison] ?? d.refuse('instruction');
  const wide = (mnemonic === 'mul' || mnemonic === 'mad') && d.need('lo', 'wide') === 'wide';
  const type = d.typeWord();
  const first = mnemonic === 'cvt' ? d.typeWord() : type;
  const result = isComparison ? PREDICATE : wide ? { ...type, bits: type.bits * 2 } : type;
  const target = d.target(result);
  const types = [first, mnemonic.startsWith('sh') ? U32 : type, mnemonic === 'selp' ? PREDICATE : result];
  const sources = types.slice(0, count).map((one) => d.source(one));
  return { kind: 'compute', target, sources, compute: (operands) => compute(operands, type) };
};

/** PTX ISA "griddepcontrol". */
const griddepcontrol: Form = (d) => ({ kind: 'grid', action: d.need('launch_dependents', 'wait') });

const FORMS: Readonly<Record<string, Form>> = {
  ...{ ld: access, st: access, atom: access, red: access, fence, membar: fence, bar: barrier, barrier },
  ...{ mbarrier, bra: branch, exit: branch, ret: branch, griddepcontrol, trap: () => ({ kind: 'trap' }) },
};
