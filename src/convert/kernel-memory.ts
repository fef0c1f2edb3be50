import { readDirectives } from '../build/read-directives.js';
import type { LocationTable, VirtualRange } from '../program/locations.js';
import type { Placement } from '../program/placement.js';
import type { ArgumentSyntax } from '../syntax/launch-ast.js';
import type {
  AddressValue,
  Declaration,
  Directive,
  Initial,
  LitmusFile,
  LocationDeclaration,
  VariableSyntax,
} from '../syntax/litmus-ast.js';
import { progressOfLaunches } from './convert-progress.js';
import { Inexpressible } from './written-thread.js';

const NOWHERE = { source: { path: '', text: '' }, start: 0, end: 0 };

/** How a thread of a kernel names a location. */
export type Reached =
  /** By the name of a variable of the module, or of a parameter. */
  | { readonly how: 'name' }
  /** By an address that the launch hands over. */
  | { readonly how: 'argument' }
  /** It is in the CTA of that rank of the own cluster. */
  | { readonly how: 'cluster'; readonly rank: number };

/** The memory of a test as a kernel has it: arguments, parameters, and variables of the module. */
export class KernelMemory {
  private readonly declared: ReadonlyMap<string, LocationDeclaration>;
  private readonly descriptors: ReadonlySet<string>;

  constructor(
    private readonly file: LitmusFile,
    private readonly locations: LocationTable,
    private readonly placements: readonly Placement[],
  ) {
    this.declared = new Map(
      file.declarations.flatMap((one) => (one.kind === 'location' ? [[one.name, one] as const] : [])),
    );
    this.descriptors = new Set(file.declarations.flatMap((one) => (one.kind === 'descriptor' ? [one.name] : [])));
  }

  isLocation(name: string): boolean {
    return this.locations.named(name).length > 0;
  }

  isDescriptor(name: string): boolean {
    return this.descriptors.has(name);
  }

  /** The location that a thread means by a name. */
  rangeOf(name: string, placement: Placement): VirtualRange {
    const range = this.locations.resolve(name, placement);
    if (range === undefined)
      throw new Inexpressible(`${name}, which is in several CTAs, and not in that of the thread`);
    return range;
  }

  reached(name: string, placement: Placement): Reached {
    const { object, proxy } = this.rangeOf(name, placement);
    if (proxy !== undefined) throw new Inexpressible(`${name}, a view by the ${proxy} proxy`);
    if (object.space === 'global') return { how: 'argument' };
    if (this.declared.get(name)?.aliases !== undefined)
      throw new Inexpressible(
        `${name}: a variable of a module has one address, and this is another one of the same bytes`,
      );
    if (object.cta === undefined || object.cta === placement.cta) return { how: 'name' };
    const owner = this.placements.find(({ cta }) => cta === object.cta);
    if (owner === undefined || owner.cluster !== placement.cluster)
      throw new Inexpressible(`${name}: no address of the shared memory of another cluster`);
    return { how: 'cluster', rank: owner.rank };
  }

  /** Parameters that the test declares, of those that a kernel names. */
  parameters(isNamed: (name: string) => boolean): readonly LocationDeclaration[] {
    return [...this.declared.values()].filter((one) => spaceOf(one) === 'param' && isNamed(one.name));
  }

  /** Variables of the test in local memory, of those that a kernel names. */
  locals(isNamed: (name: string) => boolean): readonly LocationDeclaration[] {
    return [...this.declared.values()].filter((one) => spaceOf(one) === 'local' && isNamed(one.name));
  }

  /** The variables of the module: what is in shared and constant memory, which has a name in PTX. */
  variables(): readonly string[] {
    return [...this.declared.values()].flatMap((one) => {
      const space = spaceOf(one);
      if (one.aliases !== undefined || (space !== 'shared' && space !== 'const')) return [];
      const initial = space === 'const' ? one.initial : undefined;
      return [`${variableText(one)}${initialText(initial)};`];
    });
  }

  /** What of the initial state stays in the test, beside the launches. */
  declarations(isHost: (thread: string) => boolean): readonly Declaration[] {
    const implicit = this.locations.ranges
      .map(({ name }) => name)
      .filter((name) => name !== '' && !this.declared.has(name) && !this.isAlias(name))
      .filter((name) => this.locations.named(name).every(({ object }) => object.space === 'global'));
    const taken = this.file.declarations.flatMap((one): readonly Declaration[] => {
      if (one.kind === 'grid-order' || one.kind === 'variable-alias') return [];
      if (one.kind === 'forward-progress') return [progressOfLaunches(one, this.placements)];
      if (one.kind === 'register') return isHost(one.thread) ? [one] : [];
      if (one.kind !== 'location') return [one];
      const space = spaceOf(one);
      if (space === 'param') return isMap(one) ? [asArgument(one)] : [];
      if (space === 'local') return [];
      const { place: _, ...everywhere } = one;
      return [space === 'shared' ? everywhere : one];
    });
    return [...new Set(implicit)]
      .map((name): Declaration => ({ kind: 'location', name, span: NOWHERE, directives: [] }))
      .concat(taken);
  }

