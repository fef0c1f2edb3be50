/**
 * What architecture.test.ts lets pass, each with its reason. An exception that is no longer needed makes the test fail,
 * so that the lists grow shorter with what they are about.
 */

/** Functions longer than a page. */
export const LONG_FUNCTIONS: Readonly<Record<string, string>> = {
  'axiomatic/formula/bits.ts BitDomain.compute': 'a table: a circuit for each kind of arithmetic',
  'axiomatic/relations/symbolic-algebra.ts symbolicAlgebra': 'a table: an operator of cat each',
  'axiomatic/solver/search.ts Search.propagate': 'the inner loop of the search, where a call costs',
  'cat/evaluate.ts Evaluator.evaluate': 'a case for each operator of cat',
  'cat/resolve-model.ts Resolver.kindOf': 'a case for each operator of cat',
  'semantics/collective-result.ts collectiveResult': 'a table: a case for each operation of a warp',
};

/** Switches over what an operation or event is that do not list all cases. */
export const DEFAULTS: Readonly<Record<string, string>> = {
  'convert/written-thread.ts Writer.plain operation.kind':
    'what the text of a test has no words for is an error, whatever it is',
};
