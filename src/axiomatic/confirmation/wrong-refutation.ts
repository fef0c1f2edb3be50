/** A bug of ours: the search has refuted what can be satisfied. */
export class WrongRefutation extends Error {
  constructor(
    message: string,
    /** The question as an SMT-LIB 2 script, to be reported. */
    readonly smt2: string,
  ) {
    super(message);
  }
}
