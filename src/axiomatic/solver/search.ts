import { grown } from '../formula/grown.js';
import { ClauseStore, HEADER, MARK } from './clause-store.js';
import { ConflictAnalysis } from './conflict-analysis.js';
import { luby } from './luby.js';
import type { ProofId, ProofLog } from './proof-log.js';
import { type Literal, NO_CLAUSE, Trail } from './trail.js';
import { VariableOrder } from './variable-order.js';

export type { Literal };

export type SearchResult = 'sat' | 'unsat' | 'given up';

/** Whether to go on; asked now and then during a search. */
export type MayGoOn = () => boolean;

/** In conflicts. */
const [RESTART_UNIT, FIRST_REDUCTION, REDUCTION_STEP] = [64, 2_000, 500];
const WORK_BETWEEN_QUESTIONS = 20_000;

/**
 * Satisfiability of clauses by conflict-driven clause learning (Marques-Silva and Sakallah 1999), in the form of
 * MiniSat (Eén and Sörensson 2003): two watched literals with blockers, first unique implication points, minimized
 * learned clauses kept by their LBD (Audemard and Simon 2009), saved phases, Luby restarts, and assumptions. Clauses
 * can be added between searches; what was learned stays.
 */
export class Search {
  private readonly clauses = new ClauseStore();
  /** By literal: clause and blocker in turn; the complement of a clause of two literals. */
  private readonly watches: number[][] = [];
  private phases = new Int8Array(0);
  private known = new Uint8Array(0);
  /** By variable: 1 if it is decided, where nothing implies it. */
  private decided = new Uint8Array(0);
  private readonly order = new VariableOrder();
  private readonly trail = new Trail();
  private readonly analysis: ConflictAnalysis;
  private propagated = 0;
  private learned: number[] = [];
  private consistent = true;
  private untilReduction = FIRST_REDUCTION;
  private reductions = 0;
  private work = 0;

  /** Of the assumptions of the last search that found nothing, some that the clauses rule out together. */
  readonly refuted = new Set<Literal>();
  private refutedBy: ProofId = 0;

  /** With a log it is written down why each learned clause holds. */
  constructor(log?: ProofLog) {
    this.analysis = new ConflictAnalysis(this.trail, this.clauses, log, (variable) => {
      this.decided[variable] = 1;
      this.order.bump(variable);
    });
  }

  /** By the log: the clause that the last search found, which excludes the assumptions in `refuted` together. */
  get refutation(): ProofId {
    return this.refutedBy;
  }

  /**
   * Makes a variable known. One that is `defined` by clauses over others need not have a value when all others have
   * theirs; it is decided only once it has been part of a conflict.
   */
  addVariable(variable: number, defined = false): void {
    if (variable >= this.known.length) this.grow(variable + 1);
    if (this.known[variable] === 1) return;
    this.known[variable] = 1;
    this.watches[2 * variable] = [];
    this.watches[2 * variable + 1] = [];
    if (defined) return;
    this.decided[variable] = 1;
    this.order.insert(variable);
  }

  /** Adds a clause over known variables; `proof`: by which number the log knows it. */
  addClause(literals: readonly Literal[], proof: ProofId = 0): void {
    if (!this.consistent) return;
    this.backtrack(0);
    const { values } = this.trail;
    const kept: Literal[] = [];
    for (const literal of literals) {
      const value = values[literal];
      if (value === 1 || kept.includes(literal ^ 1)) return;
      if (value === 0 && !kept.includes(literal)) kept.push(literal);
    }
    const by = this.analysis.stripped(kept, proof, literals);
    const [first, second] = kept;
    if (first === undefined) this.endsWith(by);
    else if (second === undefined) this.assignUnit(first, by);
    else this.attach(this.clauses.add(kept, 0, by));
  }

  /** Keeps what the last search found: that the assumptions in `refuted` do not hold together. */
  keepRefutation(): void {
    this.addClause(
      [...this.refuted].map((literal) => literal ^ 1),
      this.refutedBy,
    );
  }

  /** The clauses cannot hold together. */
  private endsWith(proof: ProofId): void {
    this.consistent = false;
    this.refutedBy = proof;
  }

  private assignUnit(literal: Literal, proof: ProofId): void {
    this.analysis.isUnit(literal, proof);
    this.trail.assign(literal, NO_CLAUSE);
  }

