import { type Diagnostic, error, warning } from '../diagnostics/diagnostic.js';
import { didYouMean } from '../diagnostics/nearest.js';
import type { Span } from '../diagnostics/source.js';
import { descriptorOf } from '../isa/matrix-descriptors.js';
import type { DataType } from '../program/data-type.js';
import {
  AddressSpace,
  LocationTable,
  localAddress,
  type MemoryObject,
  type StateSpace,
  sharedAddress,
  type VirtualRange,
} from '../program/locations.js';
import type { Proxy } from '../program/operation.js';
import type { Placement } from '../program/placement.js';
import type { CheckBudget } from '../program/undecided.js';
import type {
  AliasDeclaration,
  Declaration,
  DescriptorDeclaration,
  Initial,
  LocationDeclaration,
  VariableSyntax,
} from '../syntax/litmus-ast.js';
import { initialContents } from './initial-contents.js';
import { beginsUninitialized, readDirectives } from './read-directives.js';
import { NOTHING_SPECIAL, type SpecialContents, specialContents } from './special-contents.js';
import { asMap } from './tensor-shapes.js';

const LEGACY_PROXIES: readonly Proxy[] = ['generic', 'texture', 'surface', 'constant'];
const WORD: DataType = { kind: 'u', width: 32 };
/** More than the memory of a GPU has, of which a launch accesses few bytes; elsewhere there is less. */
const LARGEST_GLOBAL = 2 ** 40;
const LARGEST_LOCATION = 2 ** 24;
const LARGEST_MATRIX = 0x3fffn << 4n;
const ZERO: Initial = { kind: 'number', value: 0n };
const UNKNOWN = { initial: [], rest: undefined };
const ZEROS = { initial: [], rest: 0n };

/** Gathers the memory of a test from its initial state (docs/format.md), and locations that are only used. */
export class LocationBuilder {
  readonly diagnostics: Diagnostic[] = [];
  private readonly ranges: VirtualRange[] = [];
  private readonly objects: MemoryObject[] = [];
  private readonly table: LocationTable;
  /** Whether any declaration has a type: then an undeclared location is worth a warning. */
  private readonly typed: boolean;

  constructor(
    declarations: readonly Declaration[],
    private readonly placements: readonly Placement[],
    checkBudget: CheckBudget,
    /** Of variables of modules: what they are called in reports. */
    private readonly shownNames: ReadonlyMap<string, string> = new Map(),
  ) {
    this.table = new LocationTable(this.ranges, this.objects);
    this.typed = declarations.some(
      (declaration) => declaration.kind === 'location' && declaration.directives.length > 0,
    );
    const isArgument = (one: LocationDeclaration): boolean => one.initial?.kind === 'record';
    for (const declaration of declarations) {
      checkBudget();
      if (declaration.kind === 'location' && !isArgument(declaration)) this.declare(declaration);
    }
    this.writeAddresses();
    for (const declaration of declarations) if (declaration.kind === 'alias') this.alias(declaration);
    for (const declaration of declarations) if (declaration.kind === 'descriptor') this.describe(declaration);
    // A launch hands over what all of these are.
    for (const declaration of declarations)
      if (declaration.kind === 'location' && isArgument(declaration)) this.declare(declaration);
  }

  /** The test is in the dialect without types, where much goes without saying. */
  get shorthandOnly(): boolean {
    return !this.typed;
  }

  get locations(): LocationTable {
    return this.table;
  }

  /** The location of an undeclared name: a `.global .u32` equal to 0. */
  implicit(name: string, span: Span): VirtualRange {
    if (this.typed) {
      const known = [...new Set(this.ranges.map((range) => range.name))];
      const hint = didYouMean(name, known) ?? `declare it: .global .u32 ${name} = 0;`;
      this.diagnostics.push(
        warning('L0202', span, `location ${name} is not declared; it is taken as .global .u32 ${name} = 0`, hint),
      );
    }
    return this.addObject(name, name, { space: 'global', base: this.addresses.nextGlobal(4) }, WORD, 1, ZEROS);
  }

  /**
   * Declares what a body declares. Several threads may have one body, and a body may be written out for each of its
   * threads: one name means one variable. What PTX gives no value has none.
   */
  declareVariables(variables: readonly VariableSyntax[]): void {
    for (const variable of variables) {
      const { name, span, directives, elements, initial } = variable;
      const shape = JSON.stringify([directives.map(({ name: one, argument }) => [one, String(argument)]), elements]);
      if (this.bodyVariables.get(name) === shape) continue;
      this.bodyVariables.set(name, shape);
      if (elements === 0) {
        this.refuse(span, `${name} has no size`, 'write the size that the launch gives it');
        continue;
      }
      const first: Initial = initial ?? (beginsUninitialized(directives) ? { kind: 'uninitialized' } : ZERO);
      this.declare({ ...variable, kind: 'location', initial: first });
    }
    this.writeAddresses();
  }
  private readonly bodyVariables = new Map<string, string>();

