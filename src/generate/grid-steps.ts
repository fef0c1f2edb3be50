import { pollOne, pollTwoWays } from './polls.js';
import type { ProgramThread } from './program-thread.js';
import type { Random } from './random.js';

/** What programs of several grids, and launches, are drawn to have. */
export const GRID_THEMES = [
  'streams',
  'triggers',
  'barriers',
  'polls',
  'alike',
  'messages',
  'atomics',
  'traps',
] as const;
export type GridTheme = (typeof GRID_THEMES)[number];

/** Where a thread stands among the grids. */
export interface GridRole {
  /** Some grid is launched as dependent on its own. */
  readonly isPrimary: boolean;
  /** Its own is dependent on another. */
  readonly isDependent: boolean;
  /** The threads of its CTA come to a barrier. */
  readonly meets: boolean;
}

/** What a thread of one of several grids does. */
export class GridSteps {
  private accesses: number;

  /** `addressOf`: the operand that stands for a location of this name. */
  constructor(
    private readonly random: Random,
    private readonly themes: readonly string[],
    mostAccesses: number,
    private readonly locations: readonly string[],
    private readonly addressOf: (location: string) => string,
  ) {
    const least = Math.min(3, mostAccesses);
    this.accesses = least + random.below(mostAccesses - least + 1);
  }

  private has(theme: GridTheme): boolean {
    return this.themes.includes(theme);
  }

  /** Draws the body of a thread; `only`: a guard under which its accesses stand, such as `@q1 `. */
  body(thread: ProgramThread, { isPrimary, isDependent, meets }: GridRole, only: () => string = () => ''): void {
    const { random } = this;
    const steps = 1 + random.below(3);
    const meeting = random.below(steps + 1);
    const waiting = random.chance(65) ? 0 : random.below(steps + 1);
    const triggering = random.below(steps + 1);
    const waits = random.chance(isDependent ? 55 : 4);
    const triggers = random.chance(isPrimary ? 70 : 5);
    for (let step = 0; step <= steps; step++) {
      if (waits && step === waiting) this.wait(thread);
      if (triggers && step === triggering) this.trigger(thread);
      if (meets && step === meeting && random.chance(95)) thread.line('bar.sync 0;');
      if (step < steps) this.step(thread, only());
    }
    if (triggers && random.chance(12)) thread.line('griddepcontrol.launch_dependents;');
    if (this.has('traps') && random.chance(40)) this.guarded(thread, 'trap;');
  }

  private step(thread: ProgramThread, guard: string): void {
    const { random } = this;
    if (this.has('polls') && guard === '' && random.chance(35)) this.poll(thread);
    else if (this.has('messages') && guard === '' && random.chance(50)) this.message(thread);
    else this.access(thread, guard);
    if (random.chance(15))
      thread.line(`fence.${random.pick(['acq_rel', 'sc', 'acquire', 'release'])}.${this.scope()};`);
  }

  private scope(): string {
    return this.random.weightedWord({ cta: 2, gpu: 6, sys: 2 });
  }

  private wait(thread: ProgramThread): void {
    if (this.random.chance(12)) this.guarded(thread, 'griddepcontrol.wait;');
    else thread.line('griddepcontrol.wait;');
  }

  /** With or without what makes memory visible before it, sometimes not in every run, sometimes by a branch. */
  private trigger(thread: ProgramThread): void {
    const { random } = this;
    if (random.chance(50)) {
      const order = random.weightedWord({ acq_rel: 5, release: 2, sc: 1, acquire: 1 });
      thread.line(`fence.${order}.${this.scope()};`);
    }
    if (random.chance(25)) this.guarded(thread, 'griddepcontrol.launch_dependents;');
    else thread.line('griddepcontrol.launch_dependents;');
  }

  /** An instruction under a guard, or in a branch, that depends on what was read. */
  private guarded(thread: ProgramThread, instruction: string): void {
    const address = this.addressOf(this.random.pick(this.locations));
    if (thread.lastRegister === undefined)
      thread.line(`ld.relaxed.${this.scope()}.global.u32 ${thread.register('u32')}, [${address}];`);
    const predicate = thread.test(this.random);
    if (predicate === undefined) thread.line(instruction);
    else if (this.random.chance(60)) thread.line(`@${predicate} ${instruction}`);
    else {
      const label = thread.label();
      thread.line(`@${predicate} bra ${label};`);
      thread.line(instruction);
      thread.line(`${label}:`);
    }
  }

  private access(thread: ProgramThread, only: string): void {
    if (this.accesses <= 0) return;
    this.accesses -= 1;
    const { random } = this;
    const address = this.addressOf(random.pick(this.locations));
    const predicate = only === '' && random.chance(12) ? thread.test(random) : undefined;
    const guard = predicate === undefined ? only : `@${predicate} `;
    const kind = random.weightedWord({ ld: 5, st: 5, atom: this.has('atomics') ? 4 : 1 });
    const order = random.weightedWord({
      '.weak': 6,
      [`.relaxed.${this.scope()}`]: 4,
      [`.${kind === 'ld' ? 'acquire' : 'release'}.${this.scope()}`]: 1,
    });
    if (kind === 'ld') thread.line(`${guard}ld${order}.global.u32 ${thread.register('u32')}, [${address}];`);
    else if (kind === 'st')
      thread.line(`${guard}st${order}.global.u32 [${address}], ${thread.known(random, 'u32') ?? 1 + random.below(2)};`);
    else {
      const form = random.pick(['add.u32', 'exch.b32', 'or.b32']);
      const strong = order === '.weak' ? '.relaxed.gpu' : order;
      thread.line(`${guard}atom${strong}.global.${form} ${thread.register('u32')}, [${address}], 1;`);
    }
  }

  /** One side of a message through the flag. */
  private message(thread: ProgramThread): void {
    const { random } = this;
    const [data, flag] = [this.addressOf('x'), this.addressOf('f')];
    const scope = this.scope();
    if (random.chance(50)) {
      thread.line(`st.weak.global.u32 [${data}], 1;`);
      thread.line(`st.${random.pick(['release', 'release', 'relaxed'])}.${scope}.global.u32 [${flag}], 1;`);
    } else {
      const read = thread.register('u32');
      const predicate = thread.predicate();
      thread.line(`ld.${random.pick(['acquire', 'acquire', 'relaxed'])}.${scope}.global.u32 ${read}, [${flag}];`);
      thread.line(`setp.eq.u32 ${predicate}, ${read}, 1;`);
      thread.line(`@${predicate} ld.weak.global.u32 ${thread.register('u32')}, [${data}];`);
    }
  }

  /** Either side of a poll. */
  private poll(thread: ProgramThread): void {
    const { random } = this;
    const flags = [this.addressOf('f'), this.addressOf('x')] as const;
    if (random.chance(55)) {
      thread.line(`st.${random.pick(['release', 'relaxed'])}.${this.scope()}.global.u32 [${flags[0]}], 1;`);
      return;
    }
    const scope = random.pick(['gpu', 'gpu', 'sys', 'cta']);
    if (random.chance(75)) pollOne(thread, random, { flags, scope });
    else pollTwoWays(thread, random, { flags, scope });
  }
}
