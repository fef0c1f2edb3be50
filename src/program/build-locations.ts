import { type Diagnostic, error, warning } from '../diagnostics/diagnostic.js';
import { didYouMean } from '../diagnostics/nearest.js';
import type { Span } from '../diagnostics/source.js';
import type { AliasDeclaration, Declaration, Initial, LocationDeclaration } from '../syntax/litmus-ast.js';
import { type DataType, INTEGER_TYPES, parseDataType, showDataType } from './data-type.js';
import { truncate } from './integer.js';
import { baseAddress, LocationTable, type MemoryObject, type StateSpace, type VirtualRange } from './locations.js';
import type { Proxy } from './operation.js';
import type { Placement } from './placement.js';

const LEGACY_PROXIES: readonly Proxy[] = ['generic', 'texture', 'surface', 'constant'];
const WORD: DataType = { kind: 'u', width: 32 };
const LARGEST_LOCATION = 4096;

/** Gathers the memory of a test from its initial state (formats page, 1.2), and locations that are only used. */
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
  ) {
    this.table = new LocationTable(this.ranges, this.objects);
    this.typed = declarations.some((declaration) => declaration.kind === 'location' && declaration.directives.length > 0);
    for (const declaration of declarations) if (declaration.kind === 'location') this.declare(declaration);
    for (const declaration of declarations) if (declaration.kind === 'alias') this.alias(declaration);
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
      this.diagnostics.push(warning('L0202', span, `location ${name} is not declared; it is taken as .global .u32 ${name} = 0`, hint));
    }
    return this.addObject(name, name, 'global', undefined, WORD, 1, [0n]);
  }

  private declare(declaration: LocationDeclaration): void {
    const { name, span } = declaration;
    if (this.table.named(name).length > 0) return this.refuse(span, `location ${name} is declared twice`);
    const read = readDirectives(declaration, (at, message, hint) => this.refuse(at, message, hint));
    if (read === undefined) return;
    if (declaration.aliases !== undefined) return this.addAlias(name, declaration.aliases, undefined, span, read.type);
    const { space, type } = read;
    const elements = declaration.elements ?? (declaration.initial?.kind === 'array' ? declaration.initial.values.length : 1);
    if (elements < 1 || elements * (type.width / 8) > LARGEST_LOCATION) return this.refuse(span, `${name} has ${elements} elements; a location has 1 to ${LARGEST_LOCATION} bytes`);
    const initial = this.initialValues(declaration.initial, elements, type, span);
    if (initial === undefined) return;
    if (space !== 'shared') {
      if (declaration.place !== undefined) this.refuse(span, `only .shared locations are in a CTA; ${name} is .${space}`);
      this.addObject(name, name, space, undefined, type, elements, initial);
      return;
    }
    const ctas = [...new Map(this.placements.map((placement) => [placement.cta, placement])).values()];
    const wanted = declaration.place?.find((level) => level.level === 'cta');
    const gpu = declaration.place?.find((level) => level.level === 'gpu')?.number;
    const chosen = wanted === undefined ? ctas : ctas.filter((placement) => placement.ctaNumber === wanted.number && (gpu === undefined || placement.gpu === gpu));
    if (chosen.length === 0) return this.refuse(span, `no thread of the test is in cta ${wanted?.number}, where ${name} is placed`);
    if (wanted !== undefined && chosen.length > 1) return this.refuse(span, `cta ${wanted.number} exists on several GPUs: write ${name} @ cta ${wanted.number}, gpu N`);
    for (const placement of chosen) {
      const shown =
        chosen.length === 1
          ? name
          : `${name}@cta${placement.ctaNumber}${ctas.some((other) => other.ctaNumber === placement.ctaNumber && other.cta !== placement.cta) ? `gpu${placement.gpu}` : ''}`;
      this.addObject(name, shown, 'shared', placement.cta, type, elements, initial);
    }
  }

  private alias(declaration: AliasDeclaration): void {
    const { name, span, proxy } = declaration;
    if (!LEGACY_PROXIES.includes(proxy as Proxy)) return this.refuse(span, `unknown proxy ${proxy}`, didYouMean(proxy, LEGACY_PROXIES) ?? `expected ${LEGACY_PROXIES.join(', ')}`);
    if (this.table.named(name).length > 0) return this.refuse(span, `location ${name} is declared twice`);
    this.addAlias(name, declaration.aliases, proxy as Proxy, span, undefined);
  }

  /** A generic alias has a virtual address of its own; a view by another proxy shares the address of what it views. */
  private addAlias(name: string, target: string, proxy: Proxy | undefined, span: Span, type: DataType | undefined): void {
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
      this.ranges.push({ name, base: generic ? this.nextBase(range.object.size) : range.base, object: range.object, proxy: generic ? undefined : proxy, elementType });
    }
  }

  private addObject(
    name: string,
    shown: string,
    space: StateSpace,
    cta: string | undefined,
    elementType: DataType,
    elements: number,
    initial: readonly (bigint | undefined)[],
  ): VirtualRange {
    const size = elements * (elementType.width / 8);
    const object: MemoryObject = {
      id: this.objects.length,
      name: shown,
      space,
      cta,
      cluster: this.placements.find((placement) => placement.cta === cta)?.cluster,
      elementType,
      size,
      initial,
    };
    const range: VirtualRange = { name, base: this.nextBase(size), object, proxy: undefined, elementType };
    this.objects.push(object);
    this.ranges.push(range);
    return range;
  }

  private readonly sizes: number[] = [];
  private nextBase(size: number): bigint {
    const base = baseAddress(this.sizes);
    this.sizes.push(size);
    return base;
  }

  private initialValues(initial: Initial | undefined, elements: number, type: DataType, span: Span): readonly (bigint | undefined)[] | undefined {
    const all = (value: bigint | undefined): (bigint | undefined)[] => Array.from({ length: elements }, () => value);
    switch (initial?.kind) {
      case undefined:
        return all(0n);
      case 'unknown':
        return all(undefined);
      case 'number':
        if (!fits(initial.value, type)) return this.refuse(span, `the initial value ${initial.value} does not fit into .${showDataType(type)}`) as undefined;
        return all(truncate(initial.value, type.width));
      case 'array':
        if (initial.values.length > elements) return this.refuse(span, `${initial.values.length} initial values for ${elements} elements`) as undefined;
        return all(0n).map((zero, i) => truncate(initial.values[i] ?? zero ?? 0n, type.width));
      case 'address':
        return all(this.locationOf(initial.name, span)?.base);
      case 'copy': {
        // The Dat3M dialect: a copy of the other location's initial value.
        const source = this.locationOf(initial.name, span);
        return source === undefined ? undefined : all(source.object.initial[0]);
      }
      case 'mbarrier':
        this.diagnostics.push(error('L0106', span, 'mbarrier objects have no meaning here yet', 'a test that needs them cannot be decided by this version'));
        return undefined;
    }
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

function fits(value: bigint, type: DataType): boolean {
  return value < 1n << BigInt(type.width) && value >= -(1n << BigInt(type.width - 1));
}

function readDirectives(
  declaration: LocationDeclaration,
  refuse: (span: Span, message: string, hint?: string) => void,
): { readonly space: StateSpace; readonly type: DataType } | undefined {
  let space: StateSpace = 'global';
  let type = WORD;
  let good = true;
  for (const directive of declaration.directives) {
    const { name } = directive;
    const read = name === 'pred' ? undefined : parseDataType(name);
    if (name === 'global' || name === 'shared') space = name;
    else if (read !== undefined) type = read;
    else if (name === 'align') {
      const alignment = directive.argument ?? 0n;
      if (![1n, 2n, 4n, 8n, 16n, 32n, 64n, 128n, 256n].includes(alignment)) {
        refuse(directive.span, '.align takes a power of two up to 256');
        good = false;
      }
    } else {
      refuse(
        directive.span,
        `unknown directive .${name}`,
        didYouMean(name, ['global', 'shared', 'align', ...INTEGER_TYPES]) ?? 'expected .global or .shared, .align N, and a type such as .u32',
      );
      good = false;
    }
    if (name !== 'align' && directive.argument !== undefined) {
      refuse(directive.span, `.${name} takes no number`);
      good = false;
    }
  }
  return good ? { space, type } : undefined;
}