  /** Writes the addresses that memory begins with, which may be of what is declared later. */
  private writeAddresses(): void {
    for (const work of this.waiting.splice(0)) work();
  }
  private readonly waiting: (() => void)[] = [];
  private readonly memory = {
    locationOf: (name: string, span: Span) => this.locationOf(name, span),
    descriptorOf: (name: string) => this.descriptors.get(name),
    later: (work: () => void) => void this.waiting.push(work),
    refuse: (span: Span, message: string) => this.refuse(span, message),
  };

  private declare(given: LocationDeclaration): void {
    const declaration = given.initial?.kind === 'tensor-shape' ? asMap(given) : given;
    const { name, span } = declaration;
    if (this.table.named(name).length > 0) return this.refuse(span, `location ${name} is declared twice`);
    const read = readDirectives(declaration, (at, message, hint) => this.refuse(at, message, hint));
    if (read === undefined) return;
    if (declaration.aliases !== undefined) return this.addAlias(name, declaration.aliases, undefined, span, read.type);
    const { space, type } = read;
    const elements =
      declaration.elements ?? (declaration.initial?.kind === 'array' ? declaration.initial.values.length : 1);
    const bytes = elements * (type.width / 8);
    const most = space === 'global' ? LARGEST_GLOBAL : LARGEST_LOCATION;
    if (elements < 1 || bytes > most)
      return this.refuse(span, `${name} has ${elements} elements; a .${space} location has 1 to ${most} bytes`);
    const isTyped = declaration.directives.length > 0;
    const initial = initialContents(declaration.initial, { elements, type, span, isTyped }, this.memory);
    const special = specialContents(declaration.initial, space, bytes, {
      locationOf: (one) => this.locationOf(one, span),
      mapsIn: (one) => this.table.named(one)[0]?.object.tensors ?? [],
      refuse: (message) => this.refuse(span, message) as undefined,
    });
    if (initial === undefined || special === undefined) return;
    if (space !== 'shared' && declaration.place !== undefined)
      this.refuse(span, `only .shared locations are in a CTA; ${name} is .${space}`);
    if (space === 'local') {
      const base = localAddress(this.addresses.nextLocal(bytes));
      for (const { thread: owner } of this.placements)
        this.addObject(name, `${name}@thread${owner}`, { space, base, owner }, type, elements, initial, special);
      return;
    }
    if (space !== 'shared') {
      const base = this.addresses.nextIn(space, bytes);
      if (base === undefined) return this.refuse(span, `the .${space} locations of this test are too large together`);
      return void this.addObject(name, name, { space, base }, type, elements, initial, special);
    }
    const ctas = this.ctasOf(declaration);
    if (ctas.length === 0) return;
    const offset = this.addresses.nextShared(bytes, read.alignment);
    if (offset === undefined)
      return this.refuse(span, 'the shared locations of this test need more than 1 MiB in each CTA');
    for (const placement of ctas) {
      const shown = ctas.length === 1 ? name : `${name}@${this.shownCta(placement)}`;
      const base = sharedAddress(placement.clusterIndex, placement.rank, offset);
      this.addObject(name, shown, { space: 'shared', base, placement }, type, elements, initial, special);
    }
  }

  /** A thread of each CTA on a GPU. */
  private get ctas(): readonly Placement[] {
    const onDevice = this.placements.filter(({ gpu }) => gpu !== undefined);
    return [...new Map(onDevice.map((placement) => [placement.cta, placement])).values()];
  }

  private shownCta({ ctaNumber, cta, gpu }: Placement): string {
    const elsewhere = this.ctas.some((other) => other.ctaNumber === ctaNumber && other.cta !== cta);
    return `cta${ctaNumber}${elsewhere ? `gpu${gpu}` : ''}`;
  }

  /** The CTAs in which a variable of shared memory is: all of them, or the one where it is placed. */
  private ctasOf({ name, span, place }: LocationDeclaration): readonly Placement[] {
    const wanted = place?.find((level) => level.level === 'cta');
    // Without a thread that can be read there is no CTA, and more to say of that than of the location.
    if (wanted === undefined) return this.ctas;
    const { number } = wanted;
    const gpu = place?.find((level) => level.level === 'gpu')?.number;
    const chosen = this.ctas.filter((one) => one.ctaNumber === number && (gpu === undefined || one.gpu === gpu));
    if (chosen.length === 1) return chosen;
    if (chosen.length === 0) this.refuse(span, `no thread of the test is in cta ${number}, where ${name} is placed`);
    else this.refuse(span, `cta ${number} exists on several GPUs: write ${name} @ cta ${number}, gpu N`);
    return [];
  }

  /** Lets some locations begin with zeros; `isIdle`: as good as anything, since nothing depends on what is in them. */
  blank(objects: ReadonlySet<MemoryObject>, isIdle: boolean): void {
    const blanked = new Map(
      [...objects].map((object): [MemoryObject, MemoryObject] => {
        return [object, isIdle ? { ...object, ...ZEROS, isIdle } : { ...object, ...ZEROS }];
      }),
    );
    this.objects.forEach((object, i) => {
      this.objects[i] = blanked.get(object) ?? object;
    });
    this.ranges.forEach((range, i) => {
      this.ranges[i] = { ...range, object: blanked.get(range.object) ?? range.object };
    });
  }

