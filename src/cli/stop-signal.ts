const SIGNALS = { SIGINT: 2, SIGTERM: 15 } as const;
type Signal = keyof typeof SIGNALS;

/** Ends a run between two tests when it is told to, so that what is known is printed; told twice, it ends at once. */
export class StopSignal {
  private signal: Signal | undefined;

  constructor() {
    for (const name of signals()) process.once(name, this.listener);
  }

  get received(): Signal | undefined {
    return this.signal;
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
  };
}

const signals = (): readonly Signal[] => ['SIGINT', 'SIGTERM'];
