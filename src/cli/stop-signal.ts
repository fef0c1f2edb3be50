const SIGNALS = { SIGINT: 2, SIGTERM: 15 } as const;
type Signal = keyof typeof SIGNALS;

/**
 * Ends a run behind the test at hand when it is told to, so that what is known is reported. Whoever has nothing to
 * report at the end does not listen: then the signal ends the process at once, in the middle of a test.
 */
export class StopSignal {
  private signal: Signal | undefined;
  private readonly controller = new AbortController();

  constructor(listens: boolean) {
    if (listens) for (const name of signals()) process.once(name, this.listener);
  }

  /** Aborted when a signal comes. */
  get aborted(): AbortSignal {
    return this.controller.signal;
  }

  /** Ends listening; where a signal came, says what was done and ends the process as the signal would have. */
  end(done: string): undefined {
    for (const name of signals()) process.off(name, this.listener);
    if (this.signal === undefined) return;
    process.stderr.write(`ptx-litmus: ended by ${this.signal}: ${done}\n`);
    process.exit(128 + SIGNALS[this.signal]);
  }

  private readonly listener = (name: NodeJS.Signals): void => {
    this.signal = signals().find((one) => one === name);
    this.controller.abort();
  };
}

const signals = (): readonly Signal[] => ['SIGINT', 'SIGTERM'];
