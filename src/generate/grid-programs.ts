import type { DrawnProgram } from './generate-programs.js';
import { GRID_THEMES, type GridRole, GridSteps } from './grid-steps.js';
import { indented, printBody, printThread } from './print-body.js';
import { declareWords } from './program-memory.js';
import { observedIn, ProgramThread } from './program-thread.js';
import type { Random } from './random.js';

/** How a grid is launched: on its own, or after another. */
export interface DrawnOrder {
  readonly grid: number;
  readonly order: 'after' | 'dependent on';
  readonly on: number;
}

/**
 * A program of several grids: in streams, dependent on each other, or at once; with triggers, several in a CTA, under
 * guards, or none; with waits and without; with threads that are alike but for their grid.
 */
export function drawGridProgram(random: Random, mostAccesses: number): DrawnProgram {
  const themes = random.pickTwo(GRID_THEMES);
  return { themes, body: gridProgram(random, themes, mostAccesses) };
}

/** What two or three grids come after. */
export function drawOrders(random: Random, grids: number, themes: readonly string[]): readonly DrawnOrder[] {
  const orders: DrawnOrder[] = [];
  for (let grid = 1; grid < grids; grid++) {
    const order = random.weightedWord({
      after: themes.includes('streams') ? 6 : 3,
      'dependent on': themes.includes('triggers') ? 12 : 6,
      none: 2,
    });
    if (order !== 'none') orders.push({ grid, order, on: random.chance(75) ? grid - 1 : 0 });
  }
  return orders;
}

/** An order as a declaration of a test: `grid 1 after 0;`. */
export const orderLine = ({ grid, order, on }: DrawnOrder): string => `grid ${grid} ${order} ${on};`;

export const roleIn = (orders: readonly DrawnOrder[], grid: number): Omit<GridRole, 'meets'> => ({
  isPrimary: orders.some((one) => one.order === 'dependent on' && one.on === grid),
  isDependent: orders.some((one) => one.order === 'dependent on' && one.grid === grid),
});

interface DrawnThread {
  readonly place: string;
  readonly body: ProgramThread;
}

function gridProgram(random: Random, themes: readonly string[], mostAccesses: number): string {
  const grids = random.chance(75) ? 2 : 3;
  const orders = drawOrders(random, grids, themes);
  const count = Math.max(grids, random.chance(55) ? 3 : random.chance(70) ? 2 : 4);
  const steps = new GridSteps(random, themes, mostAccesses, ['x', 'x', 'y', 'f'], (name) => name);
  const threads: DrawnThread[] = [];
  // The threads of one grid stand beside each other.
  const gridOf = Array.from({ length: count }, (_, i) => (i < grids ? i : random.below(grids))).sort();
  const meets = new Set(gridOf.filter(() => random.chance(themes.includes('barriers') ? 80 : 25)));
  for (const [i, grid] of gridOf.entries()) {
    const cta = random.chance(themes.includes('barriers') ? 80 : 50) ? 0 : i;
    const warp = random.chance(12) ? ', warp 0' : '';
    const like = themes.includes('alike') && threads.length > 0 && random.chance(55) ? random.pick(threads) : undefined;
    const body = like?.body ?? new ProgramThread(i);
    if (like === undefined) steps.body(body, { ...roleIn(orders, grid), meets: meets.has(grid) });
    threads.push({ place: `cta ${cta}${warp}, grid ${grid}`, body });
  }
  return written(random, orders, threads);
}

function written(random: Random, orders: readonly DrawnOrder[], threads: readonly DrawnThread[]): string {
  const declarations = [
    ...declareWords(['x', 'y', 'f']),
    // In any order: what comes first says nothing.
    ...(random.chance(50) ? orders : [...orders].reverse()).map(orderLine),
  ];
  const lines = threads.flatMap(({ place, body }, i) => printThread(i, place, indented(body.lines)));
  const observed = [...observedIn(threads.map(({ body }) => body)), 'x', 'y', 'f'];
  return printBody({ declarations, lines, observed });
}