  /** What the last search found: by literal, 1 if true. */
  assignment(): Int8Array {
    return this.trail.values.slice();
  }

  /** Searches an assignment of all variables that are not defined that satisfies every clause, and the assumptions. */
  run(assumptions: readonly Literal[], mayGoOn: MayGoOn): SearchResult {
    this.backtrack(0);
    this.refuted.clear();
    if (!this.consistent) return 'unsat';
    for (let round = 1; ; round++) {
      const result = this.searchFor(RESTART_UNIT * luby(round), assumptions, mayGoOn);
      if (result !== 'restart') return result;
      this.backtrack(0);
    }
  }

  private searchFor(most: number, assumptions: readonly Literal[], mayGoOn: MayGoOn): SearchResult | 'restart' {
    const { trail } = this;
    for (let conflicts = 0; ; ) {
      const conflict = this.propagate();
      if (conflict !== NO_CLAUSE) {
        conflicts++;
        this.untilReduction--;
        if (trail.level === 0) {
          this.endsWith(this.analysis.refuted(conflict));
          return 'unsat';
        }
        this.learn(conflict);
      }
      // Only once nothing is left of a conflict: at level 0 no later search would come upon it again.
      if (this.work > WORK_BETWEEN_QUESTIONS) {
        this.work = 0;
        if (!mayGoOn()) return 'given up';
      }
      if (conflict !== NO_CLAUSE) continue;
      if (conflicts >= most) return 'restart';
      if (this.untilReduction <= 0) this.reduce();
      const decision = this.decide(assumptions);
      if (decision === 'unsat' || decision === 'sat') return decision;
      trail.levelStarts.push(trail.literals.length);
      if (decision !== 'level') trail.assign(decision, NO_CLAUSE);
    }
  }

  /** The next assumption, then the phase that an open variable had last. */
  private decide(assumptions: readonly Literal[]): Literal | 'level' | 'unsat' | 'sat' {
    const { values, level } = this.trail;
    const assumption = assumptions[level];
    if (assumption !== undefined) {
      const value = values[assumption];
      if (value === -1) this.blame(assumption);
      return value === 1 ? 'level' : value === -1 ? 'unsat' : assumption;
    }
    for (let variable = this.order.next(); variable !== undefined; variable = this.order.next())
      if (values[2 * variable] === 0) return 2 * variable + (this.phases[variable] === 1 ? 0 : 1);
    return 'sat';
  }

  /** Keeps the assumptions from which it follows that one more of them is false. */
  private blame(refused: Literal): void {
    const { assumptions, proof } = this.analysis.blame(refused);
    for (const assumption of assumptions) this.refuted.add(assumption);
    this.refutedBy = proof;
  }

  /** Follows all consequences; the clause that is false, if one is. */
  private propagate(): number {
    const { trail, watches } = this;
    const { values, literals } = trail;
    const { arena } = this.clauses;
    while (this.propagated < literals.length) {
      const falsified = (literals[this.propagated++] as number) ^ 1;
      const watching = watches[falsified] as number[];
      const { length } = watching;
      this.work += length;
      let kept = 0;
      let at = 0;
      while (at < length) {
        const clause = watching[at] as number;
        const blocker = watching[at + 1] as number;
        at += 2;
        if (values[blocker] === 1) {
          watching[kept] = clause;
          watching[kept + 1] = blocker;
          kept += 2;
          continue;
        }
        // Of a clause of two literals the blocker is the other one: it need not be looked at.
        if (clause < 0) {
          watching[kept] = clause;
          watching[kept + 1] = blocker;
          kept += 2;
          if (values[blocker] === -1) {
            while (at < length) watching[kept++] = watching[at++] as number;
            watching.length = kept;
            this.propagated = literals.length;
            return ~clause;
          }
          trail.assign(blocker, ~clause);
          continue;
        }
        const start = clause + HEADER;
        let first = arena[start] as number;
        if (first === falsified) {
          first = arena[start + 1] as number;
          arena[start] = first;
          arena[start + 1] = falsified;
        }
        if (first !== blocker && values[first] === 1) {
          watching[kept] = clause;
          watching[kept + 1] = first;
          kept += 2;
          continue;
        }
        const end = start + (arena[clause] as number);
        let next = start + 2;
        while (next < end && values[arena[next] as number] === -1) next++;
        if (next < end) {
          const literal = arena[next] as number;
          arena[start + 1] = literal;
          arena[next] = falsified;
          (watches[literal] as number[]).push(clause, first);
          continue;
        }
        watching[kept] = clause;
        watching[kept + 1] = first;
        kept += 2;
        if (values[first] === -1) {
          while (at < length) watching[kept++] = watching[at++] as number;
          watching.length = kept;
          this.propagated = literals.length;
          return clause;
        }
        trail.assign(first, clause);
      }
      watching.length = kept;
    }
    return NO_CLAUSE;
  }

