import { type Diagnostic, error } from '../diagnostics/diagnostic.js';
import type { Span } from '../diagnostics/source.js';
import type { ProgramStatement } from '../program/operation.js';
import type { Placement } from '../program/placement.js';
import type { Declaration, GridOrder } from '../syntax/litmus-ast.js';

/** Which grids of a test come after others, or depend on them. */
export class GridOrders {
  private readonly orders: readonly GridOrder[];

  constructor(declarations: readonly Declaration[]) {
    this.orders = declarations.filter((one) => one.kind === 'grid-order');
  }

  /** The grids that a grid is a dependent launch of. */
  prerequisites(grid: number): readonly number[] {
    return this.before(grid, 'dependent');
  }

  /** A grid that comes after others, or depends on them, begins by that (PTX ISA 8.9.4; griddepcontrol). */
  waitsAtStart({ grid, gpu }: Placement, span: Span): readonly ProgramStatement[] {
    const [complete, launchedBy] = [this.before(grid, 'after'), this.prerequisites(grid)];
    if (gpu === undefined || complete.length + launchedBy.length === 0) return [];
    return [{ operation: { kind: 'grid-wait', complete, launchedBy }, guard: undefined, span }];
  }

  /** What is wrong with them. */
  check(placements: readonly Placement[]): readonly Diagnostic[] {
    const grids = new Set(placements.flatMap(({ grid, gpu }) => (gpu === undefined ? [] : [grid])));
    return this.orders.flatMap(({ grid, on, span }) => {
      const missing = [grid, on].find((one) => !grids.has(one));
      if (missing !== undefined) return [error('L0204', span, `no thread of the test is in grid ${missing}`)];
      return this.comesAfter(grid, grid) ? [error('L0204', span, `grid ${grid} cannot come after itself`)] : [];
    });
  }

  private before(grid: number, order: GridOrder['order']): readonly number[] {
    return this.orders.filter((one) => one.grid === grid && one.order === order).map(({ on }) => on);
  }

  private comesAfter(grid: number, other: number, seen: ReadonlySet<number> = new Set()): boolean {
    return this.orders.some(
      (one) =>
        one.grid === grid &&
        !seen.has(one.on) &&
        (one.on === other || this.comesAfter(one.on, other, new Set([...seen, one.on]))),
    );
  }
}