  /** The tensor memory of a CTA: no name reaches it, and nothing is known of what is in it (PTX ISA 9.7.18.1). */
  addTensorMemory(base: bigint, placement: Placement, bytes: number): void {
    const shown = `tensor memory of cta ${placement.ctaNumber}`;
    this.addObject('', shown, { space: 'tensor', base, placement }, WORD, bytes / 4, UNKNOWN);
  }

  private alias(declaration: AliasDeclaration): void {
    const { name, span, proxy } = declaration;
    if (!LEGACY_PROXIES.includes(proxy as Proxy))
      return this.refuse(
        span,
        `unknown proxy ${proxy}`,
        didYouMean(proxy, LEGACY_PROXIES) ?? `expected ${LEGACY_PROXIES.join(', ')}`,
      );
    if (this.table.named(name).length > 0) return this.refuse(span, `location ${name} is declared twice`);
    this.addAlias(name, declaration.aliases, proxy as Proxy, span, undefined);
  }

  /** Matrix descriptors by name; each holds where a matrix starts in shared memory, and how many bytes it has. */
  readonly descriptors = new Map<string, bigint>();

  private describe({ name, location, offset, bytes, span }: DescriptorDeclaration): void {
    const [range] = this.table.named(location);
    if (range === undefined || range.object.space !== 'shared')
      return this.refuse(span, `${name} describes ${location}, which is no .shared location of this test`);
    if (offset < 0n || bytes < 1n || offset + bytes > BigInt(range.object.size))
      return this.refuse(span, `${location} has ${range.object.size} bytes: the matrix leaves it`);
    if (offset % 16n !== 0n || bytes % 16n !== 0n || bytes > LARGEST_MATRIX)
      return this.refuse(
        span,
        `a matrix starts at a multiple of 16 bytes, and has such a size, up to ${LARGEST_MATRIX}`,
      );
    this.descriptors.set(name, descriptorOf(range.base + offset, bytes));
  }

  /** A generic alias has a virtual address of its own; a view by another proxy shares the address of what it views. */
  private addAlias(
    name: string,
    target: string,
    proxy: Proxy | undefined,
    span: Span,
    type: DataType | undefined,
  ): void {
    let targets = this.table.named(target);
    if (targets.length === 0) {
      if (this.typed)
        return this.refuse(
          span,
          `${name} aliases ${target}, which is not declared before it`,
          didYouMean(
            target,
            this.ranges.map((range) => range.name),
          ),
        );
      targets = [this.implicit(target, span)];
    }
    for (const range of targets) {
      const generic = proxy === undefined || proxy === 'generic';
      const elementType = type ?? range.elementType;
      this.ranges.push({
        name,
        base: generic ? this.aliasBase(range) : range.base,
        object: range.object,
        proxy: generic ? undefined : proxy,
        elementType,
      });
    }
  }

  /** An alias of shared memory is another address in the same CTA's window. */
  private aliasBase({ base, object }: VirtualRange): bigint {
    const placement = this.placements.find(({ cta }) => cta === object.cta);
    if (placement === undefined) return this.addresses.nextGlobal(object.size);
    const offset = this.addresses.nextShared(object.size);
    return offset === undefined ? base : sharedAddress(placement.clusterIndex, placement.rank, offset);
  }

  private readonly addresses = new AddressSpace();
  private addObject(
    name: string,
    shown: string,
    place: {
      readonly space: StateSpace;
      readonly base: bigint;
      readonly placement?: Placement;
      readonly owner?: number;
    },
    elementType: DataType,
    elements: number,
    contents: Pick<MemoryObject, 'initial' | 'rest'>,
    special: SpecialContents = NOTHING_SPECIAL,
  ): VirtualRange {
    const size = elements * (elementType.width / 8);
    const plain = this.shownNames.get(name);
    const object: MemoryObject = {
      id: this.objects.length,
      name: plain === undefined ? shown : shown.replace(name, plain),
      space: place.space,
      cta: place.placement?.cta,
      cluster: place.placement?.cluster,
      owner: place.owner,
      elementType,
      size,
      ...contents,
      ...special,
    };
    const range: VirtualRange = { name, base: place.base, object, proxy: undefined, elementType };
    this.objects.push(object);
    this.ranges.push(range);
    return range;
  }

  /** A location named in the initial state, made now if the test has no typed declarations. */
  locationOf(name: string, span: Span): VirtualRange | undefined {
    const known = this.table.named(name)[0];
    if (known !== undefined || this.typed) {
      if (known === undefined)
        this.refuse(
          span,
          `${name} is not declared`,
          didYouMean(
            name,
            this.ranges.map((range) => range.name),
          ),
        );
      return known;
    }
    return this.implicit(name, span);
  }

  private refuse(span: Span, message: string, hint?: string): void {
    this.diagnostics.push(error('L0201', span, message, hint));
  }
}
