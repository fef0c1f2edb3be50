import { writtenRegisters } from '../build/build-registers.js';
import { flattenBody } from '../build/flatten-body.js';
import type { Span } from '../diagnostics/source.js';
import type { FlatStatement } from '../isa/decode-thread.js';
import type { LocationTable, MemoryObject } from '../program/locations.js';
import type { LitmusFile, OperandSyntax } from '../syntax/litmus-ast.js';

/** Memory that may change while a test runs: no initial value of it is known. */
export class WrittenMemory {
  /** By their declarations: the same memory is another object for each reader of the test. */
  private readonly names = new Set<string>();
  /** Tensor maps through which something is written. */
  private readonly maps = new Set<string>();
  private isAny = false;

  /** Anything may. */
  addAll(): void {
    this.isAny = true;
  }

  add(name: string): void {
    this.names.add(name);
  }

  /** What a tensor map describes is written: if the map may change, that may be anything. */
  addMap(name: string): void {
    this.maps.add(name);
  }

  has(locations: LocationTable, object: MemoryObject): boolean {
    if (object.space === 'param' || object.space === 'const') return false;
    return this.isAny || this.names.has(locations.nameOf(object)) || [...this.maps].some((map) => this.names.has(map));
  }
}

/** Adds what the threads may write that a test writes out, by their text alone; `aliases`: names of modules. */
export function addWrittenOut(
  written: WrittenMemory,
  file: LitmusFile,
  locations: LocationTable,
  aliases: ReadonlyMap<string, string>,
): void {
  const statements = file.threads.flatMap((thread) => flattenBody(thread, file.functions).statements);
  if (usesAddressesOfMemory(statements)) written.addAll();
  const registers = file.declarations.filter(({ kind }) => kind === 'register');
  const objects = new Set(
    [...statements, ...registers]
      .flatMap(wordsOf)
      .flatMap((word) => locations.named(aliases.get(word) ?? word).map(({ object }) => object)),
  );
  for (const object of objects) {
    written.add(locations.nameOf(object));
    for (const { tensor } of object.tensors) {
      written.add(locations.nameOf(tensor.target.object));
      written.addMap(locations.nameOf(object));
    }
  }
}

/** The words of a part of a test: locations among them may be written there. */
const wordsOf = ({ span: { source, start, end } }: { readonly span: Span }): readonly string[] =>
  source.text.slice(start, end).match(/[\w$]+/g) ?? [];

/** Whether some address may be computed from what was in memory: then no name of it stands in the text. */
function usesAddressesOfMemory(statements: readonly FlatStatement[]): boolean {
  const loaded = new Set<string>();
  const isLoaded = (operand: OperandSyntax): boolean =>
    isMemory(operand) || registersOf(operand).some((name) => loaded.has(name));
  for (let size = -1; size !== loaded.size; ) {
    size = loaded.size;
    for (const one of statements) {
      if (one.kind !== 'instruction' && one.kind !== 'copy') continue;
      const given = one.kind === 'instruction' ? one.operands.flatMap(partsOf) : [one.source];
      if (given.some((operand) => operand === undefined || isLoaded(operand)))
        for (const name of writtenRegisters({ statements: [one] })) loaded.add(name);
    }
  }
  return statements.some(
    (one) =>
      one.kind === 'instruction' &&
      one.operands.some((operand) => isMemory(operand) && registersOf(operand).some((name) => loaded.has(name))),
  );
}

const isMemory = ({ kind }: OperandSyntax): boolean => kind === 'address' || kind === 'tensor';

function partsOf(operand: OperandSyntax): readonly OperandSyntax[] {
  return operand.kind === 'vector' || operand.kind === 'list' ? operand.elements.flatMap(partsOf) : [operand];
}

function registersOf(operand: OperandSyntax): readonly string[] {
  switch (operand.kind) {
    case 'name':
    case 'negated':
    case 'selected':
      return [operand.name];
    case 'pair':
      return [operand.first, operand.second].filter((name) => name !== undefined);
    case 'address':
    case 'tensor':
      return typeof operand.base === 'string' ? [operand.base] : [];
    default:
      return [];
  }
}
