import type { DataType } from '../program/data-type.js';
import { initialValue, type VirtualRange } from '../program/locations.js';
import { type AccessQualifiers, type Address, constant, type Proxy, register } from '../program/operation.js';
import { SCOPES } from '../program/placement.js';
import type { OperandSyntax } from '../syntax/litmus-ast.js';
import {
  access,
  checkAccess,
  type Given,
  STRONG,
  STRONG_HAS_SCOPE,
  VECTORS,
  vectorElements,
  WEAK_HAS_NO_SCOPE,
  withoutBraces,
} from './access.js';
import { cellAt, decodeCellAccess } from './decode-parameters.js';
import { FERMI, type Instruction, instruction, SHARED, type Since } from './instruction.js';
import { type InstructionDecoder, windowOf } from './instruction-decoder.js';
import type { Rule } from './qualifier-rules.js';
import { B64, each, value } from './typed-operands.js';
import { emitLoad } from './used-bytes.js';

/** ld, ldu and st (PTX ISA, ld, st), and the words that Dat3M and nvlitmus have for the legacy proxies. */
const VOLATILE_ALONE: Rule = {
  rule: '.volatile takes no scope and no .mmio: it is a relaxed access at system scope (8.4.2)',
  broken: (q) => q.order === 'volatile' && (q.scope !== undefined || q.mmio !== undefined),
  always: true,
};
const MMIO_FORM: Rule = {
  rule: '.mmio is only .mmio.relaxed.sys, .mmio.acquire.sys (loads) or .mmio.release.sys (stores)',
  broken: (q) => q.mmio !== undefined && (q.scope !== 'sys' || !STRONG.includes(q.order ?? '')),
  always: true,
};
const MMIO_SPACE: Rule = {
  rule: '.mmio is for .global memory only, and takes no vector',
  broken: (q) => q.mmio !== undefined && ((q.space !== undefined && q.space !== 'global') || q.vector !== undefined),
  always: true,
};

/** Memory of one thread, and what nobody writes while a grid runs, knows weak accesses only. */
const PRIVATE_SPACES: Rule = {
  rule: (q) => `.${q.space} memory takes weak accesses only${q.space === 'local' ? ', also .volatile' : ''}`,
  broken: (q) =>
    (/^(const|param)/.test(q.space ?? '') && q.order !== undefined && q.order !== 'weak') ||
    (q.space === 'local' && STRONG.includes(q.order ?? '')),
  always: true,
};
const READ_ONLY_PATH: Rule = {
  rule: (q) =>
    q.readOnly === 'nc'
      ? '.nc goes with .global, and with neither an order nor .mmio'
      : '.proxy::readonly goes with .global or a generic address, and with neither an order nor .mmio',
  broken: (q) =>
    q.readOnly !== undefined &&
    (q.order !== undefined ||
      q.mmio !== undefined ||
      (q.space !== 'global' && (q.readOnly === 'nc' || q.space !== undefined))),
  always: true,
};

export function decodeLoad(at: InstructionDecoder, qualifiers: Given, proxy: Proxy): void {
  const [target, source] = at.operands;
  if (
    qualifiers.type === undefined &&
    (source?.kind === 'number' ||
      (source?.kind === 'name' && at.decoder.thread.registers.has(source.name) && !at.decoder.isLocation(source.name)))
  ) {
    return decodeRegisterMove(at);
  }
  if (target === undefined) return;
  const elements = elementsOf(at, target, qualifiers);
  const cell = cellAt(at, source);
  if (cell !== undefined && elements !== undefined) return decodeCellAccess(at, cell, qualifiers.type, elements);
  const found = at.address(source, windowOf(qualifiers.space));
  if (found === undefined) return;
  const type = at.type(qualifiers.type, found.range);
  const accessed = elements && checkAccess(at, qualifiers, proxy, found, type, elements.length);
  if (elements === undefined || accessed === undefined) return;
  const rest = {
    address: accessed.address,
    ...access(qualifiers, qualifiers.readOnly === undefined ? proxy : 'readonly'),
  };
  if (found.range?.object.space === 'param' && loadParameter(at, found.range, found.address.offset, type, elements))
    return;
  if (type.width === 128 && rest.order === 'weak') return loadHalves(at, withoutBraces(target), rest);
  const untyped = qualifiers.type === undefined;
  const targets = elements.map((element) =>
    at.target(element, type, { widerAllowed: true, untyped, sink: elements.length > 1 }),
  );
  emitLoad(at, { kind: 'load', type, targets, ...rest });
}

