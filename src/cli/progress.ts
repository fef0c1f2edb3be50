/** A counter on standard error, if that is a terminal. */
export class Progress {
  private readonly shown: boolean;
  private done = 0;

  constructor(
    wanted: boolean,
    private readonly total: number,
  ) {
    this.shown = wanted && total > 1 && process.stderr.isTTY === true;
  }

  next(name: string): void {
    this.done += 1;
    this.say(`${this.done}/${this.total} ${name.slice(0, 60)}`);
  }

  say(text: string): void {
    if (this.shown) process.stderr.write(`\r\u001b[K${text}`);
  }

  clear(): void {
    if (this.shown) process.stderr.write('\r\u001b[K');
  }
}
