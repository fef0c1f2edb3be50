import type { Span } from '../diagnostics/source.js';
import type { ComesLast } from '../follow/comes-last.js';
import type { LastStep } from '../follow/last-step.js';
import type { FollowedThread, Results, Step } from '../follow/trace.js';
import type { PollStep } from '../follow/wait-steps.js';
import type { Scope } from '../program/placement.js';
import type { AwaitedGroups } from './awaited-groups.js';
import type { Clock } from './clocks.js';
import type { Claims } from './recheck-links.js';

/** What reads and writes order by release and acquire patterns, as they are met in the replay of a run. */
export interface Orders {
  access(row: number): void;
  poll(one: PollStep): void;
  last(one: LastStep): void;
  way(thread: FollowedThread): void;
  fence(step: Step, scope: Scope | undefined, releases: boolean, acquires: boolean, isSequential: boolean): void;
  /** A thread lets dependent grids begin; a grid begins that others have let. What that may order. */
  trigger?(step: Step): void;
  begin?(launch: number, launchedBy: readonly number[]): void;
  /** Whether a write is found by a thread before it, or one that knows of it, comes to a step (PTX ISA 8.9.5). */
  isObserved(row: number, step: Step, clock: Clock): boolean;
  /** Whether two are atomics of one word, the earlier before the later in the coherence order of this case. */
  areInOrder(earlier: number, later: number): boolean;
  finish(): void;
  readonly claims: Claims;
  readonly oneIsLast: readonly ComesLast[];
  readonly openWord: string | undefined;
  readonly mayFind: Results;
  readonly awaited: AwaitedGroups;
  readonly unforced: { readonly span: Span; readonly what: string } | undefined;
}
