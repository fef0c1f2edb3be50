import { type Diagnostic, error } from '../diagnostics/diagnostic.js';
import { DESCRIPTOR_BYTES } from '../program/async-operation.js';
import { type DataType, parseDataType, showDataType, typeIn } from '../program/data-type.js';
import { bitsOfNumber } from '../program/float-format.js';
import type { ArgumentSyntax } from '../syntax/launch-ast.js';
import type { Declaration, LocationDeclaration, RecordInitial, VariableSyntax } from '../syntax/litmus-ast.js';
import { isOpaque } from './module-memory.js';
import type { Launch } from './resolve-launches.js';

const ADDRESS_BYTES = 8;
type Field = RecordInitial['fields'][number];

/**
 * The parameters of a launched kernel as locations in `.param` memory, with what the launch gives for them; number and
 * sizes are checked against the kernel.
 */
export function parameterDeclarations(
  { syntax, entry }: Launch,
  nameOf: (parameter: string) => string,
  maps: ReadonlySet<string>,
  descriptors: ReadonlySet<string>,
): { readonly declarations: readonly LocationDeclaration[]; readonly diagnostics: readonly Diagnostic[] } {
  const diagnostics: Diagnostic[] = [];
  const { parameters } = entry;
  const given = syntax.arguments;
  if (given.length !== parameters.length)
    diagnostics.push(
      error(
        'L0210',
        syntax.span,
        `${entry.name} takes ${counted(parameters.length, 'parameter')}, and the launch gives ${given.length}`,
        parameters.length === 0 ? undefined : `of the types ${parameters.map(described).join(', ')}`,
      ),
    );
  const declarations = parameters.flatMap((parameter, index): readonly LocationDeclaration[] => {
    const argument = given[index];
    if (argument === undefined) return [];
    const type = typeOf(parameter);
    const bytes = (parameter.elements ?? 1) * (type.width / 8);
    const reader = new ArgumentReader(parameter, index, diagnostics, maps, descriptors);
    const fields = parameter.elements === undefined ? reader.scalar(argument, type) : reader.record(argument, bytes);
    const align = parameter.directives.find(({ name }) => name === 'align');
    const { span } = argument;
    return [
      {
        kind: 'location',
        name: nameOf(parameter.name),
        span,
        directives: [{ name: 'param', span }, ...(align === undefined ? [] : [align]), { name: 'b8', span }],
        elements: bytes,
        initial: { kind: 'record', fields, ...(reader.end < bytes && { end: reader.end }) },
      },
    ];
  });
  return { declarations, diagnostics };
}

const counted = (count: number, what: string): string =>
  `${count === 0 ? 'no' : count} ${what}${count === 1 ? '' : 's'}`;

/** What stands for a texture, sampler or surface has 64 bits. */
const typeOf = ({ directives }: VariableSyntax): DataType =>
  typeIn(directives) ?? { kind: 'b', width: directives.some(isOpaque) ? 64 : 32 };

const described = (parameter: VariableSyntax): string =>
  `.${showDataType(typeOf(parameter))}${parameter.elements === undefined ? '' : `[${parameter.elements}]`}`;

/** The names of tensor maps that a test declares. */
export const tensorMaps = (declarations: readonly Declaration[]): ReadonlySet<string> =>
  new Set(
    declarations.flatMap((one) =>
      one.kind === 'location' && (one.initial?.kind === 'tensor-shape' || one.initial?.kind === 'tensormap')
        ? [one.name]
        : [],
    ),
  );

class ArgumentReader {
  constructor(
    private readonly parameter: VariableSyntax,
    private readonly index: number,
    private readonly diagnostics: Diagnostic[],
    private readonly maps: ReadonlySet<string>,
    private readonly descriptors: ReadonlySet<string>,
  ) {}

  private refuse({ span }: ArgumentSyntax, message: string, hint?: string): readonly Field[] {
    const which = `parameter ${this.index} (${described(this.parameter)})`;
    this.diagnostics.push(error('L0210', span, `${which}: ${message}`, hint));
    return [];
  }

  /** What 64 bits that a name stands for are: the address of a location, or a matrix descriptor. */
  private place64(argument: Extract<ArgumentSyntax, { kind: 'location' }>): Field['value'] {
    return { ...argument, kind: this.descriptors.has(argument.name) ? 'descriptor' : 'address' };
  }

  /** A parameter of one number or address. */
  scalar(argument: ArgumentSyntax, type: DataType): readonly Field[] {
    const bytes = type.width / 8;
    switch (argument.kind) {
      case 'unknown':
        return [];
      case 'varied':
        throw new Error('a launch with ranges is none that is planned');
      case 'fields':
        return this.refuse(argument, 'it is one value, and { … } is a structure', 'leave out the braces');
      case 'location':
        if (bytes !== ADDRESS_BYTES)
          return this.refuse(argument, `it has ${bytes} bytes, and an address has ${ADDRESS_BYTES}`);
        return [{ at: 0, bytes, value: this.place64(argument) }];
      case 'number':
        return this.number(argument, type.kind === 'f' ? type : { kind: 'b', width: type.width }, 0);
    }
  }

