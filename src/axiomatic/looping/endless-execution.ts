import type { EventStructure } from '../../events/events.js';
import type { CandidateExecution, EventUniverse, ThreadEnd } from '../../execution/candidate-execution.js';
import type { Choices } from '../../execution/choices.js';
import { runProgram } from '../../execution/run-program.js';
import type { Program } from '../../program/program.js';
import type { CheckBudget } from '../../program/undecided.js';
import type { EndlessRun } from '../../progress/endless-run.js';
import { Relation } from '../../relation/relation.js';
import { buildEvents } from '../../semantics/build-events.js';
import { type Cell, initialBytes, rangesOverlap } from '../../semantics/cells.js';
import { analyzeValues, cellsOf } from '../../semantics/value-analysis.js';
import type { Edge, UnrolledThread } from '../../unroll/unroll.js';
import { universeOf } from '../encoding/universe.js';
import type { Executed } from './interleavings.js';

type Run = EndlessRun<readonly Executed[]>;

/** How often loops are unrolled to hold what leads to a cycle, and the cycle once. */
const ROUNDS = [2, 4, 8, 16];

/**
 * A run without an end as an execution of the unrolled threads: until it has gone through its cycle once, where each
 * thread that has not ended stops. Undefined where it does not fit into so many rounds.
 */
export function endlessExecution(
  program: Program,
  run: Run,
  failingCasWrites: boolean,
  checkBudget: CheckBudget,
): CandidateExecution | undefined {
  for (const bound of ROUNDS) {
    const structure = buildEvents(program, { bound, spinRounds: bound, failingCasWrites, halts: 'anywhere' });
    if ('kind' in structure) return undefined;
    const placed = placedIn(structure, run);
    if (placed === undefined) continue;
    const cells = cellsOf(structure, analyzeValues(structure, false, checkBudget));
    const universe = universeOf(structure, cells);
    return runProgram(universe, choicesOf(universe, cells, placed));
  }
  return undefined;
}

/** A node that is executed, in the order in which that happens, with the values of its reads. */
interface PlacedNode {
  readonly thread: number;
  readonly node: number;
  readonly executed: Executed;
}

interface Placed {
  readonly nodes: readonly PlacedNode[];
  readonly ends: readonly ThreadEnd[];
}

/** The nodes that the statements of a run are, and where its threads stop; undefined if some are past the bound. */
function placedIn({ threads }: EventStructure, { prefix, cycle, ended }: Run): Placed | undefined {
  const nextOf = threads.map(successorsByEdge);
  const at: Edge[] = threads.map(() => ({ from: undefined, when: 'next' }));
  const nodes: PlacedNode[] = [];
  const inCycle: number[][] = threads.map(() => []);
  for (const [i, { thread, what }] of [...prefix, ...cycle].entries())
    for (const executed of what) {
      const node = nextOf[thread]?.(at[thread]);
      if (node === undefined || threads[thread]?.nodes[node]?.index !== executed.statement) return undefined;
      nodes.push({ thread, node, executed });
      if (i >= prefix.length) inCycle[thread]?.push(node);
      at[thread] = { from: node, when: executed.isTaken ? 'taken' : 'next' };
    }
  const ends = threads.map(({ nodes: own, ends: last }, thread): ThreadEnd | undefined => {
    if (ended[thread] === true) return { kind: 'ended' };
    const edge = at[thread];
    const isLast = last.some(({ from, when }) => from === edge?.from && when === edge?.when);
    const node = isLast ? own.length : nextOf[thread]?.(edge);
    if (node === undefined) return undefined;
    const round = inCycle[thread] ?? [];
    return round.length > 0 ? { kind: 'repeats', node, round } : { kind: 'halted', node };
  });
  return ends.every((end) => end !== undefined) ? { nodes, ends } : undefined;
}

function successorsByEdge({ nodes }: UnrolledThread): (edge: Edge | undefined) => number | undefined {
  const keyOf = ({ from, when }: Edge): string => `${from}/${when}`;
  const next = new Map(nodes.flatMap(({ id, incoming }) => incoming.map((edge) => [keyOf(edge), id] as const)));
  return (edge) => (edge === undefined ? undefined : next.get(keyOf(edge)));
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
