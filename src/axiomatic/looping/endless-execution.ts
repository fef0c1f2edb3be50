import { WHOLE } from '../../events/chunks.js';
import { type EventStructure, makeEvents } from '../../events/events.js';
import type { CandidateExecution, EventUniverse, ThreadEnd } from '../../execution/candidate-execution.js';
import type { Choices } from '../../execution/choices.js';
import { runProgram } from '../../execution/run-program.js';
import { targetOf } from '../../flow/graph.js';
import type { Program, Thread } from '../../program/program.js';
import type { CheckBudget, Undecided } from '../../program/undecided.js';
import type { EndlessRun } from '../../progress/endless-run.js';
import { Relation } from '../../relation/relation.js';
import { type Cell, initialBytes, rangesOverlap } from '../../semantics/cells.js';
import { analyzeValues, cellsOf } from '../../semantics/value-analysis.js';
import { unrollAlong } from '../../unroll/unroll-along.js';
import { universeOf } from '../encoding/universe.js';
import type { Executed } from './interleavings.js';

type Run = EndlessRun<readonly Executed[]>;

/**
 * A run without an end as an execution of the threads along their ways: until it has gone through its cycle once, where
 * each thread that has not ended stops.
 */
export function endlessExecution(
  program: Program,
  run: Run,
  failingCasWrites: boolean,
  checkBudget: CheckBudget,
): CandidateExecution | Undecided {
  const steps = [...run.prefix, ...run.cycle];
  const threads = program.threads.map((thread, index) => {
    const executed = steps.flatMap((step) => (step.thread === index ? step.what : []));
    const stop = nextOf(thread, executed.at(-1));
    return unrollAlong(thread, { statements: executed.map(({ statement }) => statement), stop });
  });
  const made = makeEvents(program, threads, failingCasWrites, () => WHOLE);
  if ('kind' in made) return made;
  const structure: EventStructure = { ...made, halts: 'anywhere' };
  const placed = placedIn(structure, run);
  const cells = cellsOf(structure, analyzeValues(structure, false, checkBudget));
  const universe = universeOf(structure, cells);
  return runProgram(universe, choicesOf(universe, cells, placed));
}

/** Where a thread goes on. */
function nextOf(thread: Thread, last: Executed | undefined): number {
  if (last === undefined) return 0;
  if (!last.isTaken) return last.statement + 1;
  return targetOf(thread, last.statement) ?? thread.statements.length;
}

/** A node that is executed, in the order in which that happens. */
interface PlacedNode {
  readonly thread: number;
  readonly node: number;
  readonly executed: Executed;
}

interface Placed {
  readonly nodes: readonly PlacedNode[];
  readonly ends: readonly ThreadEnd[];
}

/** The nodes that the statements of a run are, and where its threads stop. */
function placedIn({ threads }: EventStructure, { prefix, cycle, ended }: Run): Placed {
  const next = threads.map(() => 0);
  const inCycle: number[][] = threads.map(() => []);
  const nodes = [...prefix, ...cycle].flatMap(({ thread, what }, i) =>
    what.map((executed): PlacedNode => {
      const node = next[thread] ?? 0;
      next[thread] = node + 1;
      if (i >= prefix.length) inCycle[thread]?.push(node);
      return { thread, node, executed };
    }),
  );
  const ends = threads.map((_, thread): ThreadEnd => {
    if (ended[thread] === true) return { kind: 'ended' };
    const [node = 0, round = []] = [next[thread], inCycle[thread]];
    return round.length > 0 ? { kind: 'repeats', node, round } : { kind: 'halted', node };
  });
  return { nodes, ends };
}

/** Each read takes the last write before it; writes and fences are in the order of the run. */
function choicesOf(universe: EventUniverse, cells: readonly Cell[], { nodes, ends }: Placed): Choices {
  const { structure, initialWrites, events } = universe;
  const readValues = new Map<number, bigint>();
  const sources: Choices['sources'][number][] = [];
  const coherence: (readonly [number, number])[] = [];
  const writes = new Map(cells.map(({ id }) => [id, [initialWriteOf(initialWrites, cells[id])]]));
  const fences: number[] = [];
  for (const { thread, node, executed } of nodes) {
    const own = structure.eventsOf(thread, node);
    fences.push(...own.filter(({ tags }) => tags.has('SC')).map(({ id }) => id));
    for (const kind of ['read', 'write'] as const) {
      const accesses = executed.accesses.filter((one) => one.kind === kind);
      for (const [i, { at, value }] of accesses.entries()) {
        const event = own.filter((one) => one.kind === kind)[i];
        if (event === undefined) throw new Error('an access that its node does not have');
        if (kind === 'read') readValues.set(event.id, value);
        for (const { id, object, offset, bytes } of cells) {
          if (object !== at.object || !rangesOverlap({ offset, bytes }, at)) continue;
          const before = writes.get(id) ?? [];
          const write = before.at(-1);
          if (kind === 'read' && write !== undefined)
            sources.push({ write, read: event.id, objectId: object.id, offset, bytes });
          if (kind === 'read') continue;
          coherence.push(...before.map((earlier) => [earlier, event.id] as const));
          before.push(event.id);
        }
      }
    }
  }
  const fenceSc = fences.flatMap((a, i) => fences.slice(i + 1).map((b) => [a, b] as const));
  return {
    ...{ readValues, sources, ends },
    ...{ barrierResults: new Map(), mbarrierResults: new Map(), unspecified: new Map(), open: new Map() },
    ...{ mbarriers: [], barrierPhases: [], firstTriggers: [] },
    coherence: Relation.ofPairs(events.length, coherence),
    fenceSc: Relation.ofPairs(events.length, fenceSc),
    finals: cells.flatMap(({ id, object, offset, bytes }) =>
      (writes.get(id) ?? []).slice(-1).map((write) => ({ write, objectId: object.id, offset, bytes })),
    ),
    initialByte: (objectId, offset) => {
      const object = structure.program.locations.objects.find(({ id }) => id === objectId);
      return (object === undefined ? undefined : initialBytes(object, offset, 1)[0]) ?? 0;
    },
  };
}

function initialWriteOf(initialWrites: EventUniverse['initialWrites'], cell: Cell | undefined): number {
  const found = initialWrites.find(({ object, offset }) => object === cell?.object && offset === cell.offset);
  if (found === undefined) throw new Error('a cell without an initial write');
  return found.event.id;
}
