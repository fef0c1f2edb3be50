import { type Deadline, describeUndecided } from '../../program/undecided.js';
import type { Formula } from '../formula/formula.js';
import { smtLib } from '../formula/smt-lib.js';
import { QueriedFormulas, queryOf } from '../solver/query.js';
import type { Refutation } from '../solver/refutation.js';
import type { SecondParty } from '../solver/second-party.js';
import type { Solver } from '../solver/solver.js';
import { type CheckedClauses, firstWrongStep } from './check-proof.js';
import { WrongRefutation } from './wrong-refutation.js';

/** Who has confirmed a refutation: z3, or a checker of its proof. */
export type ConfirmedBy = 'z3' | 'proof';

/** Of how many refutations of a test who has confirmed them; `open` of how many nobody has. */
export interface Confirmation extends Readonly<Record<ConfirmedBy, number>> {
  readonly open: number;
}

/** A refutation that answers rest on. */
interface Claim {
  /** `own`: the second party itself has found it. */
  readonly refutation: Refutation | 'own' | undefined;
  /** All answers of the test may rest on it, whenever it was found. */
  readonly shared: boolean;
  confirmedBy: ConfirmedBy | undefined;
  /** Why nobody has confirmed it. */
  open: string | undefined;
}

/** In milliseconds; a test that has taken longer than ten times that gives z3 a part of its time. */
const LEAST_SHARE = 1_000;
const PART_OF_TIME = 0.2;
/**
 * Learned clauses that a proof may need for it to be checked before z3 is asked: that takes some milliseconds, and z3
 * needs a hundred to start.
 */
const SHORT_PROOF = 2_000;

/** What the answers about one test rest on where nothing was found: refutations, each to be confirmed. */
export class Claims {
  private readonly claims: Claim[] = [];
  /** By log of proofs. */
  private readonly checked = new Map<object, CheckedClauses>();

  /**
   * `party`: who confirms what has a long proof, or, if it wants to, everything. Without one nothing is confirmed,
   * which `strict` holds against answers.
   */
  constructor(
    private readonly party: SecondParty | undefined,
    private readonly strict = false,
  ) {}

  /** Right after an unsatisfiable check, of a question for which some formulas were added. */
  add(solver: Solver, asked: readonly Formula[], shared = false): void {
    const refutation = solver.refutation();
    if (typeof refutation === 'object') mustBeAbout(refutation, asked);
    const isOwn = refutation === 'own';
    if (typeof refutation === 'object' && !this.isFirstChecked(refutation)) this.party?.expect?.();
    const without = this.party !== undefined ? TOO_LONG : this.strict ? NOBODY : undefined;
    const open = refutation === undefined ? without : undefined;
    this.claims.push({ refutation, shared, confirmedBy: isOwn ? 'z3' : undefined, open });
  }

  /** How many there are so far: those of an answer are between two such numbers. */
  get count(): number {
    return this.claims.length;
  }

  private isFirstChecked({ steps }: Refutation): boolean {
    return this.party?.wantsAll !== true && steps.ids.length <= SHORT_PROOF;
  }

  /** Has confirmed what is not yet: `spent` milliseconds were needed to find it. */
  confirm(deadline: Deadline, spent: number): void {
    const { party } = this;
    if (party === undefined) return;
    for (const claim of this.claims)
      if (isWaiting(claim) && this.isFirstChecked(claim.refutation)) this.checkProof(claim, deadline, undefined);
    const share = Math.max(LEAST_SHARE, spent * PART_OF_TIME);
    for (const claims of this.byFormulas()) {
      const query = queryOf(claims.map(({ refutation }) => refutation));
      const answer = party.decide(query, lasting(share, deadline));
      if (answer === 'sat') throw wrong('z3 satisfies what the search has refuted', query);
      if (answer === 'unsat') for (const claim of claims) claim.confirmedBy = 'z3';
      else for (const one of claims) this.checkProof(one, deadline, describeUndecided(answer.unknown));
    }
  }

  /** `why`: what kept z3 from it; undefined where z3 is still to be asked if that does not come to an end. */
  private checkProof(claim: WaitingClaim, deadline: Deadline, why: string | undefined): void {
    const { refutation } = claim;
    const left = lasting(Math.max(LEAST_TIME_FOR_PROOF, deadline.remaining()), deadline);
    const step = firstWrongStep(refutation, () => left.remaining() > 0, this.checkedIn(refutation.log));
    if (step === -1) claim.confirmedBy = 'proof';
    else if (step !== undefined)
      throw wrong(`the proof of a refutation is wrong at step ${step}`, queryOf([refutation]));
    else if (why !== undefined) claim.open = `z3: ${why}; its proof: timeout`;
  }

  private checkedIn(log: object): CheckedClauses {
    const known = this.checked.get(log) ?? new Map();
    this.checked.set(log, known);
    return known;
  }

  /** Those that wait to be confirmed, by the formulas that they are about. */
  private byFormulas(): Iterable<readonly WaitingClaim[]> {
    const found = new Map<unknown, WaitingClaim[]>();
    for (const claim of this.claims.filter(isWaiting)) {
      const { builder } = claim.refutation;
      const waiting = found.get(builder) ?? [];
      waiting.push(claim);
      found.set(builder, waiting);
    }
    return found.values();
  }

  /** Why an answer that rests on the claims from one number up to another, and on shared ones, is not confirmed. */
  openIn(from: number, to: number): string | undefined {
    return this.claims.find(({ shared, open }, i) => open !== undefined && (shared || (i >= from && i < to)))?.open;
  }

  get summary(): Confirmation {
    const by = (who: ConfirmedBy | undefined): number =>
      this.claims.filter(({ confirmedBy }) => confirmedBy === who).length;
    return { z3: by('z3'), proof: by('proof'), open: by(undefined) };
  }
}

/** What was refuted must be what was asked: of another question nobody would notice. */
function mustBeAbout({ assumptions, condition, facts = [] }: Refutation, asked: readonly Formula[]): void {
  const known = new Set([...asked, ...facts, condition]);
  if (!assumptions.every((one) => known.has(one))) throw new Error('the search has refuted what was not asked');
}

interface WaitingClaim extends Claim {
  readonly refutation: Refutation;
}

const isWaiting = (claim: Claim): claim is WaitingClaim =>
  typeof claim.refutation === 'object' && claim.confirmedBy === undefined && claim.open === undefined;

const NOBODY = 'nobody was asked to';
const TOO_LONG = 'its proof is too long to be kept';
/** A proof that is there is checked also where a test has used its time up: milliseconds. */
const LEAST_TIME_FOR_PROOF = 1_000;

/** So many milliseconds from now, by the clock of another deadline. */
function lasting(time: number, { remaining }: Deadline): Deadline {
  const now = remaining();
  return { remaining: () => time - (now - remaining()) };
}

const wrong = (message: string, query: Parameters<SecondParty['decide']>[0]): WrongRefutation => {
  const formulas = new QueriedFormulas(query);
  return new WrongRefutation(message, smtLib(formulas, formulas.asserted, `${message}: this should be unsat`));
};
