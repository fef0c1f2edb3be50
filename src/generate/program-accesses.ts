import { BYTES, type Spot, WORD } from './program-memory.js';
import type { ProgramThread } from './program-thread.js';
import type { Random } from './random.js';

/** What programs are drawn to have. */
export const THEMES = [
  'sizes',
  'races',
  'operands',
  'branches',
  'exits',
  'lanes',
  'named',
  'loops',
  'orders',
  'buffering',
  'passing',
] as const;
export type Theme = (typeof THEMES)[number];

/** Where a thread stands in what several do together: the first one begins it, the last one ends it. */
export type Role = 'first' | 'middle' | 'last';

const ORDERS = {
  read: ['weak', 'relaxed', 'acquire'],
  write: ['weak', 'relaxed', 'release'],
  atomic: ['relaxed', 'acquire', 'release', 'acq_rel'],
} as const;

/** The accesses of a program that is drawn, and what threads do together by them alone. */
export class ProgramAccesses {
  protected readonly spots: Spot[] = [];
  protected accesses: number;
  protected object: string | undefined;
  protected readonly observed: string[] = [];
  protected readonly flag: Spot;
  protected readonly other = WORD('g', 'global');
  /**
   * Whether loops wait by atomics: then all accesses to the flag are strong and of one scope, so that what they write
   * for nothing changes nothing.
   */
  protected readonly polls: boolean;
  /**
   * What the threads of the first CTA come to together, if anything: the count of a barrier, and whether the first
   * thread's warp only arrives.
   */
  protected meeting: { readonly operands: string; readonly arrives: boolean } | undefined;

  constructor(
    protected readonly random: Random,
    protected readonly themes: readonly Theme[],
    mostAccesses: number,
  ) {
    const least = Math.min(3, mostAccesses);
    this.accesses = least + random.below(mostAccesses - least + 1);
    const small = this.has('sizes') || (this.has('races') && random.chance(50));
    this.spots.push(
      small ? BYTES('x') : WORD('x', random.chance(70) ? 'global' : 'shared', this.has('races') ? 'u16' : 'u32'),
    );
    if (random.chance(70))
      this.spots.push(
        this.has('sizes') && random.chance(40) ? BYTES('y') : WORD('y', 'global', this.has('races') ? 'u16' : 'u32'),
      );
    this.flag = WORD('f', 'global');
    this.polls = random.chance(60);
  }

  protected has(theme: Theme): boolean {
    return this.themes.includes(theme);
  }

  protected scope(): string {
    return this.random.weightedWord({ cta: 3, gpu: 5, sys: 1 });
  }

  protected value(type: string): number {
    const small = 1 + this.random.below(2);
    return type === 'u8'
      ? this.random.chance(25)
        ? 0x80 + small
        : small
      : (this.has('races') || this.has('sizes')) && type === 'u16'
        ? small * 0x0101
        : small;
  }

  protected order(orders: readonly string[]): string {
    const order = this.has('orders')
      ? this.random.pick(orders)
      : this.random.weighted(orders.map((one, i) => [orders.length - i, one] as const));
    return order === 'weak' ? '.weak' : `.${order}.${this.scope()}`;
  }

  protected access(thread: ProgramThread, inFirst: boolean, guard = ''): void {
    if (this.accesses <= 0) return;
    this.accesses -= 1;
    const { random } = this;
    const usable = this.spots.filter(
      ({ space, declaration }) =>
        declaration !== this.flag.declaration &&
        declaration !== this.other.declaration &&
        (space === 'global' || inFirst),
    );
    if (usable.length === 0) return;
    const { space, places } = random.pick(usable);
    const { address, type } = random.pick(places);
    const kind = random.weightedWord({ load: 5, store: 5, atomic: type === 'u32' ? 2 : 0 });
    if (kind === 'load')
      thread.line(
        `${guard}ld${this.order(ORDERS.read)}.${space}.${type} ${this.destination(thread, type)}, [${address}];`,
      );
    else if (kind === 'store')
      thread.line(
        `${guard}st${this.order(ORDERS.write)}.${space}.${type} [${address}], ` +
          `${thread.known(random, type) ?? this.value(type)};`,
      );
    else {
      const operation = random.pick(['add', 'exch', 'or', 'cas']);
      const order = this.order(ORDERS.atomic);
      const form = operation === 'add' ? 'add.u32' : `${operation}.b32`;
      const expected = operation === 'cas' ? `${random.below(2)}, ` : '';
      if (random.chance(20) && operation === 'add')
        thread.line(`${guard}red.relaxed.${this.scope()}.${space}.add.u32 [${address}], ${this.value(type)};`);
      else
        thread.line(
          `${guard}atom${order}.${space}.${form} ${thread.register(type)}, [${address}], ` +
            `${expected}${this.value(type)};`,
        );
    }
  }

  /** Where a load goes to: of a narrow one sometimes a register that is wider. */
  protected destination(thread: ProgramThread, type: string): string {
    if (type === 'u32' || this.random.chance(70)) return thread.register(type);
    const wide = thread.register('u32');
    thread.line(`mov.u32 ${wide}, 7;`);
    return wide;
  }