function elementsOf(
  at: InstructionDecoder,
  operand: OperandSyntax,
  { vector }: Given,
): readonly OperandSyntax[] | undefined {
  const mayHaveBraces = vector === undefined && !at.mnemonic.startsWith('multimem');
  return vectorElements(at, mayHaveBraces ? withoutBraces(operand) : operand, vector);
}

/** A parameter of the kernel whose value the test gives is that value; whether it is (PTX ISA, Kernel Parameters). */
function loadParameter(
  at: InstructionDecoder,
  { object }: VirtualRange,
  offset: bigint,
  type: DataType,
  elements: readonly OperandSyntax[],
): boolean {
  const bytes = type.width / 8;
  const values = elements.map((_, i) => initialValue(object, Number(offset) + i * bytes, bytes));
  if (values.includes(undefined)) {
    const { given } = object;
    if (given === undefined || Number(offset) < given) return false;
    // Padding is not loaded by itself: a field is missing.
    at.refuse(
      undefined,
      `the launch gives ${given} bytes of this parameter, and this loads what is behind them`,
      FIELDS,
    );
    return true;
  }
  elements.forEach((element, i) => {
    const target = at.target(element, type, { widerAllowed: true, sink: elements.length > 1 });
    if (target !== undefined) at.result(target, type, constant(values[i] ?? 0n));
  });
  return true;
}

const FIELDS = 'give the field that is there, or a last ? for all that is left';

type Rest = AccessQualifiers & { readonly address: Address };
const WHOLE: DataType = { kind: 'b', width: 128 };

/**
 * A weak access of 128 bits is two scalar ones of 64 bits in unspecified order (PTX ISA 8.2.4); a strong one is whole,
 * as an atomic is (docs/decisions/128-bit-accesses.md).
 */
function loadHalves(at: InstructionDecoder, target: OperandSyntax, rest: Rest): void {
  const whole = at.target(target, WHOLE);
  if (whole === undefined) return;
  const halves = [at.temporary(B64), at.temporary(B64)];
  emitLoad(at, { kind: 'load', type: B64, targets: halves, ...rest });
  at.result(whole, WHOLE, at.of(64).concatenate(halves.map(register)));
}

function storeHalves(at: InstructionDecoder, source: OperandSyntax, rest: Rest): void {
  const whole = at.value(source, WHOLE);
  if (whole !== undefined) at.emit({ kind: 'store', type: B64, values: at.of(64).elements(whole, 2), ...rest });
}

/** `ld r0, 1`: a move, in the Dat3M dialect. */
function decodeRegisterMove(at: InstructionDecoder): void {
  if (at.qualifiers.length > 0)
    return void at.refuse(
      undefined,
      'a load needs an address such as [x]; without one, ld takes no qualifiers and is a move',
    );
  const type = at.type(undefined);
  const target = at.target(at.operands[0], type, { untyped: true });
  const value = at.value(at.operands[1], type, { untyped: true });
  if (target !== undefined && value !== undefined) at.result(target, type, value);
}

export function decodeStore(at: InstructionDecoder, qualifiers: Given, proxy: Proxy): void {
  const [target, source] = at.operands;
  if (source === undefined) return;
  const elements = elementsOf(at, source, qualifiers);
  const cell = cellAt(at, target);
  if (cell !== undefined && elements !== undefined) return decodeCellAccess(at, cell, qualifiers.type, elements);
  const found = at.address(target, windowOf(qualifiers.space));
  if (found === undefined) return;
  const type = at.type(qualifiers.type, found.range);
  const accessed = elements && checkAccess(at, qualifiers, proxy, found, type, elements.length);
  if (elements === undefined || accessed === undefined) return;
  const rest = { address: accessed.address, ...access(qualifiers, proxy) };
  if (type.width === 128 && rest.order === 'weak') return storeHalves(at, withoutBraces(source), rest);
  const values = each(at, elements, value(type, { widerAllowed: true, untyped: qualifiers.type === undefined }));
  if (values !== undefined) at.emit({ kind: 'store', type, values, ...rest });
}

