import {
  type Compiled,
  type Compiler,
  type Family,
  isSigned,
  NEXT,
  operandAt,
  partsOf,
  type Run,
  typeOf,
} from './compile.js';
import type { Way, What } from './detector.js';
import { floatOperation } from './floats.js';
import { byHalves, integer, type Operation } from './integers.js';
import { Unsupported } from './launch.js';
import type { Machine } from './machine.js';
import { CLUSTER, CONST, GENERIC, GLOBAL, LOCAL, PARAM, type Segment, SHARED, type Space } from './memory.js';
import { type Instruction, widthOf } from './module.js';
import type { Operand } from './operands.js';
import { CLUSTER_SCOPE, CTA, GPU, type Scope, SYS, type Thread, WEAK } from './threads.js';
import { kept, low, read, type Value } from './values.js';

/** Loads, stores and atomics (PTX ISA 9.7.10, 9.7.15). */
const SPACES: Readonly<Record<string, Space>> = {
  global: GLOBAL,
  shared: SHARED,
  'shared::cta': SHARED,
  'shared::cluster': CLUSTER,
  const: CONST,
  local: LOCAL,
  param: PARAM,
  'param::entry': PARAM,
};
const SCOPES: Readonly<Record<string, Scope>> = { cta: CTA, cluster: CLUSTER_SCOPE, gpu: GPU, gl: GPU, sys: SYS };

export function spaceOf(words: readonly string[]): Space {
  for (const word of words) if (word in SPACES) return SPACES[word]!;
  return GENERIC;
}

export function scopeOf(words: readonly string[], otherwise: Scope): Scope {
  for (const word of words) if (word in SCOPES) return SCOPES[word]!;
  return otherwise;
}

/** Qualifiers that change nothing here. */
const HINT = /^(ca|cg|cs|lu|cv|wb|wt|L[12]::\w+(::\w+)?|level::\w+|unified)$/;
const MEANT = /^(ld|st|atom|red|weak|relaxed|acquire|release|acq_rel|volatile|mmio|nc|v[248]|noftz)$/;

interface Form {
  readonly space: Space;
  readonly scope: Scope;
  readonly isAcquire: boolean;
  readonly isRelease: boolean;
  readonly type: string;
  /** In bytes, of one element. */
  readonly size: number;
  readonly way: Way;
  /** What an atomic does. */
  readonly operation: string;
}

function formOf(at: Instruction): Form {
  const { words } = at;
  const type = typeOf(at);
  const isAtomic = words[0] === 'atom' || words[0] === 'red';
  const isStrong = words.some((word) => /^(relaxed|acquire|release|acq_rel)$/.test(word)) || isAtomic;
  const isVolatile = words.includes('volatile') || words.includes('mmio');
  const operation = words
    .slice(1)
    .filter((word) => !(word in SPACES || word in SCOPES || HINT.test(word) || MEANT.test(word) || word === type));
  if (operation.length !== (isAtomic ? 1 : 0)) throw new Unsupported(`${at.opcode} is not known`);
  const scope = isVolatile ? SYS : isStrong ? scopeOf(words, GPU) : WEAK;
  return {
    ...{ space: spaceOf(words), scope, type, size: widthOf(type) / 8, operation: operation[0] ?? '' },
    isAcquire: words.includes('acquire') || words.includes('acq_rel'),
    isRelease: words.includes('release') || words.includes('acq_rel'),
    way: words.includes('nc') ? 'nc' : 'plain',
  };
}

/** The segment of an access, which must lie within it and be aligned. */
export function locate(
  machine: Machine,
  thread: Thread,
  { space, address, size, align = size }: { space: Space; address: number; size: number; align?: number },
  at: Instruction,
): Segment {
  const segment = machine.memory.find(space, address, size, thread);
  if (segment === undefined) return machine.fail('out-of-bounds', at);
  if (address % align !== 0) return machine.fail('misaligned', at);
  if (segment.cta !== undefined && segment.cta !== thread.cta) machine.checkRemote(thread, segment.cta, at);
  return segment;
}

