import { callersOf, type Span, textOf } from '../../diagnostics/source.js';
import { volume, WARP_SIZE } from '../../kernel/grid.js';
import { groupBy } from '../../program/group-by.js';
import { MBARRIER_BYTES } from '../../program/mbarrier-operation.js';
import type { Operand, Operation } from '../../program/operation.js';
import type { InstructionSyntax, OperandSyntax } from '../../syntax/litmus-ast.js';
import { opcodeOf } from '../../syntax/opcode.js';
import { parseStatement } from '../../syntax/parse-statement.js';
import type { Choice, Site, Spot } from '../sites.js';
import type { KernelCode, KernelInstruction } from './kernel-code.js';

/** What else a number of an instruction may be: of a kernel that has such numbers. */
type Candidates = (present: bigint | undefined, known: Numbers) => readonly bigint[];

/** What the counts of a kernel are made of. */
interface Numbers {
  /** Threads and warps of a CTA, CTAs of a cluster, and the counts of mbarriers, each with parts and sums of them. */
  readonly counts: readonly bigint[];
  /** The sizes of bulk copies that are known, and sums of them. */
  readonly bytes: readonly bigint[];
  /** Of barriers, by which others wait. */
  readonly barriers: readonly bigint[];
}

interface NumberOperand {
  /** The whole name of the instruction begins with it. */
  readonly opcode: RegExp;
  /** Which operand, from the end where it is negative. */
  readonly operand: number;
  /** What it is called. */
  readonly word: string;
  readonly others: Candidates;
  /** It may also be a multiple of what a register holds, or a part of it. */
  readonly isScaled?: true;
}

const counts: Candidates = (present, known) => known.counts.filter((one) => one !== present);
const smaller: Candidates = (present = 0n) =>
  Array.from({ length: Number(present) }, (_, i) => present - 1n - BigInt(i));
const ALL_LANES = 0xffffffffn;

/** The numbers by which threads and copies are counted, and what they may be instead. */
export const NUMBERS: readonly NumberOperand[] = [
  { opcode: /^mbarrier\.init\b/, operand: 1, word: 'count', others: counts, isScaled: true },
  {
    ...{ opcode: /^mbarrier\.(?:arrive\.)?expect_tx\b/, operand: -1, word: 'bytes', isScaled: true },
    others: (_, { bytes }) => bytes,
  },
  { opcode: /^mbarrier\.arrive(?!\.expect_tx)/, operand: 1, word: 'count', others: counts, isScaled: true },
  { opcode: /^cp\.async\.(?:bulk\.)?wait_group\b/, operand: 0, word: 'groups', others: smaller },
  { opcode: /^wgmma\.wait_group\b/, operand: 0, word: 'groups', others: smaller },
  {
    opcode: /^bar(?:rier)?(?:\.cta)?\.(?:sync|arrive|red)\b/,
    operand: 1,
    word: 'threads',
    others: warps,
    isScaled: true,
  },
  {
    ...{ opcode: /^bar(?:rier)?(?:\.cta)?\.(?:sync|arrive)\b/, operand: 0, word: 'barrier' },
    others: (present, { barriers }) => barriers.filter((one) => one !== present),
  },
  { opcode: /^bar\.warp\.sync\b/, operand: 0, word: 'membermask', others: () => [ALL_LANES] },
  { opcode: /^(?:shfl|vote|redux|match)\b[\w.]*\.sync\b/, operand: -1, word: 'membermask', others: () => [ALL_LANES] },
];

function warps(present: bigint | undefined, { counts: all }: Numbers): readonly bigint[] {
  return all.filter((one) => one !== present && one % BigInt(WARP_SIZE) === 0n);
}

/** The copies of an instruction by the calls that led there: numbers are what functions are given. */
function byCall({ spans, standings, ...rest }: KernelInstruction): readonly KernelInstruction[] {
  const calls = (span: Span): string => {
    const line = span.source.compiledFrom?.(span.start);
    return line === undefined
      ? ''
      : callersOf(line)
          .map(({ file, line: at }) => `${file}:${at}`)
          .join(' ');
  };
  return [...groupBy(spans, calls).values()].flatMap(([first, ...copies]) =>
    first === undefined ? [] : [{ ...rest, spans: [first, ...copies] as const, standings }],
  );
}

/** Those of each call, then all of them. */
export function ofCallsAndAll(one: KernelInstruction): readonly KernelInstruction[] {
  const calls = byCall(one);
  return calls.length > 1 ? [...calls, one] : calls;
}

