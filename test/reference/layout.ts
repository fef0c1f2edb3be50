import type { LocationTerm, Term } from '../../src/syntax/condition-ast.js';
import type {
  Declaration,
  Level,
  LitmusFile,
  LocationDeclaration,
  RegisterDeclaration,
  Statement,
} from '../../src/syntax/litmus-ast.js';

/**
 * Where threads and bytes are: the CTA, cluster and GPU of each thread (PTX ISA "Scope"), and a flat memory in which
 * every instance of a location has virtual addresses of its own and physical bytes, which aliases share (PTX ISA
 * "State Spaces", and "Vector Data-types" to "Initialization" of the chapter "Memory Consistency Model").
 */
export class Unsupported extends Error {}

/** `lane` is its place in its warp; it `fallsOff` if its body has instructions but no `exit`, `ret`. */
export interface Thread extends Readonly<{ index: number; name: string; lane: number; fallsOff: boolean }> {
  /** Its launch: CTAs and clusters are those of a grid. */
  readonly grid: number;
  readonly statements: readonly Statement[];
  readonly gpu: string;
  readonly cta: string;
  readonly cluster: string;
  readonly warp: string;
}

/** An instance of a location, from a virtual address and from a physical byte on; `element` is an element's size. */
type Range = Readonly<{ address: number; start: number; size: number; element: number }>;
export interface Place extends Range {
  readonly name: string;
  readonly type: string;
  /** The CTA of a `.shared` instance. */
  readonly cta: string | undefined;
  /** The expected count of an mbarrier object that is initialized before the threads start. */
  readonly mbarrier: bigint | undefined;
}

const TYPE = /^[usb](8|16|32|64)$/;
const SPACING = 4096;
const NO_TARGET = ['st', 'red', 'bra', 'bar', 'barrier', 'griddepcontrol', 'trap'];

export class Layout {
  readonly threads: readonly Thread[];
  /** By physical byte. */
  readonly initial = new Map<number, number>();
  private readonly places: Place[] = [];
  private readonly declarations: readonly Declaration[];

  constructor(file: LitmusFile, terms: readonly Term[]) {
    this.declarations = file.declarations;
    this.threads = placeThreads(file);
    const declared = file.declarations.map(asLocation).filter((declaration) => declaration !== undefined);
    for (const declaration of declared) if (declaration.aliases === undefined) this.declare(declaration);
    const { span } = file.threads[0]!;
    for (const name of new Set(usedLocations(file, terms)))
      if (declared.every((one) => one.name !== name)) this.declare({ kind: 'location', name, directives: [], span });
    for (const { name, aliases } of declared) {
      if (aliases === undefined) continue;
      const original = this.places.find((place) => place.name === aliases);
      if (original === undefined || original.cta !== undefined) throw new Unsupported('alias of no global location');
      this.places.push({ ...original, name, address: SPACING * (this.places.length + 1) });
    }
  }

  private declare({ name, directives, elements, place, initial }: LocationDeclaration): void {
    const spaces = directives.map((directive) => directive.name).filter((word) => !TYPE.test(word) && word !== 'align');
    const other = spaces.find((word) => !['global', 'shared', 'shared::cta'].includes(word));
    if (other !== undefined) throw new Unsupported(`.${other} location`);
    const type = directives.find((directive) => TYPE.test(directive.name))?.name ?? 'u32';
    const element = Number(type.slice(1)) / 8;
    const size = element * (elements ?? 1);
    if (size > SPACING / 2) throw new Unsupported('large array');
    const listed = initial?.kind === 'array' ? initial.values : undefined;
    const value =
      initial === undefined || initial.kind === 'mbarrier' ? 0n : initial.kind === 'number' ? initial.value : undefined;
    if (listed === undefined && value === undefined) throw new Unsupported(`initial value (${initial?.kind})`);
    const integers = (listed ?? [value]).filter((one) => typeof one === 'bigint');
    if (integers.length < (listed ?? [value]).length) throw new Unsupported('initial value (floating-point)');
    const ctas = new Set(place === undefined ? this.threads.map((thread) => thread.cta) : this.ctasAt(place));
    if (place !== undefined && ctas.size > 1) throw new Unsupported('location in CTAs of several grids');
    for (const cta of spaces.some((word) => word !== 'global') ? ctas : [undefined]) {
      const address = SPACING * (this.places.length + 1);
      const mbarrier = initial?.kind === 'mbarrier' ? initial.count : undefined;
      this.places.push({ name, cta, address, start: address, type, element, size, mbarrier });
      for (let i = 0; i < size; i++)
        this.initial.set(
          address + i,
          byteOf((listed === undefined ? integers[0] : integers[Math.floor(i / element)]) ?? 0n, i % element),
        );
    }
  }

  /** The CTAs of that number; one that no thread is in is of grid 0. */
  private ctasAt(place: readonly Level[]): readonly string[] {
    const level = (wanted: string): number => place.find((one) => one.level === wanted)?.number ?? 0;
    const isThere = ({ cta, grid }: Thread): boolean => cta === ctaName(level('gpu'), grid, level('cta'));
    const there = this.threads.filter(isThere).map((thread) => thread.cta);
    return there.length > 0 ? there : [ctaName(level('gpu'), 0, level('cta'))];
  }

  /** The instance of a location that a thread names: that of its CTA, or the only one. */
  resolve(name: string, { cta }: Thread): Place | undefined {
    const named = this.places.filter((place) => place.name === name);
    return named.find((place) => place.cta === cta) ?? (named.length === 1 ? named[0] : undefined);
  }