  /** Learns a clause from a conflict, goes back to where it forces a literal, and assigns that. */
  private learn(conflict: number): void {
    const { levels } = this.trail;
    const { literals, proof } = this.analysis.learn(conflict);
    this.order.decay();
    const [forced, ...others] = literals as [Literal, ...Literal[]];
    if (others.length === 0) {
      this.backtrack(0);
      this.assignUnit(forced, proof);
      return;
    }
    // The literal of the highest level among the others is watched, so that the clause wakes when it is undone.
    const sorted = others.sort((a, b) => (levels[b >> 1] as number) - (levels[a >> 1] as number));
    const lbd = new Set(others.map((literal) => levels[literal >> 1])).size + 1;
    this.backtrack(levels[(sorted[0] as number) >> 1] as number);
    const clause = this.clauses.add([forced, ...sorted], lbd, proof);
    this.attach(clause);
    this.learned.push(clause);
    this.trail.assign(forced, clause);
  }

  private backtrack(level: number): void {
    const { values, literals, levelStarts } = this.trail;
    const start = levelStarts[level];
    if (start === undefined) return;
    const { phases, order, decided } = this;
    for (let i = literals.length - 1; i >= start; i--) {
      const literal = literals[i] as number;
      values[literal] = 0;
      values[literal ^ 1] = 0;
      phases[literal >> 1] = (literal & 1) === 0 ? 1 : 0;
      if (decided[literal >> 1] === 1) order.insert(literal >> 1);
    }
    literals.length = start;
    levelStarts.length = level;
    this.propagated = start;
  }

  /** Forgets half of the learned clauses: those of the most levels, the older first. */
  private reduce(): void {
    this.reductions++;
    this.untilReduction = FIRST_REDUCTION + REDUCTION_STEP * this.reductions;
    const { values, reasons, literals } = this.trail;
    const { arena } = this.clauses;
    const isReason = (clause: number): boolean => {
      const first = arena[clause + HEADER] as number;
      return values[first] === 1 && reasons[first >> 1] === clause;
    };
    const loose = this.learned.filter(
      (clause) => (arena[clause] as number) > 2 && (arena[clause + MARK] as number) > 2 && !isReason(clause),
    );
    loose.sort((a, b) => (arena[b + MARK] as number) - (arena[a + MARK] as number));
    const dropped = new Set(loose.slice(0, loose.length >> 1));
    if (dropped.size === 0) return;
    const moved = this.clauses.remove(dropped);
    this.learned = this.learned.filter((clause) => !dropped.has(clause)).map((clause) => moved[clause] as number);
    for (const literal of literals) {
      const reason = reasons[literal >> 1] as number;
      if (reason !== NO_CLAUSE) reasons[literal >> 1] = moved[reason] as number;
    }
    for (const watching of this.watches) {
      if (watching === undefined) continue;
      let kept = 0;
      for (let at = 0; at < watching.length; at += 2) {
        const watched = watching[at] as number;
        if (dropped.has(watched)) continue;
        watching[kept++] = watched < 0 ? ~(moved[~watched] as number) : (moved[watched] as number);
        watching[kept++] = watching[at + 1] as number;
      }
      watching.length = kept;
    }
  }

  private attach(clause: number): void {
    const first = this.clauses.arena[clause + HEADER] as number;
    const second = this.clauses.arena[clause + HEADER + 1] as number;
    const watched = this.clauses.arena[clause] === 2 ? ~clause : clause;
    this.watches[first]?.push(watched, second);
    this.watches[second]?.push(watched, first);
  }

  private grow(count: number): void {
    const size = Math.max(count, 2 * this.known.length, 256);
    this.trail.grow(size);
    this.analysis.grow(size);
    this.phases = grown(this.phases, size);
    this.known = grown(this.known, size);
    this.decided = grown(this.decided, size);
    this.order.grow(size);
  }
}