/** The numbers that an instruction of a kernel counts by, and the parities that it waits for. */
export function numberSites(code: KernelCode): readonly Site[] {
  const known = numbersOf(code);
  const isClustered = code.planned.some(({ launch }) => volume(launch.shape.cluster) > 1);
  return code.instructions.flatMap(ofCallsAndAll).flatMap((one) => {
    const syntax = instructionAt(one.spans[0]);
    if (syntax === undefined) return [];
    const name = opcodeOf(syntax);
    const numbers = NUMBERS.filter(({ opcode }) => opcode.test(name)).flatMap((entry): readonly Site[] => {
      const operand = syntax.operands.at(entry.operand);
      // A vector or an address is another form, without that number.
      if (operand?.kind !== 'name' && operand?.kind !== 'number') return [];
      const present = numberOfOperand(operand, code);
      const others = entry.others(present, known).filter((other) => other !== present);
      const changed = present === undefined && operand.kind === 'name' && entry.isScaled ? SCALED : [];
      const general = entry.isScaled === true ? OF_LAUNCH.filter((value) => isClustered || !value.isOfCluster) : [];
      return siteOf(one, entry, present, [
        ...general.map(({ before, shown }) => ({ before, shown: `${entry.word} ${shown(textOf(operand.span))}` })),
        ...changed.map(([operation, by, shown]) => ({
          before: (given: string) => `${operation} ${TEMPORARY}, ${given}, ${by};`,
          shown: `${entry.word} ${textOf(operand.span)} ${shown}`,
        })),
        ...others.map((value) => ({ value, shown: `${entry.word} ${value}` })),
      ]);
    });
    return [...numbers, ...paritiesOf(one, syntax, name, code), ...stagesOf(one, syntax, name)];
  });
}

/** A register of a block that only the changed instruction is in. */
export const TEMPORARY = '%advised';

/** How counts are often wrong: by one, by a size, by the threads of a warp. */
const SCALED = [
  ['sub.s32', 1, '- 1'],
  ['add.s32', 1, '+ 1'],
  ['mul.lo.s32', 2, '* 2'],
  ['div.u32', 2, '/ 2'],
  ['mul.lo.s32', 4, '* 4'],
  ['div.u32', 4, '/ 4'],
  ['mul.lo.s32', 3, '* 3'],
  ['div.u32', 32, '/ 32'],
  ['mul.lo.s32', 32, '* 32'],
] as const;

/** What a launch says of itself, or is made of that and what is given. */
interface ValueOfLaunch {
  readonly before: (given: string) => string;
  readonly shown: (given: string) => string;
  readonly isOfCluster?: true;
}

const OF_LAUNCH: readonly ValueOfLaunch[] = [
  { before: () => `mov.u32 ${TEMPORARY}, %ntid.x;`, shown: () => 'blockDim.x' },
  {
    before: () => `mov.u32 ${TEMPORARY}, %ntid.x; shr.u32 ${TEMPORARY}, ${TEMPORARY}, 5;`,
    shown: () => 'blockDim.x / 32',
  },
  {
    before: () =>
      `mov.u32 ${TEMPORARY}, %ntid.x; shr.u32 ${TEMPORARY}, ${TEMPORARY}, 5; sub.s32 ${TEMPORARY}, ${TEMPORARY}, 1;`,
    shown: () => 'blockDim.x / 32 - 1',
  },
  {
    before: () => `mov.u32 ${TEMPORARY}, %cluster_nctarank;`,
    shown: () => 'cluster.num_blocks()',
    isOfCluster: true,
  },
  {
    before: (given) => `mov.u32 ${TEMPORARY}, %cluster_nctarank; mul.lo.s32 ${TEMPORARY}, ${TEMPORARY}, ${given};`,
    shown: (given) => `${given} * cluster.num_blocks()`,
    isOfCluster: true,
  },
];

/** Another number for an operand, or instructions that make one of what is given. */
type Other = { readonly shown: string } & (
  | { readonly value: bigint }
  /** By the copies of a line that a compiler has made, in their order. */
  | { readonly ofCopy: (copy: number) => bigint }
  | { readonly before: (given: string) => string }
);

/** All numbers cost alike. */
const COST = 1;
const written = (value: bigint): string => (value === ALL_LANES ? '0xffffffff' : String(value));