  /** The instance of a location that a condition names. */
  observe({ name, cta, gpu }: LocationTerm | (Term & { readonly kind: 'address' })): Place {
    const ctas = new Set(this.threads.map(({ grid }) => ctaName(gpu ?? 0, grid, cta ?? 0)));
    const isNamed = (place: Place): boolean =>
      cta === undefined || (place.cta !== undefined && ctas.add(ctaName(gpu ?? 0, 0, cta)).has(place.cta));
    const named = this.places.filter((place) => place.name === name && isNamed(place));
    if (named.length !== 1) throw new Unsupported(`location ${name} with ${named.length} instances in a condition`);
    return named[0]!;
  }

  /** What is at virtual addresses. */
  at(address: number, size: number): Place | undefined {
    return this.places.find((one) => address >= one.address && address + size <= one.address + one.size);
  }

  initialRegisters(thread: Thread): ReadonlyMap<string, bigint> {
    const given = this.declarations.filter((one) => one.kind === 'register');
    const valueOf = ({ initial }: RegisterDeclaration): bigint => {
      if (initial.kind === 'number' && typeof initial.value === 'bigint')
        return BigInt.asUintN(initial.value < 2n ** 32n ? 32 : 64, initial.value);
      const isAddress = initial.kind === 'address' || initial.kind === 'copy';
      const place = isAddress ? this.resolve(initial.name, thread) : undefined;
      if (place === undefined) throw new Unsupported(`initial register (${initial.kind})`);
      return BigInt(place.address);
    };
    return new Map(given.filter((one) => one.thread === thread.name).map((one) => [one.register, valueOf(one)]));
  }
}

export const byteOf = (value: bigint, index: number): number => Number((value >> BigInt(8 * index)) & 255n);

const ctaName = (gpu: number | string, grid: number, cta: number | undefined): string => `${gpu}.${grid}.${cta}`;

function asLocation(declaration: Declaration): LocationDeclaration | undefined {
  if (declaration.kind === 'register' || declaration.kind === 'grid-order') return undefined;
  if (declaration.kind === 'location') return declaration;
  if (declaration.kind !== 'alias') throw new Unsupported(`declaration (${(declaration as Declaration).kind})`);
  if (declaration.proxy !== 'generic') throw new Unsupported(`${declaration.proxy} proxy`);
  return { ...declaration, kind: 'location', directives: [] };
}

function placeThreads({ threads, functions }: LitmusFile): readonly Thread[] {
  if (functions.length > 0) throw new Unsupported('functions');
  const placed = threads.map(({ name, statements, levels }, index) => {
    const level = (wanted: string): number | undefined => levels.find((one) => one.level === wanted)?.number;
    const other = levels.find((one) => !['warp', 'cta', 'cluster', 'gpu', 'grid'].includes(one.level));
    if (other !== undefined) throw new Unsupported(`thread level ${other.level}`);
    if (level('cta') === undefined) throw new Unsupported('thread without a CTA');
    const gpu = `${level('gpu') ?? 0}`;
    const grid = level('grid') ?? 0;
    const cta = ctaName(gpu, grid, level('cta'));
    const cluster = level('cluster') === undefined ? undefined : `${gpu}.${grid}.cluster ${level('cluster')}`;
    const warp = `${cta}.${level('warp') ?? `alone ${index}`}`;
    const mnemonics = statements.flatMap((one) => (one.kind === 'instruction' ? [one.mnemonic] : []));
    const fallsOff = mnemonics.length > 0 && !mnemonics.includes('exit') && !mnemonics.includes('ret');
    return { index, name, statements, gpu, grid, cta, cluster, warp, fallsOff };
  });
  return placed.map((thread) => ({
    ...thread,
    cluster: placed.findLast((one) => one.cta === thread.cta && one.cluster !== undefined)?.cluster ?? thread.cta,
    lane: placed.filter((one) => one.warp === thread.warp && one.index < thread.index).length,
  }));
}

/** Names of registers of a thread: declared, given a value, or written by an instruction. */
export function registerNames(file: LitmusFile, thread: Pick<Thread, 'name' | 'statements'>): ReadonlySet<string> {
  const given = file.declarations.filter((one) => one.kind === 'register').filter((one) => one.thread === thread.name);
  const names = given.map((one) => one.register);
  for (const statement of thread.statements) {
    for (const { name, count } of statement.kind === 'registers' ? statement.names : [])
      names.push(...(count === undefined ? [name] : Array.from({ length: count }, (_, i) => `${name}${i}`)));
    if (statement.kind !== 'instruction' || NO_TARGET.includes(statement.mnemonic)) continue;
    const [target] = statement.operands;
    for (const one of target?.kind === 'vector' ? target.elements : [target])
      if (one?.kind === 'name') names.push(one.name);
  }
  return new Set(names);
}

function usedLocations(file: LitmusFile, terms: readonly Term[]): readonly string[] {
  const inTerms = terms.flatMap((term) => (term.kind === 'location' || term.kind === 'address' ? [term.name] : []));
  const inThreads = file.threads.flatMap((thread) => {
    const operands = thread.statements.flatMap((one) => (one.kind === 'instruction' ? one.operands : []));
    const bases = operands.map((one) => (one.kind === 'address' && !one.percent ? one.base : 0n));
    return bases.filter((base) => typeof base === 'string').filter((base) => !registerNames(file, thread).has(base));
  });
  return [...inTerms, ...inThreads];
}
