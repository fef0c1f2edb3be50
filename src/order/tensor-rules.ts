import type { Span } from '../diagnostics/source.js';
import { type FollowedThread, kindOf, type Step, stepOf, stepsOf, type Trace, threadOf } from '../follow/trace.js';
import { append } from '../program/group-by.js';
import type { UndefinedRule } from '../program/undefined-rules.js';
import type { TensorOrder } from './tensor-order.js';

/** What the run does that is undefined. */
export interface BrokenRule {
  readonly rule: TensorRule;
  readonly thread: FollowedThread;
  readonly span: Span;
}

/** By the names that they have in models. */
export const TENSOR_RULES = [
  'tensor-memory-given-back',
  'alloc-after-relinquish',
  'tensor-memory-growth',
] as const satisfies readonly UndefinedRule[];
type TensorRule = (typeof TENSOR_RULES)[number];

/**
 * How a CTA allocates tensor memory (PTX ISA 9.7.18.7): what was given back is not used until it is given out again; no
 * alloc follows the end of the permit, nor one that asks for less.
 */
export class TensorRules {
  readonly broken: BrokenRule[] = [];
  /** By CTA: its allocs, and where it has given up the permit. */
  private readonly allocs = new Map<number, number[]>();
  private readonly ended = new Set<number>();
  /** By piece: what has given columns out and back. */
  private readonly changes = new Map<number, number[]>();

  constructor(
    private readonly trace: Trace,
    private readonly order: TensorOrder,
  ) {}

  access(row: number): void {
    const { tags } = kindOf(this.trace, row);
    if (tags.has('ALLOC')) this.alloc(row);
    else if (this.isGivenBack(row)) this.find('tensor-memory-given-back', row);
    if (tags.has('ALLOC') || tags.has('DEALLOC')) append(this.changes, this.trace.accesses.pieces.at(row), row);
  }

  /** A CTA allocates no more. */
  relinquish(step: Step): void {
    const cta = this.trace.threads[step.thread]?.ctaId ?? -1;
    this.ended.add(cta);
    for (const row of this.allocs.get(cta) ?? [])
      if (!this.order.isExecuted(row, step)) this.find('alloc-after-relinquish', row);
  }

  private alloc(row: number): void {
    const { ctaId } = threadOf(this.trace, row);
    if (this.ended.has(ctaId)) this.find('alloc-after-relinquish', row);
    const { sizes } = this.trace.accesses;
    for (const other of this.allocs.get(ctaId) ?? []) {
      const isLess = sizes.at(other) < sizes.at(row);
      const isMore = sizes.at(other) > sizes.at(row);
      if (isLess || (isMore && !this.order.isExecuted(other, stepOf(this.trace, row))))
        this.find('tensor-memory-growth', row);
    }
    append(this.allocs, ctaId, row);
  }

  /** Whether columns come after a dealloc of them, in one lane at least, and no alloc of them between. */
  private isGivenBack(row: number): boolean {
    const before = (this.changes.get(this.trace.accesses.pieces.at(row)) ?? []).filter(
      (other) => this.haveColumns(other, row) && this.isBeforeOne(other, row),
    );
    const isOf = (tag: 'ALLOC' | 'DEALLOC') => (other: number) => kindOf(this.trace, other).tags.has(tag);
    const isGivenOut = (given: number) => (again: number) =>
      again > given && this.haveColumns(given, again) && this.order.isOrdered(given, again);
    return before.filter(isOf('DEALLOC')).some((given) => !before.filter(isOf('ALLOC')).some(isGivenOut(given)));
  }

  private isBeforeOne(first: number, second: number): boolean {
    const isExecuted = (step: Step): boolean => this.order.isExecuted(first, step);
    return this.order.isOrdered(first, second) || stepsOf(this.trace, second).some(isExecuted);
  }

  private haveColumns(a: number, b: number): boolean {
    const { starts, sizes } = this.trace.accesses;
    return starts.at(a) < starts.at(b) + sizes.at(b) && starts.at(b) < starts.at(a) + sizes.at(a);
  }

  private find(rule: TensorRule, row: number): void {
    const { span } = kindOf(this.trace, row);
    if (this.broken.some((one) => one.rule === rule && one.span === span)) return;
    this.broken.push({ rule, thread: threadOf(this.trace, row), span });
  }
}
