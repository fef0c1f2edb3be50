import { withLocalAxioms } from '../../cat/local-checks.js';
import type { Model } from '../../cat/model.js';
import type { Deadline, Undecided } from '../../program/undecided.js';
import type { Claims } from '../confirmation/claims.js';
import type { ExecutionEncoding } from '../encoding/encode-execution.js';
import { encodeModel } from '../encoding/encode-model.js';
import type { MbarrierPlace, PossiblePlace } from '../encoding/mbarrier-places.js';
import { FALSE, type Formula, TRUE } from '../formula/formula.js';
import type { SatSolver } from '../solver/solver.js';
import type { EngineOptions } from './consistent-executions.js';
import { question } from './question.js';

/** With fewer open places than this, looking for impossible ones costs more than it saves. */
const FEWEST_OPEN = 40;
/**
 * Axioms rule out places of large tests only: which inferred definitions these axioms needed is not asked any more, and
 * all of them are said to matter.
 */
const FEWEST_OPEN_FOR_AXIOMS = 200;

export interface FewPlaces {
  readonly encoding: ExecutionEncoding;
  /** Inferred definitions of the model by which places were ruled out. */
  readonly inferred: readonly string[];
}

/** Encodes the program without the places that are known to be impossible. */
type Encode = (ruledOut: ReadonlySet<MbarrierPlace>) => ExecutionEncoding | Undecided;

/**
 * Encodes a program without the places in the orders of mbarrier objects that no operation takes in any execution: by
 * the waits in between, most operations of a pipeline have one place only, and what is encoded over them becomes
 * constant. They are found before the model is encoded: first without it, then, on what is left, with those of its
 * axioms that speak of these orders without closures; without a model, the program alone rules out.
 */
export function encodeWithFewPlaces(
  solver: SatSolver,
  model: Model | undefined,
  { deadline, claims }: Pick<EngineOptions, 'deadline' | 'claims'>,
  encode: Encode,
): FewPlaces | Undecided {
  const ruledOut = new Set<MbarrierPlace>();
  const reduced = (encoding: ExecutionEncoding, axioms: Model | undefined): ExecutionEncoding | Undecided => {
    const more = impossiblePlaces(solver, axioms, encoding, deadline, claims);
    for (const place of more) ruledOut.add(place);
    return more.size === 0 ? encoding : encode(ruledOut);
  };
  const first = encode(ruledOut);
  if ('kind' in first) return first;
  const { inferred } = first.memory;
  if (openPlaces(first).length < FEWEST_OPEN) return { encoding: first, inferred };
  const byProgram = reduced(first, undefined);
  if ('kind' in byProgram) return byProgram;
  const isLarge = openPlaces(byProgram).length >= FEWEST_OPEN_FOR_AXIOMS;
  const axioms = isLarge && model !== undefined ? withLocalAxioms(model, 'mbo') : undefined;
  if (axioms === undefined) return { encoding: byProgram, inferred };
  const byAxioms = reduced(byProgram, axioms);
  if ('kind' in byAxioms) return byAxioms;
  return { encoding: byAxioms, inferred: byAxioms === byProgram ? inferred : [...inferred, ...inferredIn(axioms)] };
}

/** The inferred definitions that the axioms of a model with few of its statements are made of. */
function inferredIn({ statements, inferred }: Model): readonly string[] {
  const names = statements.flatMap((one) => (one.kind === 'let' ? one.bindings.map(({ name }) => name) : []));
  return names.filter((name) => inferred.has(name));
}

function impossiblePlaces(
  solver: SatSolver,
  axioms: Model | undefined,
  encoding: ExecutionEncoding,
  deadline: Deadline,
  claims: Claims,
): ReadonlySet<MbarrierPlace> {
  const impossible = new Set<MbarrierPlace>();
  const open = openPlaces(encoding);
  const context = solver.context(encoding.builder);
  try {
    for (const formula of encoding.constraints) context.assert(formula);
    if (axioms !== undefined) for (const { holds } of encodeModel(axioms, encoding).checks) context.assert(holds);
    const asked = context.solver('query');
    const possible = new Set<Formula>();
    // What comes early in an order fixes what can come later.
    for (const { place, formula } of [...open].sort((a, b) => a.k - b.k)) {
      if (possible.has(formula)) continue;
      const result = question(asked, [formula], deadline, (found) => {
        const assigned = found === 'sat' ? asked.assignment() : undefined;
        for (const other of open) if (assigned?.(other.formula >> 1)) possible.add(other.formula);
        return found;
      });
      if (result === 'unsat') {
        impossible.add(place);
        claims.add(asked, [formula], true);
        asked.exclude(formula);
      } else if (result !== 'sat') return impossible;
    }
    return impossible;
  } finally {
    context.dispose();
  }
}

/** Those that are a choice of their own, and not just what says that the operation is executed at all. */
function openPlaces({ builder, mbarriers }: ExecutionEncoding): readonly PossiblePlace[] {
  return mbarriers
    .candidates()
    .filter(({ formula }) => formula !== TRUE && formula !== FALSE && builder.node(formula).kind === 'variable');
}