  /** Message passing: a write, then a release of the flag; atomics carry it on; an acquire, then a read. */
  protected pass(thread: ProgramThread, role: Role): void {
    const { random } = this;
    const { address, type } = this.spots[0]?.places[0] ?? { address: 'x', type: 'u32' };
    const space = this.spots[0]?.space ?? 'global';
    const scope = this.scope();
    const [write, read] = [
      random.pick(['release', 'release', 'relaxed']),
      random.pick(['acquire', 'acquire', 'relaxed']),
    ];
    this.accesses -= role === 'middle' ? 1 : 2;
    if (role === 'middle') {
      const order = random.pick(['relaxed', 'relaxed', 'acq_rel']);
      // Whether it leaves what it has read, or not, may be all that the next one cannot tell.
      const operation = random.pick(['add.u32', 'exch.b32', 'max.u32']);
      thread.line(`atom.${order}.${scope}.global.${operation} ${thread.register('u32')}, [f], 1;`);
      return;
    }
    if (role === 'first') {
      if (space === 'global') thread.line(`st.weak.global.${type} [${address}], ${this.value(type)};`);
      thread.line(`st.${write}.${scope}.global.u32 [f], 1;`);
      return;
    }
    thread.line(`ld.${read}.${scope}.global.u32 ${thread.register('u32')}, [f];`);
    // What it overwrites here, an atomic must not have read.
    if (random.chance(25)) thread.line('st.weak.global.u32 [f], 2;');
    else if (space === 'global') thread.line(`ld.weak.global.${type} ${thread.register(type)}, [${address}];`);
  }

  /**
   * One side of load buffering: a load of one location, then a store of 1 to the other that depends on it by syntax, or
   * not.
   */
  protected buffer(thread: ProgramThread, role: Role): void {
    const { random } = this;
    if (!this.spots.includes(this.other)) this.spots.push(this.other, this.flag);
    if (this.object !== undefined) return this.bufferByObject(thread, role);
    if (role === 'middle') {
      // What an atomic writes depends on what it reads, also between the other two.
      this.accesses -= 1;
      thread.line(`atom.relaxed.gpu.global.${random.pick(['or.b32', 'max.u32'])} ${thread.register('u32')}, [g], 1;`);
      return;
    }
    const [from, to] = role === 'first' ? ['g', 'f'] : ['f', 'g'];
    this.accesses -= 2;
    const read = thread.register('u32');
    thread.line(`ld.relaxed.gpu.global.u32 ${read}, [${from}];`);
    const form = random.below(7);
    const [value, predicate, label] = [
      thread.number(form === 1 || form === 2 ? 0 : 1),
      `q${thread.label()}`,
      thread.label(),
    ];
    if (form === 1) thread.line(`and.b32 ${value}, ${read}, 0;`);
    if (form === 2) thread.line(`and.b32 ${value}, ${value}, ${read};`);
    if (form === 1 || form === 2) thread.line(`add.u32 ${value}, ${value}, 1;`);
    if (form >= 3 && form <= 5) thread.line(`setp.eq.u32 ${predicate}, ${read}, 7;`);
    if (form === 4 || form === 5) thread.line(`@${predicate} bra ${label};`);
    if (form === 5) thread.line(`mov.u32 ${value}, 1;`);
    if (form === 4 || form === 5) thread.line(`${label}:`);
    if (form === 6) thread.line(`atom.relaxed.gpu.global.exch.b32 ${thread.register('u32')}, [${to}], ${value};`);
    else thread.line(`${form === 3 ? `@!${predicate} ` : ''}st.relaxed.gpu.global.u32 [${to}], ${value};`);
  }

  /**
   * The same through an mbarrier: how much an arrival counts, or how many bytes are complete, depends on the load by
   * syntax.
   */
  protected bufferByObject(thread: ProgramThread, role: Role): void {
    if (role === 'middle') return;
    this.accesses -= 1;
    if (role === 'last') {
      const predicate = thread.predicate();
      thread.line(`mbarrier.test_wait.parity.relaxed.cta.shared.b64 ${predicate}, [${this.object}], 0;`);
      thread.line(`@${predicate} st.relaxed.gpu.global.u32 [g], 1;`);
      return;
    }
    const [read, value, bytes] = [thread.register('u32'), thread.number(0), this.random.chance(50)];
    thread.line(`ld.relaxed.gpu.global.u32 ${read}, [g];`);
    thread.line(`and.b32 ${value}, ${value}, ${read};`);
    thread.line(`add.u32 ${value}, ${value}, ${bytes ? 8 : 1};`);
    if (bytes) thread.line(`mbarrier.arrive.expect_tx.relaxed.cta.shared.b64 _, [${this.object}], 8;`);
    thread.line(
      bytes
        ? `mbarrier.complete_tx.relaxed.cta.shared.b64 [${this.object}], ${value};`
        : `mbarrier.arrive.relaxed.cta.shared.b64 _, [${this.object}], ${value};`,
    );
  }

  /** A test of a register, and what depends on it: under a branch that joins again, or under a guard. */
  protected branch(thread: ProgramThread, inFirst: boolean): void {
    const predicate = thread.test(this.random);
    if (predicate === undefined) return this.access(thread, inFirst);
    if (this.random.chance(40)) return this.access(thread, inFirst, `@${predicate} `);
    const label = thread.label();
    thread.line(`@${predicate} bra ${label};`);
    if (this.random.chance(40)) thread.line(`mov.u32 ${thread.register('u32')}, 1;`);
    else this.access(thread, inFirst);
    thread.line(`${label}:`);
  }

  protected exit(thread: ProgramThread): void {
    const predicate = thread.test(this.random);
    thread.line(predicate === undefined ? 'exit;' : `@${predicate} exit;`);
  }
}