/** An access that is no operation on an mbarrier must not touch one. */
export function noMbarrier(machine: Machine, segment: Segment, start: number, size: number, at: Instruction): void {
  if (segment.mbarriers.size === 0) return;
  for (const offset of segment.mbarriers.keys())
    if (offset < start + size && start < offset + 8) machine.note('access-to-mbarrier', at);
}

/** From so many bits of memory to a register, by the sign of the type. */
function extension(type: string, register: number): ((value: Value) => Value) | undefined {
  const width = widthOf(type);
  if (register <= width || !isSigned(type))
    return width === 32 && register > 32 ? (value) => low(value) >>> 0 : undefined;
  return (value) => kept(BigInt(read(value, width, true)), register);
}

export const load: Family = (at, compiler) => {
  const form = formOf(at);
  const { size, scope, isAcquire, way } = form;
  const space = form.space === PARAM && compiler.isOfCall(at.operands[1]) ? LOCAL : form.space;
  if (space === PARAM) return loadOfParameter(at, compiler, form);
  const parts = partsOf(operandAt(at, 0));
  const targets = parts.map((part) => compiler.target(part));
  const extend = parts.map((part) => (part.kind === 'register' ? extension(form.type, part.width) : undefined));
  const address = compiler.address(at.operands[1]);
  const total = size * parts.length;
  const what: What = { writes: false, scope, way };
  const run: Run = (thread, machine) => {
    const start = address(thread);
    const segment = locate(machine, thread, { space, address: start, size: total }, at);
    const { offset } = machine.memory;
    const isTracked = segment.isTracked;
    for (let i = 0; i < targets.length; i++) {
      const place = offset + i * size;
      if (isTracked) {
        noMbarrier(machine, segment, place, size, at);
        machine.detector.access(thread, segment, place, size, what, at);
        if (scope !== WEAK) machine.releases.strongRead(thread, segment, place, size, scope, isAcquire);
      }
      const value = segment.read(place, size);
      thread.regs[targets[i]!] = extend[i]?.(value) ?? value;
    }
    machine.sees(thread, start, thread.regs[targets[0]!]!);
    return NEXT;
  };
  return { run, isVisible: space !== CONST && space !== LOCAL };
};

function loadOfParameter(at: Instruction, compiler: Compiler, { size, type }: Form): Compiled {
  const parts = partsOf(operandAt(at, 0));
  const targets = parts.map((part) => compiler.target(part));
  const extend = parts.map((part) => (part.kind === 'register' ? extension(type, part.width) : undefined));
  const address = compiler.address(at.operands[1]);
  const run: Run = (thread, machine) => {
    const segment = machine.memory.find(PARAM, address(thread), size * parts.length, thread);
    if (segment === undefined) return machine.fail('out-of-bounds', at);
    const { offset } = machine.memory;
    targets.forEach((target, i) => {
      const value = segment.read(offset + i * size, size);
      thread.regs[target] = extend[i]?.(value) ?? value;
    });
    return NEXT;
  };
  return { run, isVisible: false };
}

/** The part of a register that a store takes. */
function truncation(size: number): (value: Value) => Value {
  if (size === 4) return low;
  if (size < 4) return (value) => low(value) & (2 ** (8 * size) - 1);
  return (value) => value;
}

