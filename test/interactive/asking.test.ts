import { describe, expect, it, vi } from 'vitest';
import { Asking, type Line } from '../../src/interactive/asking.js';
import type { Answered, Asked } from '../../src/interactive/questions.js';

/** A worker that answers when it is told to. */
class Worker implements Line {
  readonly asked: Asked[] = [];
  isEnded = false;
  constructor(
    private readonly onAnswer: (answer: Answered) => void,
    readonly die: (why: string) => void,
  ) {}
  post(asked: Asked): void {
    this.asked.push(asked);
  }
  end(): void {
    this.isEnded = true;
  }
  answer(text: string): void {
    this.onAnswer({ id: this.asked.at(-1)?.id ?? 0, gives: { text } });
  }
  fail(thrown: string): void {
    this.onAnswer({ id: this.asked.at(-1)?.id ?? 0, thrown });
  }
}

const ABOUT = { draft: { path: 'a.litmus', text: '' }, model: { name: 'sc' } };

function workers(): { readonly asking: Asking; readonly made: Worker[] } {
  const made: Worker[] = [];
  const asking = new Asking((onAnswer, onDeath) => {
    const worker = new Worker(onAnswer, onDeath);
    made.push(worker);
    return worker;
  });
  return { asking, made };
}

describe('asking a worker', () => {
  it('is one question after the other', async () => {
    const { asking, made } = workers();
    const [why, states] = [asking.ask('explain', ABOUT), asking.ask('states', ABOUT)];
    expect(made[0]?.asked.map(({ kind }) => kind)).toEqual(['explain']);
    made[0]?.answer('because');
    expect(await why).toEqual({ text: 'because' });
    made[0]?.answer('two');
    expect(await states).toEqual({ text: 'two' });
    expect(made).toHaveLength(1);
  });

  it('gives up what waits, for the newest of its kind', async () => {
    const { asking, made } = workers();
    const first = asking.ask('states', ABOUT);
    const [second, third] = [asking.ask('explain', ABOUT), asking.ask('explain', ABOUT)];
    expect(await second).toBeUndefined();
    made[0]?.answer('states');
    await first;
    made[0]?.answer('third');
    expect(await third).toEqual({ text: 'third' });
  });

  it('ends a worker that still thinks about what was replaced, and begins with what is new', async () => {
    vi.useFakeTimers();
    const { asking, made } = workers();
    const old = asking.ask('explain', ABOUT);
    const now = asking.ask('explain', ABOUT);
    vi.advanceTimersByTime(1000);
    expect(made.map(({ isEnded }) => isEnded)).toEqual([true, false]);
    vi.useRealTimers();
    expect(await old).toBeUndefined();
    // What the old one still says counts no more.
    made[0]?.answer('old');
    made[1]?.answer('new');
    expect(await now).toEqual({ text: 'new' });
  });

  it('does not let what is given up hold up a question of another kind', async () => {
    vi.useFakeTimers();
    const { asking, made } = workers();
    const [long, waiting] = [asking.ask('compare', { ...ABOUT, other: ABOUT.model }), asking.ask('states', ABOUT)];
    asking.giveUp();
    const now = asking.ask('explain', ABOUT);
    vi.advanceTimersByTime(1000);
    vi.useRealTimers();
    expect([await long, await waiting]).toEqual([undefined, undefined]);
    expect(made[1]?.asked.map(({ kind }) => kind)).toEqual(['explain']);
    made[1]?.answer('new');
    expect(await now).toEqual({ text: 'new' });
  });

  it('keeps a worker that answers in time', async () => {
    vi.useFakeTimers();
    const { asking, made } = workers();
    const old = asking.ask('explain', ABOUT);
    const now = asking.ask('explain', ABOUT);
    made[0]?.answer('old');
    vi.advanceTimersByTime(1000);
    vi.useRealTimers();
    expect(await old).toEqual({ text: 'old' });
    made[0]?.answer('new');
    expect(await now).toEqual({ text: 'new' });
    expect(made).toHaveLength(1);
  });

  it('hears of a bug, and of a worker that dies: the next question has another one', async () => {
    const { asking, made } = workers();
    const wrong = asking.ask('explain', ABOUT);
    made[0]?.fail('a bug');
    await expect(wrong).rejects.toThrow('a bug');
    const lost = asking.ask('explain', ABOUT);
    made[0]?.die('out of memory');
    await expect(lost).rejects.toThrow('out of memory');
    const next = asking.ask('explain', ABOUT);
    made[1]?.answer('well');
    expect(await next).toEqual({ text: 'well' });
  });
});
