import type { Placement } from '../program/placement.js';
import type { TensorMemory } from '../program/tensor-memory.js';
import type { CheckBudget } from '../program/undecided.js';
import type { Declaration } from '../syntax/litmus-ast.js';
import { LocationBuilder } from './build-locations.js';
import { buildTensorMemory } from './build-tensor-memory.js';
import type { FlatBody } from './flatten-body.js';

/** A thread's place and its statements. */
export interface PlacedBody {
  readonly placement: Placement;
  readonly body: FlatBody;
}

/** The memory of a test. */
export interface TestMemory {
  readonly memory: LocationBuilder;
  readonly tensorMemory: TensorMemory | undefined;
}

/** Memory as a test declares it, and as the bodies of its threads declare and allocate it. */
export function buildMemory(
  declarations: readonly Declaration[],
  bodies: readonly PlacedBody[],
  checkBudget: CheckBudget,
  /** Of variables of modules: what they are called in reports. */
  shownNames?: ReadonlyMap<string, string>,
  /** Each body is that of all threads of its CTA. */
  areOfAll = false,
): TestMemory {
  const placements = bodies.map(({ placement }) => placement);
  const memory = new LocationBuilder(declarations, placements, checkBudget, shownNames);
  for (const { body } of bodies) memory.declareVariables(body.variables);
  const tensorMemory = buildTensorMemory(
    bodies.map(({ placement, body: { statements } }) => ({ placement, statements })),
    memory,
    areOfAll,
  );
  return { memory, tensorMemory };
}
