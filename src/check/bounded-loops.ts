import { citation } from '../diagnostics/source.js';
import { backEdges } from '../flow/graph.js';
import { roundsForAll } from '../flow/retries.js';
import { tripCounts } from '../flow/trip-counts.js';
import { findSpinLoops, obstacleOf } from '../flow/waiting-loops.js';
import type { Program } from '../program/program.js';

/** The loops that are unrolled to a bound, each with what keeps them from being decided without one. */
export function boundedLoops(program: Program): readonly string[] {
  return program.threads.flatMap((thread) => {
    const spinning = findSpinLoops(program, thread);
    const counted = tripCounts(program, thread, (branch) => spinning.has(branch));
    const standing = roundsForAll(program, thread);
    return backEdges(thread).flatMap(({ from, target }) => {
      const first = thread.statements[target];
      const obstacle = obstacleOf(program, thread, target, from);
      if (standing.has(from) || counted.has(from) || obstacle === undefined || first === undefined) return [];
      return [
        `the loop of ${thread.name} at ${citation(first.span)} needs a bound: ` +
          `${citation(obstacle.statement.span)} ${obstacle.why}`,
      ];
    });
  });
}