export function siteOf(
  { spans: [first, ...copies] }: KernelInstruction,
  { operand, word }: Pick<NumberOperand, 'operand' | 'word'>,
  present: bigint | undefined,
  others: readonly Other[],
): readonly Site[] {
  const operandAt = (span: Span): Span | undefined => {
    const found = instructionAt({ ...span, end: span.end - (textOf(span).endsWith(';') ? 1 : 0) })?.operands.at(
      operand,
    );
    return found?.kind === 'address' ? registerIn(found.span) : found?.span;
  };
  const given = operandAt(first);
  if (given === undefined || instructionAt(first)?.guard !== undefined) return [];
  const choices = others.map((one): Choice => {
    const textAt = ({ span }: Spot): string => {
      const within = operandAt(span);
      if (within === undefined) return textOf(span);
      const { text } = span.source;
      const end = span.end - (text[span.end - 1] === ';' ? 1 : 0);
      const changed = (put: string): string =>
        `${text.slice(span.start, within.start)}${put}${text.slice(within.end, end)};`;
      if ('value' in one) return changed(written(one.value));
      return 'ofCopy' in one
        ? changed(written(one.ofCopy([first, ...copies].findIndex(({ start }) => start === span.start))))
        : `{ .reg .b${WIDE.test(textOf(within)) ? 64 : 32} ${TEMPORARY}; ` +
            `${one.before(textOf(within))} ${changed(TEMPORARY)} }`;
    };
    const text = textAt(spotOf(first));
    return { strength: 'relaxed', scope: undefined, cost: COST, shown: one.shown, text, textAt };
  });
  if (choices.length === 0) return [];
  const shown = `${word} ${present === undefined ? textOf(given) : written(present)}`;
  const now: Choice = { strength: 'relaxed', scope: undefined, text: textOf(first), cost: COST, shown };
  return [
    { kind: 'access', threads: [], spots: [spotOf(first), ...copies.map(spotOf)], present: now, others: choices },
  ];
}

/** With its semicolon: a block in the place of an instruction has none. */
function spotOf({ source, start, end }: Span): Spot {
  const rest = /^\s*;/.exec(source.text.slice(end, end + 80))?.[0].length ?? 0;
  const span = { source, start, end: end + rest };
  return { span, instruction: span };
}

/** Registers that nvcc keeps 64 bits in. */
const WIDE = /^%rd/;

