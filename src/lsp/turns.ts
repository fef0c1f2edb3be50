/** Work on several things, one after the other; of each thing the newest state counts. */
export class Turns<T> {
  private readonly waiting = new Map<string, T>();
  private isWorking = false;
  /** What is worked on. */
  current: string | undefined;

  constructor(
    private readonly work: (one: T) => Promise<void>,
    private readonly failed: (why: unknown) => void,
  ) {}

  add(key: string, one: T): void {
    this.waiting.set(key, one);
    void this.takeAll();
  }

  remove(key: string): void {
    this.waiting.delete(key);
  }

  private async takeAll(): Promise<void> {
    if (this.isWorking) return;
    this.isWorking = true;
    for (let [first] = this.waiting; first !== undefined; [first] = this.waiting) {
      const [key, one] = first;
      this.waiting.delete(key);
      this.current = key;
      await this.work(one).catch(this.failed);
    }
    this.current = undefined;
    this.isWorking = false;
  }
}