const SCALARS = [
  ...(['b8', 'b16', 'b32', 'b64', 'u8', 'u16', 'u32', 'u64', 's8', 's16', 's32', 's64'] as const),
  ...(['f32', 'f64', 'b128'] as const),
] as const;
const RULES = [
  WEAK_HAS_NO_SCOPE,
  VOLATILE_ALONE,
  STRONG_HAS_SCOPE,
  MMIO_FORM,
  MMIO_SPACE,
  PRIVATE_SPACES,
  READ_ONLY_PATH,
];
/** What loads and stores have in common. */
const ACCESS = {
  defaults: { order: 'weak' },
  rules: RULES,
  cacheHints: true,
  untyped: true,
  advised: 'access',
} as const;
const CANNOT_RELEASE = 'a load can acquire, it cannot release';
const CANNOT_ACQUIRE = 'a store can release, it cannot acquire';

const load = (proxy: Proxy, since: Since | 'dialect'): Instruction =>
  instruction({
    ...ACCESS,
    slots: {
      order: ['weak', 'relaxed', 'acquire', 'volatile'],
      mmio: ['mmio'],
      scope: SCOPES,
      space: ['global', ...SHARED, 'const', 'local', 'param', 'param::entry', 'param::func'],
      readOnly: ['nc', 'proxy::readonly'],
      unified: ['unified'],
      cache: ['ca', 'cg', 'cs', 'lu', 'cv'],
      vector: VECTORS,
      type: SCALARS,
    },
    operands: 'd, [a]',
    destination: true,
    refused: {
      release: CANNOT_RELEASE,
      acq_rel: CANNOT_RELEASE,
      sc: 'PTX has fence.sc; an access is at most .acquire',
    },
    since,
    decode: (at, qualifiers) => decodeLoad(at, qualifiers, proxy),
  });

const store = (proxy: Proxy, since: Since | 'dialect'): Instruction =>
  instruction({
    ...ACCESS,
    slots: {
      order: ['weak', 'relaxed', 'release', 'volatile'],
      mmio: ['mmio'],
      scope: SCOPES,
      space: ['global', ...SHARED, 'local', 'param', 'param::func'],
      cache: ['wb', 'cg', 'cs', 'wt'],
      vector: VECTORS,
      type: SCALARS,
    },
    operands: '[a], b',
    refused: {
      acquire: CANNOT_ACQUIRE,
      acq_rel: CANNOT_ACQUIRE,
      sc: 'PTX has fence.sc; an access is at most .release',
      const: 'constant memory is written by the host only',
      'param::entry': 'the parameters of a kernel are read only',
    },
    since,
    decode: (at, qualifiers) => decodeStore(at, qualifiers, proxy),
  });

export const LOAD_STORE_INSTRUCTIONS = {
  ld: load('generic', {
    ptx: '1.0; .relaxed, .acquire 6.0; .mmio 8.2; .mmio.acquire 9.3; .proxy::readonly 9.4',
    target: 'sm_10; .relaxed, .acquire sm_70',
  }),
  st: store('generic', {
    ptx: '1.0; .relaxed, .release 6.0; .mmio 8.2; .mmio.release 9.3',
    target: 'sm_10; .relaxed, .release sm_70',
  }),
} as const satisfies Record<string, Instruction>;

export const UNIFORM_LOAD_INSTRUCTIONS = {
  /** A load through the read-only path, whose address is the same for all lanes (PTX ISA, ldu). */
  ldu: instruction({
    defaults: { order: 'weak', readOnly: 'ldu' },
    slots: { order: ['weak'], readOnly: ['ldu'], space: ['global'], vector: ['v2', 'v4'], type: SCALARS },
    required: ['type'],
    operands: 'd, [a]',
    destination: true,
    since: FERMI,
    decode: (at, qualifiers) => decodeLoad(at, qualifiers, 'generic'),
  }),
} as const satisfies Record<string, Instruction>;

export const LEGACY_ACCESS_INSTRUCTIONS = {
  tld: load('texture', 'dialect'),
  suld: load('surface', 'dialect'),
  cold: load('constant', 'dialect'),
  ldc: load('constant', 'dialect'),
  sust: store('surface', 'dialect'),
} as const satisfies Record<string, Instruction>;