/** The register of an address, without its offset. */
function registerIn({ source, start, end }: Span): Span | undefined {
  const [, before = '', register = ''] = /^(\[\s*)(%\w+)/.exec(source.text.slice(start, end)) ?? [];
  const from = start + before.length;
  return register === '' ? undefined : { source, start: from, end: from + register.length };
}

/** The mbarrier of the other stage, where two of them are side by side. */
function stagesOf(one: KernelInstruction, { operands }: InstructionSyntax, name: string): readonly Site[] {
  const at = operands.findIndex(({ kind }) => kind === 'address');
  if (!/^mbarrier\.(?:try_wait|test_wait|arrive)\b/.test(name) || at < 0) return [];
  const before = (given: string): string =>
    `xor.b${WIDE.test(given) ? 64 : 32} ${TEMPORARY}, ${given}, ${MBARRIER_BYTES};`;
  return siteOf(one, { operand: at, word: 'mbarrier' }, undefined, [{ before, shown: 'mbarrier of the other stage' }]);
}

/** Waits for the phase of the other parity, or for that of each round in turn. */
function paritiesOf(
  one: KernelInstruction,
  syntax: InstructionSyntax,
  name: string,
  code: KernelCode,
): readonly Site[] {
  const operand = syntax.operands[PARITY];
  if (!/^mbarrier\.(?:try_wait|test_wait)\.parity\b/.test(name) || operand === undefined) return [];
  const present = numberOfOperand(operand, code);
  const register = textOf(operand.span);
  const other: Other =
    present === undefined
      ? { before: (given) => `xor.b32 ${TEMPORARY}, ${given}, 1;`, shown: `parity ${register} ^ 1` }
      : { value: present ^ 1n, shown: `parity ${present ^ 1n}` };
  const rounds = one.counters.slice(0, MOST_COUNTERS).flatMap((counter) =>
    STAGES.flatMap((stages) =>
      [0, 1].map(
        (first): Other => ({
          before: () => roundParity(`%${counter}`, stages, first),
          shown: `parity ${roundsOf(`%${counter}`, stages)} & 1${first === 0 ? '' : ' ^ 1'}`,
        }),
      ),
    ),
  );
  // A loop that is written out has no counter.
  const copies =
    one.spans.length === 1
      ? []
      : STAGES.flatMap((stages) =>
          [0n, 1n].map(
            (first): Other => ({
              ofCopy: (copy) => (BigInt(Math.floor(copy / stages)) & 1n) ^ first,
              shown: `parity ${roundsOf('round', stages)} & 1${first === 0n ? '' : ' ^ 1'}`,
            }),
          ),
        );
  return siteOf(one, { operand: PARITY, word: 'parity' }, present, [other, ...rounds, ...copies]);
}

/** Which operand says for the end of which phase a thread waits. */
const PARITY = 2;
/** The parity of the round that a counter is in, or the other one. */
function roundParity(counter: string, stages: number, first: number): string {
  const round = stages === 1 ? counter : TEMPORARY;
  return [
    ...(stages === 1 ? [] : [`div.u32 ${TEMPORARY}, ${counter}, ${stages};`]),
    `and.b32 ${TEMPORARY}, ${round}, 1;`,
    ...(first === 0 ? [] : [`xor.b32 ${TEMPORARY}, ${TEMPORARY}, 1;`]),
  ].join(' ');
}

const MOST_COUNTERS = 4;
/** How many stages pipelines often have. */
const STAGES = [1, 2, 3, 4, 8] as const;

const roundsOf = (counter: string, stages: number): string => (stages === 1 ? counter : `(${counter} / ${stages})`);

function numberOfOperand(operand: OperandSyntax, { numberOf }: KernelCode): bigint | undefined {
  if (operand.kind === 'number') return operand.value;
  return operand.kind === 'name' && operand.offset === 0n ? numberOf(operand.name) : undefined;
}

export function instructionAt(span: Span): InstructionSyntax | undefined {
  const [statement] = parseStatement(span).value ?? [];
  return statement?.kind === 'instruction' ? statement : undefined;
}

/** So many sums of sizes are tried. */
const MOST_SUMS = 24;

function numbersOf({ planned, instructions, numberOf }: KernelCode): Numbers {
  const operations = instructions.flatMap((one) => one.operations);
  const value = (operand: Operand | undefined): readonly bigint[] => {
    const found = operand?.kind === 'register' ? numberOf(operand.name) : operand?.value;
    return found === undefined ? [] : [found];
  };
  const shapes = planned.map(({ launch }) => launch.shape);
  const threads = shapes.map(({ block }) => volume(block));
  const written = operations.flatMap((one) => countsIn(one).flatMap(value));
  const sizes = [
    ...threads.flatMap((all) => [all, all / 2, all / 4, (3 * all) / 4, all - WARP_SIZE, Math.ceil(all / WARP_SIZE)]),
    ...shapes.map(({ cluster }) => volume(cluster)),
  ].filter((one) => Number.isInteger(one) && one > 0);
  const near = written.flatMap((one) => [one, one - 1n, one + 1n, one * 2n, one / 2n]);
  const copies = operations.flatMap((one) =>
    one.kind === 'async' && one.source.kind === 'memory' ? value(one.source.bytes) : [],
  );
  const expected = operations.flatMap((one) => expectedBy(one).flatMap(value));
  return {
    counts: distinct([1n, ...near, ...sizes.map(BigInt)]).filter((one) => one > 0n),
    bytes: distinct([
      ...sumsOf(copies),
      ...expected.flatMap((one) => [one * 2n, one / 2n, ...copies.flatMap((size) => [one + size, one - size])]),
    ]).filter((one) => one > 0n),
    barriers: distinct(operations.flatMap((one) => (one.kind === 'barrier' ? value(one.id) : []))).filter(
      (one) => one < 16n,
    ),
  };
}

const distinct = (all: readonly bigint[]): readonly bigint[] => [...new Set(all)];

const countsIn = (operation: Operation): readonly (Operand | undefined)[] => {
  if (operation.kind === 'barrier') return [operation.count];
  if (operation.kind !== 'mbarrier') return [];
  return operation.action === 'init' || operation.action === 'arrive' ? [operation.count] : [];
};

const expectedBy = (operation: Operation): readonly (Operand | undefined)[] => {
  if (operation.kind !== 'mbarrier') return [];
  return operation.action === 'arrive' ? [operation.expect] : operation.action === 'expect_tx' ? [operation.bytes] : [];
};

/** What some of the copies bring together, those of few copies first. */
function sumsOf(sizes: readonly bigint[]): readonly bigint[] {
  let sums: readonly bigint[] = [0n];
  for (const size of sizes.slice(0, MOST_SUMS)) sums = distinct([...sums, ...sums.map((sum) => sum + size)]);
  return sums.slice(1, MOST_SUMS);
}
