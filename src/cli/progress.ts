import type { SuiteProgress } from '../suite/run-suite.js';

/** In milliseconds: how often the line is written anew. */
const PAUSE = 100;
/** The first estimate is made when so many have been decided. */
const ENOUGH = 5;

/** One line on standard error, if that is a terminal: done, left, undecided, and how long it may take. */
export class Progress {
  private readonly shown: boolean;
  private done = 0;
  private undecided = 0;
  private decided = 0;
  private written = 0;
  private readonly start = performance.now();

  constructor(
    wanted: boolean,
    private readonly total: number,
  ) {
    this.shown = wanted && total > 1 && process.stderr.isTTY === true;
  }

  /** One more is done; one that was decided before tells nothing of how long the others take. */
  next({ name, open, fromCache }: SuiteProgress): void {
    this.done += 1;
    if (open) this.undecided += 1;
    if (!fromCache) this.decided += 1;
    if (performance.now() - this.written >= PAUSE) this.say(this.line(name));
  }

  say(text: string): void {
    if (!this.shown) return;
    this.written = performance.now();
    process.stderr.write(`\r\u001b[K${text}`);
  }

  clear(): void {
    if (this.shown) process.stderr.write('\r\u001b[K');
  }

  private line(name: string): string {
    const left = this.total - this.done;
    const elapsed = performance.now() - this.start;
    return [
      `${this.done}/${this.total}`,
      `${left} left`,
      ...(this.undecided === 0 ? [] : [`${this.undecided} undecided`]),
      ...(this.decided < ENOUGH ? [] : [`about ${duration((elapsed / this.decided) * left)} to go`]),
      name.slice(-40),
    ].join('  ');
  }
}

function duration(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000);
  if (seconds < 100) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 100 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}