export const store: Family = (at, compiler) => {
  const form = formOf(at);
  const { size, scope, isRelease } = form;
  const space = form.space === PARAM && compiler.isOfCall(at.operands[0]) ? LOCAL : form.space;
  if (space === PARAM) throw new Unsupported(`${at.opcode} is not known`);
  const address = compiler.address(at.operands[0]);
  const parts = partsOf(operandAt(at, 1));
  const sources = parts.map((part) => compiler.source(part, size * 8));
  const cut = truncation(size);
  const total = size * parts.length;
  const what: What = { writes: true, scope, way: 'plain' };
  const run: Run = (thread, machine) => {
    const start = address(thread);
    const segment = locate(machine, thread, { space, address: start, size: total }, at);
    const { offset } = machine.memory;
    if (segment.space === CONST || segment.space === PARAM) return machine.fail('write-to-constant', at);
    for (let i = 0; i < sources.length; i++) {
      const place = offset + i * size;
      if (segment.isTracked) {
        noMbarrier(machine, segment, place, size, at);
        machine.detector.access(thread, segment, place, size, what, at);
        if (scope === WEAK) machine.releases.weakWrite(segment, place, size);
        else machine.releases.strongWrite(thread, segment, place, size, scope, { isRelease, isUpdate: false });
      }
      machine.put(segment, place, size, cut(thread.regs[sources[i]!]!));
    }
    return NEXT;
  };
  return { run, isVisible: space !== LOCAL };
};

/** What an atomic makes of the old value and its operand. */
export function updateOf(operation: string, type: string): Operation | undefined {
  const width = widthOf(type);
  if (operation === 'exch') return (_old, b) => b;
  if (operation === 'cas') return (old, b, c) => (old === b ? c : old);
  if (operation === 'inc') return (old, b) => (low(old) >>> 0 >= low(b) >>> 0 ? 0 : (low(old) + 1) | 0);
  if (operation === 'dec')
    return (old, b) => (low(old) === 0 || low(old) >>> 0 > low(b) >>> 0 ? b : (low(old) - 1) | 0);
  const float = floatOperation([operation], type);
  if (float !== undefined) return float.run;
  if (/16x2$/.test(type)) {
    const halves = integer(operation, 16, isSigned(type));
    return halves === undefined ? undefined : byHalves(halves.run);
  }
  return integer(operation, width, isSigned(type))?.run;
}

/** `atom` and `red`; of several elements each is an atomic of its own. */
export const atomic: Family = (at, compiler) => {
  const form = formOf(at);
  const { space, size, scope, isAcquire, isRelease, type, operation } = form;
  const isRed = at.words[0] === 'red';
  const operands: readonly Operand[] = isRed ? [{ kind: 'sink' }, ...at.operands] : at.operands;
  const values = partsOf(operands[2] ?? { kind: 'sink' }).map((part) => compiler.source(part, size * 8));
  const into = operands[0]!.kind === 'sink' ? values.map(() => operands[0]!) : partsOf(operands[0]!);
  const targets = into.map((part) => compiler.target(part));
  const address = compiler.address(operands[1]);
  const third = operation === 'cas' ? compiler.source(operands[3], size * 8) : values[0]!;
  const update = updateOf(operation, type);
  if (update === undefined) throw new Unsupported(`${at.opcode} is not known`);
  // The halves of a packed type are atomic by themselves.
  const unit = /16x2$/.test(type) ? size / 2 : size;
  const run: Run = (thread, machine) => {
    const start = address(thread);
    const total = size * values.length;
    const segment = locate(machine, thread, { space, address: start, size: total, align: total }, at);
    const { offset } = machine.memory;
    if (!segment.isTracked) return machine.fail('atomic-outside-of-memory', at);
    for (let i = 0; i < values.length; i++) {
      const place = offset + i * size;
      const old = segment.read(place, size);
      const next = update(old, thread.regs[values[i]!]!, thread.regs[third]!, 0);
      const writes = operation !== 'cas' || old === thread.regs[values[i]!];
      noMbarrier(machine, segment, place, size, at);
      for (let part = place; part < place + size; part += unit) {
        machine.detector.access(thread, segment, part, unit, { writes, isUpdate: writes, scope, way: 'plain' }, at);
        if (!isRed) machine.releases.strongRead(thread, segment, part, unit, scope, isAcquire);
        if (writes) machine.releases.strongWrite(thread, segment, part, unit, scope, { isRelease, isUpdate: true });
      }
      if (writes) machine.put(segment, place, size, next);
      thread.regs[targets[i]!] = old;
    }
    machine.sees(thread, start, thread.regs[targets[0]!]!);
    return NEXT;
  };
  return { run, isVisible: true };
};
