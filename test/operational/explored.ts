import { type Exploration, explore } from '../../src/operational/explore.js';
import { MachineContext } from '../../src/operational/machine-context.js';
import type { Program } from '../../src/program/program.js';
import { describeUndecided } from '../../src/program/undecided.js';
import { buildEvents } from '../../src/semantics/build-events.js';

const READINGS = {
  strongAcrossProxies: false,
  lenientProxyFences: false,
  proxyFencesOfGenericThreads: false,
  completionOfResultsOnly: false,
  fencesBeforeFirstTrigger: false,
  asyncAtIssuer: false,
  proxyFencesOfPair: true,
  wholePipelines: false,
  tearing: false,
  exchangesOrderMemory: false,
};
const MOST_STATES = 3000;

/** All that the machine does with a program; `everyOrder`: also in orders that make no difference. */
export function explored(program: Program, everyOrder: boolean): Exploration {
  const structure = buildEvents(program, { bound: 2, spinRounds: 2, failingCasWrites: false });
  if ('kind' in structure) throw new Error(describeUndecided(structure));
  const context = MachineContext.of(structure, READINGS, () => undefined);
  if ('kind' in context) throw new Error(describeUndecided(context));
  return explore(context, { mostStates: MOST_STATES, deadline: { remaining: () => 1 }, everyOrder });
}

/** Outcomes, findings and whether there is a deadlock. */
export function shape({ outcomes, findings, deadlock }: Exploration): unknown {
  return {
    outcomes: [...outcomes.keys()].sort(),
    findings: [...findings.keys()].sort(),
    deadlock: deadlock !== undefined,
  };
}
