import { ClauseStore, HEADER } from './clause-store.js';
import { grown } from './grown.js';
import { luby } from './luby.js';
import { VariableOrder } from './variable-order.js';

/** A variable's number times two, plus 1 if negated. */
export type Literal = number;

export type SearchResult = 'sat' | 'unsat' | 'given up';

/** Whether to go on; asked now and then during a search. */
export type MayGoOn = () => boolean;

const NO_CLAUSE = -1;
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
  /** By literal: 1 if true, -1 if false, 0 if open. */
  private values = new Int8Array(0);
  private levels = new Int32Array(0);
  private reasons = new Int32Array(0);
  private phases = new Int8Array(0);
  private seen = new Int8Array(0);
  private known = new Uint8Array(0);
  /** By variable: 1 if it is decided, where nothing implies it. */
  private decided = new Uint8Array(0);
  private readonly order = new VariableOrder();
  private readonly trail: Literal[] = [];
  private readonly levelStarts: number[] = [];
  private propagated = 0;
  private learned: number[] = [];
  private consistent = true;
  private untilReduction = FIRST_REDUCTION;
  private reductions = 0;
  private work = 0;

  /** Of the assumptions of the last search that found nothing, some that the clauses rule out together. */
  readonly refuted = new Set<Literal>();

  /**
   * Makes a variable known. One that is `defined` by clauses over others need not have a value when all others have
   * theirs; it is decided only once it has been part of a conflict.
   */
  addVariable(variable: number, defined = false): void {
    if (variable >= this.levels.length) this.grow(variable + 1);
    if (this.known[variable] === 1) return;
    this.known[variable] = 1;
    this.watches[2 * variable] = [];
    this.watches[2 * variable + 1] = [];
    if (defined) return;
    this.decided[variable] = 1;
    this.order.insert(variable);
  }

  /** Adds a clause over known variables. */
  addClause(literals: readonly Literal[]): void {
    if (!this.consistent) return;
    this.backtrack(0);
    const kept: Literal[] = [];
    for (const literal of literals) {
      const value = this.values[literal];
      if (value === 1 || kept.includes(literal ^ 1)) return;
      if (value === 0 && !kept.includes(literal)) kept.push(literal);
    }
    const [first, second] = kept;
    if (first === undefined) this.consistent = false;
    else if (second === undefined) this.assign(first, NO_CLAUSE);
    else this.attach(this.clauses.add(kept, 0));
  }

  /** What the last search found: by literal, 1 if true. */
  assignment(): Int8Array {
    return this.values.slice();
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
    for (let conflicts = 0; ; ) {
      const conflict = this.propagate();
      if (this.work > WORK_BETWEEN_QUESTIONS) {
        this.work = 0;
        if (!mayGoOn()) return 'given up';
      }
      if (conflict !== NO_CLAUSE) {
        conflicts++;
        this.untilReduction--;
        if (this.levelStarts.length === 0) {
          this.consistent = false;
          return 'unsat';
        }
        this.learn(conflict);
        continue;
      }
      if (conflicts >= most) return 'restart';
      if (this.untilReduction <= 0) this.reduce();
      const decision = this.decide(assumptions);
      if (decision === 'unsat' || decision === 'sat') return decision;
      this.levelStarts.push(this.trail.length);
      if (decision !== 'level') this.assign(decision, NO_CLAUSE);
    }
  }

  /** The next assumption, then the phase that an open variable had last. */
  private decide(assumptions: readonly Literal[]): Literal | 'level' | 'unsat' | 'sat' {
    const assumption = assumptions[this.levelStarts.length];
    if (assumption !== undefined) {
      const value = this.values[assumption];
      if (value === -1) this.blame(assumption);
      return value === 1 ? 'level' : value === -1 ? 'unsat' : assumption;
    }
    for (let variable = this.order.next(); variable !== undefined; variable = this.order.next())
      if (this.values[2 * variable] === 0) return 2 * variable + (this.phases[variable] === 1 ? 0 : 1);
    return 'sat';
  }

  /** Finds the assumptions from which it follows that one more of them is false. */
  private blame(refused: Literal): void {
    const { seen, trail, reasons, levels } = this;
    const { arena } = this.clauses;
    this.refuted.add(refused);
    if (levels[refused >> 1] === 0) return;
    seen[refused >> 1] = 1;
    const first = this.levelStarts[0] ?? 0;
    for (let at = trail.length - 1; at >= first; at--) {
      const literal = trail[at] as number;
      if (seen[literal >> 1] !== 1) continue;
      seen[literal >> 1] = 0;
      const reason = reasons[literal >> 1] as number;
      if (reason === NO_CLAUSE) this.refuted.add(literal);
      else
        for (let i = reason + HEADER; i < reason + HEADER + (arena[reason] as number); i++) {
          const variable = (arena[i] as number) >> 1;
          if (variable !== literal >> 1 && (levels[variable] as number) > 0) seen[variable] = 1;
        }
    }
  }

  private assign(literal: Literal, reason: number): void {
    const variable = literal >> 1;
    this.values[literal] = 1;
    this.values[literal ^ 1] = -1;
    this.levels[variable] = this.levelStarts.length;
    this.reasons[variable] = reason;
    this.trail.push(literal);
  }

  /** Follows all consequences; the clause that is false, if one is. */
  private propagate(): number {
    const { values, trail, watches } = this;
    const { arena } = this.clauses;
    while (this.propagated < trail.length) {
      const falsified = (trail[this.propagated++] as number) ^ 1;
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
            this.propagated = trail.length;
            return ~clause;
          }
          this.assign(blocker, ~clause);
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
          this.propagated = trail.length;
          return clause;
        }
        this.assign(first, clause);
      }
      watching.length = kept;
    }
    return NO_CLAUSE;
  }

  /** Learns a clause from a conflict, goes back to where it forces a literal, and assigns that. */
  private learn(conflict: number): void {
    const { seen, levels } = this;
    const { arena } = this.clauses;
    const level = this.levelStarts.length;
    const clause: Literal[] = [0];
    let open = 0;
    let at = this.trail.length - 1;
    let from = conflict;
    let implied = -1;
    do {
      const start = from + HEADER;
      const end = start + (arena[from] as number);
      for (let i = start; i < end; i++) {
        const literal = arena[i] as number;
        const variable = literal >> 1;
        if (literal === implied || seen[variable] === 1 || levels[variable] === 0) continue;
        seen[variable] = 1;
        this.decided[variable] = 1;
        this.order.bump(variable);
        if (levels[variable] === level) open++;
        else clause.push(literal);
      }
      while (seen[(this.trail[at] as number) >> 1] !== 1) at--;
      implied = this.trail[at] as number;
      from = this.reasons[implied >> 1] as number;
      seen[implied >> 1] = 0;
      open--;
      at--;
    } while (open > 0);
    clause[0] = implied ^ 1;
    const before = clause.slice(1);
    const needed = before.filter((literal) => !this.isRedundant(literal));
    for (const literal of before) seen[literal >> 1] = 0;
    for (const variable of this.visited) seen[variable] = 0;
    this.visited.length = 0;
    this.order.decay();
    this.keep(clause[0] as number, needed);
  }

  private keep(forced: Literal, others: readonly Literal[]): void {
    const { levels } = this;
    const [first] = others;
    if (first === undefined) {
      this.backtrack(0);
      this.assign(forced, NO_CLAUSE);
      return;
    }
    // The literal of the highest level among the others is watched, so that the clause wakes when it is undone.
    const sorted = [...others].sort((a, b) => (levels[b >> 1] as number) - (levels[a >> 1] as number));
    const lbd = new Set(others.map((literal) => levels[literal >> 1])).size + 1;
    this.backtrack(levels[(sorted[0] as number) >> 1] as number);
    const clause = this.clauses.add([forced, ...sorted], lbd);
    this.attach(clause);
    this.learned.push(clause);
    this.assign(forced, clause);
  }

  private readonly visited: number[] = [];
  /** Whether a literal of a learned clause follows from the others (Sörensson and Biere 2009). */
  private isRedundant(literal: Literal): boolean {
    const { seen, reasons, levels } = this;
    const { arena } = this.clauses;
    if ((reasons[literal >> 1] as number) === NO_CLAUSE) return false;
    const stack = [literal];
    const visitedBefore = this.visited.length;
    for (let one = stack.pop(); one !== undefined; one = stack.pop()) {
      const reason = reasons[one >> 1] as number;
      const start = reason + HEADER;
      const end = start + (arena[reason] as number);
      for (let i = start; i < end; i++) {
        const other = arena[i] as number;
        const variable = other >> 1;
        if (variable === one >> 1 || levels[variable] === 0 || seen[variable] === 1) continue;
        if ((reasons[variable] as number) === NO_CLAUSE) {
          for (const undone of this.visited.splice(visitedBefore)) seen[undone] = 0;
          return false;
        }
        seen[variable] = 1;
        this.visited.push(variable);
        stack.push(other);
      }
    }
    return true;
  }

  private backtrack(level: number): void {
    const start = this.levelStarts[level];
    if (start === undefined) return;
    const { values, trail, phases, order, decided } = this;
    for (let i = trail.length - 1; i >= start; i--) {
      const literal = trail[i] as number;
      values[literal] = 0;
      values[literal ^ 1] = 0;
      phases[literal >> 1] = (literal & 1) === 0 ? 1 : 0;
      if (decided[literal >> 1] === 1) order.insert(literal >> 1);
    }
    trail.length = start;
    this.levelStarts.length = level;
    this.propagated = start;
  }

  /** Forgets half of the learned clauses: those of the most levels, the older first. */
  private reduce(): void {
    this.reductions++;
    this.untilReduction = FIRST_REDUCTION + REDUCTION_STEP * this.reductions;
    const { reasons } = this;
    const { arena } = this.clauses;
    const isReason = (clause: number): boolean => {
      const first = arena[clause + HEADER] as number;
      return this.values[first] === 1 && reasons[first >> 1] === clause;
    };
    const loose = this.learned.filter(
      (clause) => (arena[clause] as number) > 2 && (arena[clause + 1] as number) > 2 && !isReason(clause),
    );
    loose.sort((a, b) => (arena[b + 1] as number) - (arena[a + 1] as number));
    const dropped = new Set(loose.slice(0, loose.length >> 1));
    if (dropped.size === 0) return;
    const moved = this.clauses.remove(dropped);
    this.learned = this.learned.filter((clause) => !dropped.has(clause)).map((clause) => moved[clause] as number);
    for (const literal of this.trail) {
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
    const size = Math.max(count, 2 * this.levels.length, 256);
    this.values = grown(this.values, 2 * size);
    this.levels = grown(this.levels, size);
    this.reasons = grown(this.reasons, size);
    this.phases = grown(this.phases, size);
    this.seen = grown(this.seen, size);
    this.known = grown(this.known, size);
    this.decided = grown(this.decided, size);
    this.order.grow(size);
  }
}