  private number(argument: Extract<ArgumentSyntax, { kind: 'number' }>, type: DataType, at: number): readonly Field[] {
    const { value, type: written } = argument;
    const own = written === undefined ? undefined : parseDataType(written);
    const isFloat = typeof value === 'number' || own?.kind === 'f';
    const width = own?.width ?? type.width;
    if (width > type.width) return this.refuse(argument, `a .${written} does not fit into ${type.width / 8} bytes`);
    if (own !== undefined && width < type.width)
      return this.refuse(argument, `it has ${type.width / 8} bytes, and a .${written} has ${width / 8}`);
    if (type.kind === 'f' && !isFloat)
      return this.refuse(argument, `${value} is an integer`, `write f${type.width} ${value}.0`);
    if (isFloat) {
      if (width !== 32 && width !== 64) return this.refuse(argument, `${value} is no integer`);
      return [field(at, width, bitsOfNumber(Number(value), width))];
    }
    const bits = BigInt(value);
    if (bits >= 1n << BigInt(width) || bits < -(1n << BigInt(width - 1)))
      return this.refuse(argument, `${value} does not fit into ${width / 8} bytes`);
    return [field(at, width, BigInt.asUintN(width, bits))];
  }

  /** How many bytes of a structure are given, if the rest is padding. */
  end = Number.POSITIVE_INFINITY;

  /** In bytes: of the parameter, as the module declares it. */
  private get alignment(): number {
    return Number(this.parameter.directives.find(({ name }) => name === 'align')?.argument ?? 1n);
  }

  /** A parameter that is an array of bytes: a structure, or a tensor map; what a last `?` fills may be anything. */
  record(argument: ArgumentSyntax, bytes: number): readonly Field[] {
    if (argument.kind === 'unknown') return [];
    const isMap = argument.kind === 'location' && this.maps.has(argument.name);
    if (argument.kind !== 'fields' && !isMap)
      return this.refuse(
        argument,
        `it has ${bytes} bytes`,
        bytes === DESCRIPTOR_BYTES
          ? 'give a tensor map, declared as map = tensormap(…), or the fields of a structure in braces'
          : 'give the fields of the structure in braces, as in { &x, u32 4 }',
      );
    const fields: Field[] = [];
    const given = argument.kind === 'fields' ? argument.fields : [argument];
    const { end, alignment } = this.place(given, 0, fields);
    if (end > bytes) return this.refuse(argument, `it has ${bytes} bytes, and these fields need ${end}`);
    if (given.at(-1)?.kind !== 'unknown') this.end = end;
    const isFilled = given.at(-1)?.kind === 'unknown' || aligned(end, Math.max(alignment, this.alignment)) >= bytes;
    const what = given.length === 0 ? 'no field is given' : `these fields have ${end}`;
    return isFilled ? fields : this.refuse(argument, `it has ${bytes} bytes, and ${what}`, REST);
  }

  /** Fields in order, each aligned to its size; a structure to the largest of its own. */
  private place(
    given: readonly ArgumentSyntax[],
    from: number,
    fields: Field[],
  ): { readonly end: number; readonly alignment: number } {
    let at = from;
    let alignment = 1;
    for (const one of given) {
      const isMap = one.kind === 'location' && this.maps.has(one.name);
      if (one.kind === 'fields') {
        const own = this.place(one.fields, 0, []).alignment;
        const start = aligned(at, own);
        at = aligned(this.place(one.fields, start, fields).end, own);
        alignment = Math.max(alignment, own);
        continue;
      }
      const size = isMap ? DESCRIPTOR_BYTES : one.kind === 'location' ? ADDRESS_BYTES : sizeOf(one);
      const own = isMap ? 64 : size;
      at = aligned(at, own);
      if (one.kind === 'number') fields.push(...this.number(one, { kind: 'b', width: 8 * size }, at));
      else if (one.kind === 'location')
        fields.push({ at, bytes: size, value: isMap ? { ...one, kind: 'map' } : this.place64(one) });
      alignment = Math.max(alignment, own);
      at += size;
    }
    return { end: at, alignment };
  }
}

/** What fills a structure. */
const REST = 'give the fields up to its end, or a last ? for all that is left';

const aligned = (at: number, alignment: number): number => Math.ceil(at / alignment) * alignment;
const field = (at: number, width: number, value: bigint): Field => ({
  at,
  bytes: width / 8,
  value: { kind: 'number', value },
});

/** Without a type a field has 32 bits. */
const sizeOf = (argument: ArgumentSyntax): number =>
  argument.kind === 'number' && argument.type !== undefined ? (parseDataType(argument.type)?.width ?? 32) / 8 : 4;
