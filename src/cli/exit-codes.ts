/** What the exit code says; where several apply, the one with the highest severity. */
export const EXIT_CODES = {
  /** Every test is decided, every expectation met. */
  good: 0,
  /** An expectation is broken. */
  broken: 1,
  /** A mistake in the command line, a test or a model. */
  usage: 2,
  /** Nothing is broken, but something could not be decided. */
  undecided: 3,
  /** The engines disagree: one of them is wrong. */
  disagreement: 4,
  /** A bug of ours. */
  internal: 70,
} as const;

export type ExitCode = (typeof EXIT_CODES)[keyof typeof EXIT_CODES];

const BY_SEVERITY: readonly ExitCode[] = [
  EXIT_CODES.internal,
  EXIT_CODES.disagreement,
  EXIT_CODES.usage,
  EXIT_CODES.broken,
  EXIT_CODES.undecided,
  EXIT_CODES.good,
];

export function worst(codes: Iterable<ExitCode>): ExitCode {
  const set = new Set(codes);
  return BY_SEVERITY.find((code) => set.has(code)) ?? EXIT_CODES.good;
}
