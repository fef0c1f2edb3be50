import { Random } from '../../src/generate/random.js';
import type { RangeKernel } from './range-kernel.js';

/** Kernels at random, of which a number decides this and that: of too many threads for the engines. */
export function* generatedKernels(seed: number): Generator<RangeKernel> {
  for (let number = 0; ; number++) {
    const random = new Random(seed + number);
    const first = random.pick([0, 1, 1, 2, 5]);
    yield {
      name: `generated ${seed + number}`,
      values: `${first}..${first + 9 + random.below(8)}${random.chance(20) ? ' step 2' : ''}`,
      place: random.pick(['grid 1, block 34', 'grid 1, block 34', 'grid 3, block 12', 'grid 2, block {17, 20}']),
      size: random.pick([64, 512]),
      body: new BodyWriter(random).body(),
    };
  }
}

/** Writes what the threads do: from `%r10` on it computes, each register once. */
class BodyWriter {
  private next = 10;
  private label = 0;
  /** Registers with numbers, those of small ones first. */
  private readonly numbers = ['%r1', '%r2', '%r3'];

  constructor(private readonly random: Random) {}

  body(): string {
    const steps = Array.from({ length: 3 + this.random.below(4) }, () => this.step(0));
    const active = this.random.pick([1, 1, 2, 6, 40]);
    const some = `setp.ge.u32 %p6, %r1, ${active}; @%p6 exit;`;
    return [`mov.u32 %r3, %ctaid.x; mov.u32 %r4, s; ${some}`, ...steps].join('\n  ');
  }

  private number(): string {
    return this.random.chance(20) ? String(this.random.below(9)) : this.random.pick(this.numbers);
  }

  private fresh(): string {
    return `%r${this.next++}`;
  }

  private step(depth: number): string {
    const { random } = this;
    if (this.next > 32) return this.store();
    return random.weighted<() => string>([
      [6, () => this.compute()],
      [5, () => this.store()],
      [3, () => this.load()],
      [2, () => `bar.sync 0; ${depth > 0 ? '' : this.store()}`],
      [depth > 1 ? 0 : 4, () => this.guarded(depth)],
      [depth > 0 ? 0 : 1, () => this.loop(depth)],
    ])();
  }

  private compute(): string {
    const { random } = this;
    const [a, b] = [this.number(), this.number()];
    const into = this.fresh();
    const made = random.pick([
      `add.s32 ${into}, ${a}, ${b};`,
      `sub.s32 ${into}, ${a}, ${b};`,
      `mul.lo.s32 ${into}, ${a}, ${b};`,
      `mad.lo.s32 ${into}, ${a}, ${random.below(4)}, ${b};`,
      `shl.b32 ${into}, ${a}, ${random.below(3)};`,
      `min.${random.pick(['s32', 'u32'])} ${into}, ${a}, ${b};`,
      `max.${random.pick(['s32', 'u32'])} ${into}, ${a}, ${b};`,
      `and.b32 ${into}, ${a}, 7;`,
      `not.b32 ${into}, ${a};`,
      `cvt.u16.u32 %h1, ${this.random.pick(this.numbers)}; cvt.s32.s16 ${into}, %h1;`,
      `setp.${this.comparison()} %p8, ${a}, ${b}; selp.b32 ${into}, ${this.number()}, ${this.number()}, %p8;`,
    ]);
    this.numbers.push(into);
    return made;
  }

  private comparison(): string {
    return `${this.random.pick(['lt', 'le', 'gt', 'ge', 'eq', 'ne'])}.${this.random.pick(['s32', 'u32'])}`;
  }

  /** Puts an address into `%rd4`, or of shared memory into `%r5`. */
  private address(isShared: boolean): string {
    const index = this.random.pick(this.numbers);
    const of = isShared ? '%r4' : '%rd1';
    if (isShared) return `mad.lo.s32 %r5, ${index}, 4, ${of};`;
    return this.random.chance(50)
      ? `mul.wide.s32 %rd3, ${index}, 4; add.s64 %rd4, ${of}, %rd3;`
      : `cvt.u64.u32 %rd3, ${index}; shl.b64 %rd3, %rd3, 2; add.s64 %rd4, ${of}, %rd3;`;
  }

  private store(): string {
    const isShared = this.random.chance(30);
    const offset = 4 * this.random.below(3);
    const to = isShared ? `st.shared.u32 [%r5+${offset}]` : `st.global.u32 [%rd4+${offset}]`;
    return `${this.address(isShared)} ${to}, ${this.random.chance(60) ? '7' : this.number()};`;
  }

  private load(): string {
    const isShared = this.random.chance(30);
    const into = this.fresh();
    const from = isShared ? '[%r5]' : '[%rd4]';
    const made = `${this.address(isShared)} ld.${isShared ? 'shared' : 'global'}.u32 ${into}, ${from};`;
    if (this.random.chance(40)) this.numbers.push(into);
    return made;
  }

  private guarded(depth: number): string {
    const [label, predicate] = [`G${this.label++}`, `%p${1 + depth}`];
    const guard = `setp.${this.comparison()} ${predicate}, ${this.number()}, ${this.number()};`;
    const known = this.numbers.length;
    const steps = [this.step(depth + 1), this.step(depth + 1)].join(' ');
    this.numbers.length = known;
    return `${guard} @${predicate} bra ${label}; ${steps} ${label}:`;
  }

  /** A few rounds, some of them as many as the number. */
  private loop(depth: number): string {
    const [label, at] = [`L${this.label++}`, this.fresh()];
    const most = this.random.chance(30) ? '%r2' : String(1 + this.random.below(3));
    this.numbers.push(at);
    const steps = this.step(depth + 1);
    const again = `add.s32 ${at}, ${at}, 1; setp.lt.s32 %p7, ${at}, ${most}; @%p7 bra ${label};`;
    return `mov.u32 ${at}, 0; ${label}: ${steps} ${again}`;
  }
}
