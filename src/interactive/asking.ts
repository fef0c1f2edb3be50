import type { Answered, Asked, QuestionKind, Questions } from './questions.js';

type Given<Kind extends QuestionKind> = Questions[Kind]['gives'];

/** A worker as whoever runs it has it: of a browser, or of node. */
export interface Line {
  post(asked: Asked): void;
  end(): void;
}

/** Starts a worker; what it answers, and that it has died, is told. */
export type StartLine = (onAnswer: (answer: Answered) => void, onDeath: (why: string) => void) => Line;

interface Waiting {
  readonly kind: QuestionKind;
  readonly takes: unknown;
  settle(given: unknown): void;
  fail(why: Error): void;
}

/** In milliseconds: a question that has been replaced is waited for so long; then its worker is ended. */
const PATIENCE = 250;

/**
 * Asks a worker one question after the other. Of each kind the newest counts: one that was asked before and is not
 * answered yet is given up, and its answer is `undefined`.
 */
export class Asking {
  private line: Line | undefined;
  private running: Waiting | undefined;
  private readonly next: Waiting[] = [];
  private id = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly start: StartLine) {}

  ask<Kind extends QuestionKind>(kind: Kind, takes: Questions[Kind]['takes']): Promise<Given<Kind> | undefined> {
    this.giveUp(kind);
    return new Promise((resolve, reject) => {
      const settle = (given: unknown): void => resolve(given as Given<Kind> | undefined);
      this.next.push({ kind, takes, settle, fail: reject });
      this.begin();
    });
  }

  /** What was asked of a kind, or all that was asked, counts no more. */
  giveUp(kind?: QuestionKind): void {
    const isGivenUp = (one: Waiting | undefined): boolean => one !== undefined && (kind ?? one.kind) === one.kind;
    for (const one of this.next.filter(isGivenUp)) one.settle(undefined);
    this.next.splice(0, Number.POSITIVE_INFINITY, ...this.next.filter((one) => !isGivenUp(one)));
    const { running } = this;
    if (!isGivenUp(running) || this.timer !== undefined) return;
    this.timer = setTimeout(() => {
      if (this.running === running) this.restart();
    }, PATIENCE);
  }

  /** Begins to load the worker. */
  prepare(): void {
    this.line ??= this.started();
  }

  end(): void {
    this.stop();
    for (const one of this.next.splice(0)) one.settle(undefined);
  }

  private started(): Line {
    const mine = this.start(
      (answer) => this.receive(answer),
      (why) => {
        if (this.line !== mine) return;
        const { running } = this;
        this.running = undefined;
        running?.fail(new Error(why));
        this.restart();
      },
    );
    return mine;
  }

  private begin(): void {
    if (this.running !== undefined) return;
    const first = this.next.shift();
    if (first === undefined) return;
    this.line ??= this.started();
    this.running = first;
    this.id += 1;
    this.line.post({ id: this.id, kind: first.kind, takes: first.takes } as Asked);
  }

  private receive(answer: Answered): void {
    const { running } = this;
    if (answer.id !== this.id || running === undefined) return;
    this.forget();
    this.running = undefined;
    if ('thrown' in answer) running.fail(new Error(answer.thrown));
    else running.settle(answer.gives);
    this.begin();
  }

  private restart(): void {
    this.stop();
    this.begin();
  }

  private stop(): void {
    this.forget();
    this.line?.end();
    this.line = undefined;
    this.running?.settle(undefined);
    this.running = undefined;
  }

  private forget(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }
}
