import { type DecodedThread, Decoder } from '../isa/decoder.js';
import { countsRegisters } from '../isa/register-count.js';
import { wgmmaRegisters } from '../isa/wgmma.js';
import { declaredRegisters, writtenRegisters } from './build-registers.js';
import type { GridOrders } from './grid-orders.js';
import type { PlacedBody, TestMemory } from './test-memory.js';

/** What is known of a thread beside its place, its body and its memory. */
interface Known {
  /** The values of predefined registers. */
  readonly specialRegisters: ReadonlyMap<string, bigint>;
  /** Registers that neither its declarations nor its instructions set. */
  readonly set: Iterable<string>;
  readonly isDat3m?: boolean;
  readonly isLaunched?: boolean;
  readonly ofAll?: DecodedThread['ofAll'];
}

/** What decodes a body, and the registers that the body declares. */
export function decoderOf(
  { placement, body }: PlacedBody,
  { memory, tensorMemory }: TestMemory,
  orders: GridOrders,
  { set, isDat3m = false, specialRegisters, isLaunched = false, ofAll }: Known,
): { readonly decoder: Decoder; readonly declared: ReturnType<typeof declaredRegisters> } {
  const declared = declaredRegisters(body);
  const decoder = new Decoder({
    placement,
    ofAll,
    isLaunched,
    locations: memory.locations,
    registers: new Set([...declared.types.keys(), ...set, ...writtenRegisters(body), ...body.cells.keys()]),
    predicates: new Set([...declared.types].filter(([, type]) => type.kind === 'pred').map(([name]) => name)),
    specialRegisters,
    implicitLocation: (name, span) => memory.implicit(name, span),
    isDat3m,
    cells: body.cells,
    prerequisites: orders.prerequisites(placement.grid),
    fragments: wgmmaRegisters(body.statements),
    countsRegisters: countsRegisters(body.statements),
    descriptors: memory.descriptors,
    tensorMemory,
  });
  return { decoder, declared };
}