  private isAlias(name: string): boolean {
    return this.file.declarations.some((one) => one.kind === 'alias' && one.name === name);
  }
}

export function spaceOf(one: LocationDeclaration): string {
  return readDirectives(one, () => undefined)?.space ?? 'global';
}

/** `.shared .align 8 .b64 bar[2]`: a variable as a module declares it. */
export function variableText(one: Omit<VariableSyntax, 'kind'>): string {
  const { space, type } = readDirectives({ ...one, kind: 'location' }, () => undefined) ?? { space: 'global' };
  const align = one.directives.find(({ name }) => name === 'align');
  const word = typeWord(one.directives) ?? (type === undefined ? 'b32' : `${type.kind}${type.width}`);
  const values = one.initial?.kind === 'array' ? one.initial.values.length : undefined;
  const count = one.elements ?? values;
  const size = count === undefined ? '' : `[${count}]`;
  return `.${space} ${align === undefined ? '' : `.align ${align.argument} `}.${word} ${one.name}${size}`;
}

const typeWord = (directives: readonly Directive[]): string | undefined =>
  directives.map(({ name }) => name).find((name) => /^[usbf]\d+(x2)?$/.test(name));

/** What a module says of the initial value; what it cannot say is in the test alone. */
export function initialText(initial: Initial | undefined): string {
  const text = (value: bigint | number): string => (typeof value === 'bigint' ? `${value}` : floatText(value));
  if (initial?.kind === 'number') return ` = ${text(initial.value)}`;
  const numbers = initial?.kind === 'array' ? initial.values.filter((value) => typeof value !== 'object') : [];
  return initial?.kind === 'array' && numbers.length === initial.values.length
    ? ` = {${numbers.map(text).join(', ')}}`
    : '';
}

const floatText = (value: number): string => (Number.isInteger(value) ? value.toFixed(1) : `${value}`);

const isMap = ({ initial }: LocationDeclaration): boolean =>
  initial?.kind === 'tensormap' || initial?.kind === 'tensor-shape';

const mapName = (name: string): string => `${name}_map`;

/** A tensor map that is a parameter, as a location whose contents the launch hands over. */
function asArgument(one: LocationDeclaration): LocationDeclaration {
  const directives = one.directives.map((word) => (word.name === 'param' ? { ...word, name: 'global' } : word));
  return { ...one, name: mapName(one.name), directives };
}

/** What a launch hands over for a parameter that the test declares. */
export function argumentOf(one: LocationDeclaration): ArgumentSyntax {
  const { initial, elements, name } = one;
  const type = readDirectives(one, () => undefined)?.type ?? { kind: 'u', width: 32 };
  const word = `${type.kind === 'f' ? 'f' : 'u'}${type.width}`;
  const number = (value: bigint | number): ArgumentSyntax => ({
    kind: 'number',
    value: typeof value === 'bigint' ? BigInt.asUintN(type.width, value) : value,
    type: typeof value === 'number' ? `f${type.width}` : word,
    span: NOWHERE,
  });
  const place = ({ name: of, offset, mask }: AddressValue): ArgumentSyntax => {
    if (mask !== undefined) throw new Inexpressible(`${name}: a parameter that begins as a part of an address`);
    return { kind: 'location', name: of, offset, span: NOWHERE };
  };
  const all = (value: ArgumentSyntax): ArgumentSyntax =>
    elements === undefined
      ? value
      : { kind: 'fields', fields: Array.from({ length: elements }, () => value), span: NOWHERE };
  if (isMap(one)) return place({ name: mapName(name), offset: 0n });
  switch (initial?.kind) {
    case undefined:
      return all(number(type.kind === 'f' ? 0 : 0n));
    case 'number':
      return all(number(initial.value));
    case 'array': {
      const values = Array.from({ length: elements ?? initial.values.length }, (_, i) => initial.values[i] ?? 0n);
      return {
        kind: 'fields',
        fields: values.map((value) => (typeof value === 'object' ? place(value) : number(value))),
        span: NOWHERE,
      };
    }
    case 'unknown':
      return { kind: 'unknown', span: NOWHERE };
    case 'address':
      return all(place(initial));
    case 'copy':
      return all(place({ name: initial.name, offset: 0n }));
    default:
      throw new Inexpressible(`${name}: a parameter that begins as such an object`);
  }
}
