import { atomic, load, spaceOf, store } from './accesses.js';
import { carrying, cvt, mov, selp, set, setp, simple, slct, testp } from './arithmetic.js';
import { asyncStore } from './async-stores.js';
import { bar } from './barriers.js';
import { type Code, type Compiled, type Compiler, type Family, JUMPED, NEXT, pure, visible } from './compile.js';
import { copy, nothing } from './copying.js';
import { fence } from './fences.js';
import { griddepcontrol } from './grids.js';
import { Unsupported } from './launch.js';
import { matrixAccess, mma, movmatrix } from './matrices.js';
import { arriveOnCopies, mbarrier } from './mbarriers.js';
import {
  CONST,
  CTA_STEP,
  GENERIC,
  GLOBAL,
  LOCAL,
  LOCAL_BASE,
  PARAM,
  PARAM_BASE,
  SHARED,
  SHARED_BASE,
} from './memory.js';
import type { Instruction } from './module.js';
import { tensorCopy } from './tensors.js';
import { activemask, elect, match, redux, shfl, vote } from './warps.js';

/** All instructions that are known, by the first word of their names. */
const FAMILIES: Readonly<Record<string, Family>> = {
  ...{ ld: load, ldu: load, atom: atomic, fence, membar: fence },
  st: (at, compiler) => (at.words[1] === 'async' ? asyncStore : store)(at, compiler),
  red: (at, compiler) => (at.words[1] === 'async' ? asyncStore : atomic)(at, compiler),
  ...{ bar, barrier: bar, mbarrier, griddepcontrol },
  ...{ ldmatrix: matrixAccess, stmatrix: matrixAccess, movmatrix, mma },
  ...{ shfl, vote, match, redux, activemask, elect },
  ...{ mov, cvt, setp, set, selp, slct, testp },
  ...{ add: carrying, addc: carrying, sub: carrying, subc: carrying, mad: carrying, madc: carrying },
  ...{ nanosleep: nothing, prefetch: nothing, prefetchu: nothing, brkpt: nothing, pmevent: nothing },
  ...{ setmaxnreg: nothing, applypriority: nothing, createpolicy: nothing },
  cp: (at, compiler) => {
    if (at.opcode.startsWith('cp.async.mbarrier')) return arriveOnCopies(at, compiler);
    const isTensor = at.words.includes('tensor') && !at.words.includes('prefetch');
    return (isTensor ? tensorCopy : copy)(at, compiler);
  },
  cvta: addressConversion,
  mapa,
  getctarank,
  isspacep,
  bra: branch,
  brx: choice,
  call,
  ret: () => end,
  exit: () => end,
  trap: (at) => visible((_thread, machine) => machine.trap(at)),
};

/** The registers alone. */
const SIMPLE = new Set(
  (
    'mul div rem min max abs neg sad and or xor not cnot shl shr shf popc clz brev bfind fns bfe bfi szext bmsk prmt ' +
    'lop3 dp4a dp2a fma rcp sqrt rsqrt sin cos lg2 ex2 tanh copysign'
  ).split(' '),
);

const end: Compiled = {
  run: (thread, machine) => {
    machine.exit(thread);
    return JUMPED;
  },
  isVisible: true,
};

function branch({ targets }: Instruction): Compiled {
  const target = targets[0]!;
  return {
    run: (thread) => {
      thread.pc = target;
      return JUMPED;
    },
    isVisible: false,
  };
}

/** `brx.idx`: to one of several places. */
function choice(at: Instruction, compiler: Compiler): Compiled {
  const index = compiler.source(at.operands[0], 32);
  return {
    run: (thread, machine) => {
      thread.pc = at.targets[(thread.regs[index] as number) >>> 0] ?? machine.fail('branch-index', at);
      return JUMPED;
    },
    isVisible: false,
  };
}

/** What is printed has no effect; an assertion that fails is a trap. */
function call(at: Instruction): Compiled {
  const callee = at.operands.find(({ kind }) => kind === 'symbol');
  const name = callee?.kind === 'symbol' ? callee.name : '';
  if (name === 'vprintf') return visible(() => {});
  if (name === '__assertfail') return visible((_thread, machine) => machine.trap(at));
  throw new Unsupported(`a call of ${name}`);
}

function baseOf(at: Instruction): number {
  const space = spaceOf(at.words);
  if (space === SHARED || at.words.includes('shared::cluster')) return SHARED_BASE;
  if (space === LOCAL) return LOCAL_BASE;
  return space === PARAM ? PARAM_BASE : 0;
}

function addressConversion(at: Instruction, compiler: Compiler): Compiled {
  const base = baseOf(at);
  const isBack = at.words.includes('to');
  const target = compiler.target(at.operands[0]);
  const source = compiler.source(at.operands[1], 64);
  return pure(({ regs }) => {
    const address = Number(regs[source]);
    regs[target] = isBack ? address - base : address + base;
  });
}

/** `mapa`: the same place in the shared memory of another CTA of the cluster. */
function mapa(at: Instruction, compiler: Compiler): Compiled {
  const isOfSpace = at.words.includes('shared::cluster');
  const target = compiler.target(at.operands[0]);
  const source = compiler.source(at.operands[1], 64);
  const rank = compiler.source(at.operands[2], 32);
  return pure(({ regs }) => {
    const place = (Number(regs[source]) - (isOfSpace ? 0 : SHARED_BASE)) % CTA_STEP;
    const address = ((regs[rank] as number) + 1) * CTA_STEP + place;
    regs[target] = isOfSpace ? address : SHARED_BASE + address;
  });
}

/** In which CTA of the cluster an address is. */
function getctarank(at: Instruction, compiler: Compiler): Compiled {
  const base = at.words.includes('shared::cluster') ? 0 : SHARED_BASE;
  const target = compiler.target(at.operands[0]);
  const source = compiler.source(at.operands[1], 64);
  return pure(({ regs, cta }) => {
    const window = Math.floor((Number(regs[source]) - base) / CTA_STEP);
    regs[target] = window > 0 ? window - 1 : cta.rank;
  });
}

function isspacep(at: Instruction, compiler: Compiler): Compiled {
  const target = compiler.target(at.operands[0]);
  const source = compiler.source(at.operands[1], 64);
  const word = at.words[1] ?? '';
  return {
    run: (thread, machine) => {
      const address = Number(thread.regs[source]);
      const segment = machine.memory.find(GENERIC, address, 1, thread);
      const isOwn = segment?.cta === thread.cta;
      const isIn: Readonly<Record<string, boolean>> = {
        global: segment?.space === GLOBAL || segment?.space === PARAM,
        shared: isOwn,
        'shared::cta': isOwn,
        'shared::cluster': segment?.cta !== undefined,
        local: segment?.space === LOCAL,
        const: segment?.space === CONST,
        param: segment?.space === PARAM,
      };
      thread.regs[target] = isIn[word] ? 1 : 0;
      return NEXT;
    },
    isVisible: false,
  };
}

/** What is not known is refused when a thread comes to it. */
function refused(at: Instruction, reason: string): Compiled {
  return visible(() => {
    throw new Unsupported(`${at.place}: ${reason}`);
  });
}

export function compileInstruction(at: Instruction, compiler: Compiler): Code {
  const name = at.words[0]!;
  const family = FAMILIES[name] ?? (SIMPLE.has(name) ? simple : undefined);
  let compiled: Compiled;
  try {
    compiled = family?.(at, compiler) ?? refused(at, `${at.opcode} is not known`);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    compiled = refused(at, error.message);
  }
  return { ...compiled, guard: at.guard?.slot ?? -1, sense: at.guard?.negated ? 0 : 1 };
}
