import { findInstruction } from '../isa/instruction-table.js';
import type { InstructionSyntax } from '../syntax/litmus-ast.js';
import { opcodeOf } from '../syntax/opcode.js';

/** What a module says that it needs. */
export interface KernelTarget {
  /** Of the PTX ISA. */
  readonly version: string;
  readonly target: string;
}

/** What CUDA 13.0 takes, for GPUs with clusters: older ones have few of the words of litmus tests. */
const LEAST: KernelTarget = { version: '9.0', target: 'sm_90' };

/** Forms for which the instruction table has one line with all others of their name. */
const LATER: readonly { readonly form: RegExp; readonly count?: number; readonly target: string }[] = [
  { form: /^(add|sub|mul|fma)\..*f32x2$/, target: 'sm_100' },
  { form: /^(add|sub|fma)\..*f32\.b?f16$/, target: 'sm_100' },
  { form: /^(min|max)\..*f32$/, count: 4, target: 'sm_100' },
];

/** The least that has all of some instructions. */
export function targetOf(instructions: readonly InstructionSyntax[]): KernelTarget {
  const needed = instructions.map((one): KernelTarget => {
    const since = findInstruction(one)?.entry?.since;
    const form = opcodeOf(one);
    const later = LATER.filter(
      ({ form: of, count }) => of.test(form) && (count ?? one.operands.length) === one.operands.length,
    );
    if (since === undefined || since === 'dialect') return LEAST;
    const target = [latest(since.target, form), ...later.map((line) => line.target)].reduce(greater);
    return { version: latest(since.ptx, form), target };
  });
  return [LEAST, ...needed].reduce((a, b) => ({
    version: greater(a.version, b.version),
    target: greater(a.target, b.target),
  }));
}

/** Of `8.0; .relaxed 9.3` what a form needs: what follows a word of it, or else the first. */
function latest(facts: string, form: string): string {
  const [first = '', ...others] = facts.split(';');
  const needed = others.flatMap((fact) => {
    const [, words = '', value = ''] = /^(.*) (\S+)$/.exec(fact.trim()) ?? [];
    const isMeant = words
      .split(',')
      .map((word) => word.trim().replace(/ .*$/, ''))
      .some((word) => /[.:]/.test(word) && form.includes(word));
    return isMeant ? [value] : [];
  });
  return [first, ...needed].reduce(greater);
}

/** `sm_100a` is more than `sm_100`, and 9.3 more than 9.0. */
const greater = (a: string, b: string): string => (rankOf(b) > rankOf(a) ? b : a);
const rankOf = (text: string): number => Number(/\d+(\.\d+)?/.exec(text)?.[0] ?? 0) + (text.endsWith('a') ? 0.5 : 0);
