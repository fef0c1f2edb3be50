/**
 * Deliberate mistakes in the search, and in how formulas become its clauses (see places.mjs for how they are located).
 * `survives`: why no answer is wrong by it.
 */
export const SEARCH_MUTANTS = [
  {
    what: 'a learned clause is a literal too short',
    in: 'ConflictAnalysis.learn',
    from: '...before.filter((literal) => !this.isRedundant(literal))',
    to: '...before.filter((literal) => !this.isRedundant(literal)).slice(1)',
  },
  {
    what: 'a decision is left out of a learned clause',
    in: 'ConflictAnalysis.isRedundant',
    from: 'if ((reasons[literal >> 1] as number) === NO_CLAUSE) return false;',
    to: 'if ((reasons[literal >> 1] as number) === NO_CLAUSE) return true;',
  },
  {
    what: 'a literal that follows from a decision is left out',
    in: 'ConflictAnalysis.isRedundant',
    from: 'from.length = fromBefore; return false;',
    to: 'from.length = fromBefore; return stack.length > 0;',
  },
  {
    what: 'analysis ends before the implication point',
    in: 'ConflictAnalysis.learn',
    from: 'while (open > 0);',
    to: 'while (open > 1);',
  },
  {
    what: 'the first level is taken for what always holds',
    in: 'ConflictAnalysis.learn',
    from: 'if (levels[variable] === 0) {',
    to: 'if ((levels[variable] as number) <= 1) {',
  },
  {
    what: 'the forced literal is not turned',
    in: 'ConflictAnalysis.learn',
    from: 'const literals = [implied ^ 1,',
    to: 'const literals = [implied,',
  },
  {
    what: 'a conflict is lost where the search is told to stop',
    in: 'Search.searchFor',
    from: 'const conflict = this.propagate();',
    to: 'const conflict = this.propagate(); if (conflict !== NO_CLAUSE && !mayGoOn()) return "given up";',
  },
  {
    what: 'the end at level 0 is forgotten',
    in: 'Search.endsWith',
    from: 'this.consistent = false;',
    to: '',
  },
  {
    what: 'a literal of a clause is not looked at',
    in: 'Search.propagate',
    from: 'let next = start + 2;',
    to: 'let next = start + 3;',
  },
  {
    what: 'a clause that is false is taken for one that forces',
    in: 'Search.propagate',
    from: 'if (values[first] === -1) {',
    to: 'if (values[first] === -2) {',
  },
  {
    what: 'the other literal of a pair is not forced',
    in: 'Search.propagate',
    from: 'trail.assign(blocker, ~clause); continue;',
    to: 'continue;',
  },
  {
    what: 'what was forced before a step back is not followed again',
    in: 'Search.backtrack',
    from: 'this.propagated = start;',
    to: 'this.propagated = literals.length + 1;',
  },
  {
    what: 'values are kept in a step back',
    in: 'Search.backtrack',
    from: 'values[literal] = 0;',
    to: '',
  },
  {
    what: 'a clause is added amid a search',
    in: 'Search.addClause',
    from: 'if (!this.consistent) return; this.backtrack(0);',
    to: 'if (!this.consistent) return;',
  },
  {
    what: 'an added clause loses its open literals but the first',
    in: 'Search.addClause',
    from: 'if (value === 0 && !kept.includes(literal)) kept.push(literal);',
    to: 'if (value === 0 && kept.length < 1) kept.push(literal);',
  },
  {
    what: 'a unit clause is dropped',
    in: 'Search.addClause',
    from: 'else if (second === undefined) this.assignUnit(first, by);',
    to: 'else if (second === undefined) return;',
  },
  {
    what: 'a refutation is kept without one of its assumptions',
    in: 'Search.keepRefutation',
    from: '[...this.refuted].map((literal) => literal ^ 1)',
    to: '[...this.refuted].slice(1).map((literal) => literal ^ 1)',
  },
  {
    what: 'an assumption that is false is passed over',
    in: 'Search.decide',
    from: "return value === 1 ? 'level' : value === -1 ? 'unsat' : assumption;",
    to: "return value !== 0 ? 'level' : assumption;",
  },
  {
    what: 'the assumption that is refused is not blamed',
    in: 'ConflictAnalysis.blame',
    from: 'const assumptions = [refused];',
    to: 'const assumptions: Literal[] = [];',
  },
  {
    what: 'of the assumptions one is blamed only',
    in: 'ConflictAnalysis.blame',
    from: 'assumptions.push(literal); continue;',
    to: 'continue;',
  },
  {
    what: 'clauses that are in use are forgotten',
    in: 'Search.reduce',
    from: '&& !isReason(clause)',
    to: '',
    survives: 'so few conflicts forget nothing; the pigeons of search.test.ts do',
  },
  {
    what: 'a definition loses an operand, from the conjunction to it',
    in: 'FormulaClauses.use',
    from: 'for (const [i, operand] of node.operands.entries())',
    to: 'for (const [i, operand] of [...node.operands.entries()].slice(1))',
  },
  {
    what: 'a definition loses an operand, from all of them to the conjunction',
    in: 'FormulaClauses.use',
    from: 'const negated = node.operands.map(not);',
    to: 'const negated = node.operands.slice(1).map(not);',
  },
  {
    what: 'only one direction of a definition is ever made',
    in: 'FormulaClauses.use',
    from: 'if ((before & direction) !== 0) continue;',
    to: 'if (before !== 0) continue;',
  },
  {
    what: 'a disjunction is asserted without an operand',
    in: 'FormulaClauses.addIf',
    from: ': node.operands.map(not);',
    to: ': node.operands.slice(1).map(not);',
  },
  {
    what: 'what is asserted under a condition always holds',
    in: 'FormulaClauses.addIf',
    from: 'const unless = condition === TRUE ? [] : [not(condition)];',
    to: 'const unless: Formula[] = [];',
  },
  {
    what: 'a question stays when it is over',
    in: 'CdclSolver.within',
    from: 'this.assumed.length = before;',
    to: '',
  },
];
