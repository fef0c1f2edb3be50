import { Random } from '../../src/generate/random.js';

/** A test of which much can be sliced away, with the modules that it launches. */
export interface SliceableTest {
  readonly text: string;
  readonly modules: Readonly<Record<string, { readonly path: string; readonly text: string }>>;
  readonly isKernel: boolean;
}

/** A location by the register that holds its address in a kernel; `words`: how many of it are used. */
interface Place {
  readonly name: string;
  readonly words: number;
}

const REGISTERS = ['r0', 'r1', 'r2', 'r3'];
const SHARED: Place = { name: 's', words: 2 };

/** Threads over large arrays, other names of them, tensor maps, pointers and flags, by a seed. */
export function sliceableTest(seed: number): SliceableTest {
  return new Writer(new Random(seed)).test();
}

class Writer {
  private readonly isKernel: boolean;
  private readonly isOneCta: boolean;
  private readonly threads: number;
  private readonly places: readonly Place[];
  /** Those that are written by their names: what is never written is known before a launch. */
  private readonly written: readonly Place[];
  private readonly asked = new Set<string>();
  private labels = 0;
  private fresh = 0;

  constructor(private readonly random: Random) {
    this.isKernel = random.chance(60);
    this.isOneCta = random.chance(40);
    this.threads = random.pick([1, 2, 2, 2, 3]);
    const words = random.pick(['a2 c2 x1', 'a2 b1 x1', 'a1 b1 c1 x1', 'b2 n1']);
    this.places = words.split(' ').map((word) => ({ name: word[0] ?? '', words: Number(word[1]) }));
    const from = random.below(this.places.length);
    this.written = random.chance(50) ? this.places : this.places.slice(from, from + 1);
  }

  test(): SliceableTest {
    const bodies = Array.from({ length: this.threads }, (_, thread) => this.body(thread));
    const memory = this.memory();
    const clauses = this.clauses();
    const place = (thread: number): string => (this.isOneCta ? 'cta 0' : `cta ${thread}`);
    if (!this.isKernel) {
      const shared = '  .shared .align 16 .u32 s[4] = 0;\n';
      const threads = bodies.map((body, i) => `P${i} @ ${place(i)} {\n${body.join('\n')}\n}`).join('\n');
      return { text: `PTX sliceable\n{\n${memory}${shared}}\n${threads}\n${clauses}\n`, modules: {}, isKernel: false };
    }
    const shape = this.isOneCta ? `grid 1, block ${this.threads}` : `grid ${this.threads}, block 1`;
    const launch = `launch K "k.ptx" (a, b, c, x, n, q, m) @ ${shape} { run all; }`;
    const modules = { 'k.ptx': { path: 'k.ptx', text: this.module(bodies) } };
    return { text: `PTX sliceable\n{\n${memory}}\n${launch}\n${clauses}\n`, modules, isKernel: true };
  }

  private module(bodies: readonly (readonly string[])[]): string {
    const names = ['a', 'b', 'c', 'x', 'n', 'q', 'm'];
    const roles = bodies.map((body, i) => `R${i}:\n${body.join('\n')}\n  ret;`);
    const jumps = bodies.map((_, i) => `  setp.eq.u32 p7, t0, ${i};\n  @p7 bra R${i};`);
    return [
      '.version 8.7\n.target sm_90a\n.address_size 64',
      `.visible .entry k(${names.map((name) => `.param .u64 k_${name}`).join(', ')})\n{`,
      '  .reg .pred p<9>; .reg .b32 r<9>; .reg .b32 t<9>; .reg .b64 rd<20>;',
      `  .reg .b64 ${names.map((name) => `g${name}`).join(', ')};`,
      '  .shared .align 16 .u32 s[4];',
      ...names.map((name) => `  ld.param.u64 g${name}, [k_${name}];`),
      `  mov.u32 t0, ${this.isOneCta ? '%tid.x' : '%ctaid.x'};`,
      ...jumps,
      '  ret;',
      ...roles,
      '}\n',
    ].join('\n');
  }

  /** In a kernel small arrays are sliced as well, and known values let all final states be compared. */
  private memory(): string {
    const array = (name: string): string => {
      const [size, initial] = this.random.weighted([
        [this.isKernel ? 3 : 1, [256, '0'] as const],
        [this.isKernel ? 3 : 1, [256, '{1, 2}'] as const],
        [this.isKernel ? 1 : 4, [256, '?'] as const],
      ]);
      return `  .global .align 128 .u32 ${name}[${size}] = ${initial};\n`;
    };
    const alias = `  .global .u32 c aliases ${this.random.pick(['a', 'a', 'b', 'n'])};\n`;
    return [
      array('a'),
      array('b'),
      '  .global .u32 x = 0;\n  .global .align 16 .u32 n[4] = 2;\n',
      alias,
      `  .global .u64 q = &${this.random.pick(['a', 'b', 'x', 'n'])};\n`,
      `  .global .align 64 .b8 m[128] = tensormap(${this.random.pick(['a', 'b', 'n'])}, 16);\n`,
    ].join('');
  }

  private body(thread: number): readonly string[] {
    const steps = Array.from({ length: 2 + this.random.below(4) }, () => this.step(thread));
    return steps.flat();
  }

  /** An operand of memory; a kernel has addresses in registers. */
  private address({ name, words }: Place): string {
    const offset = 4 * this.random.below(words);
    const base = this.isKernel && name !== 's' ? `g${name}` : name;
    return `[${base}${offset === 0 ? '' : `+${offset}`}]`;
  }

  private register(): string {
    return this.random.pick(REGISTERS);
  }

  /** A register that is written: conditions may name it. */
  private target(thread: number): string {
    const name = this.register();
    this.asked.add(`P${thread}:${name}`);
    return name;
  }

  private place(places = this.places): Place {
    if (this.isOneCta && this.random.chance(20)) return SHARED;
    return this.random.pick(places);
  }

  private step(thread: number): readonly string[] {
    const make = this.random.weighted<(thread: number) => readonly string[]>([
      [20, (own) => this.load(own)],
      [20, () => this.store()],
      [12, (own) => this.compute(own)],
      [8, (own) => this.guarded(own)],
      [8, (own) => this.branch(own)],
      [6, (own) => this.atomic(own)],
      [6, () => this.copy()],
      [5, () => this.tile()],
      [6, (own) => this.pointer(own)],
      [4, () => this.fence()],
      [3, (own) => this.waiting(own)],
      [3, (own) => this.counted(own)],
    ]);
    return make(thread);
  }

  private order(kind: 'ld' | 'st', { name }: Place): string {
    const space = name === 's' ? 'shared' : 'global';
    const order = this.random.pick(['', '', '.relaxed.gpu', kind === 'ld' ? '.acquire.gpu' : '.release.gpu']);
    return `${kind}${order}.${space}.u32`;
  }

  private load(thread: number): readonly string[] {
    const place = this.place();
    return [`  ${this.order('ld', place)} ${this.target(thread)}, ${this.address(place)};`];
  }

  private store(): readonly string[] {
    const place = this.place(this.written);
    const value = this.random.chance(50) ? this.register() : `${1 + this.random.below(3)}`;
    return [`  ${this.order('st', place)} ${this.address(place)}, ${value};`];
  }

  private compute(thread: number): readonly string[] {
    const from = this.register();
    const [operation, other] = [
      this.random.pick(['add.u32', 'xor.b32', 'and.b32']),
      this.random.pick([this.register(), '1']),
    ];
    if (this.random.chance(20)) return [`  mov.u32 ${this.target(thread)}, ${this.random.below(3)};`];
    return [`  ${operation} ${this.target(thread)}, ${from}, ${other};`];
  }

  private guarded(thread: number): readonly string[] {
    const predicate = `p${this.random.below(2)}`;
    const [inner = ''] = this.random.pick([() => this.compute(thread), () => this.load(thread), () => this.store()])();
    const not = this.random.chance(50) ? '!' : '';
    return [
      `  setp.eq.u32 ${predicate}, ${this.register()}, ${this.random.below(2)};`,
      `  @${not}${predicate} ${inner.trim()}`,
    ];
  }

  private branch(thread: number): readonly string[] {
    const label = `L${this.labels++}`;
    const inner = Array.from({ length: 1 + this.random.below(2) }, () => this.simple(thread)).flat();
    return [
      `  setp.ne.u32 p2, ${this.register()}, ${this.random.below(2)};`,
      `  @p2 bra ${label};`,
      ...inner,
      `${label}:`,
    ];
  }

  private simple(thread: number): readonly string[] {
    return this.random.pick([() => this.compute(thread), () => this.load(thread), () => this.store()])();
  }

  private atomic(thread: number): readonly string[] {
    const place = this.random.pick(this.written);
    const operation = this.random.pick(['add.u32', 'exch.b32']);
    return [`  atom.relaxed.gpu.global.${operation} ${this.target(thread)}, ${this.address(place)}, 1;`];
  }

  private fence(): readonly string[] {
    return [this.random.pick(['  fence.acq_rel.gpu;', '  fence.proxy.alias;', '  fence.proxy.async;'])];
  }

  /** A copy that is waited for, between shared and global memory. */
  private copy(): readonly string[] {
    const large = this.written.filter(({ name }) => name !== 'x');
    const place = this.random.pick(large.length > 0 ? large : [{ name: 'b', words: 1 }]);
    const end = ['  cp.async.bulk.commit_group;', '  cp.async.bulk.wait_group 0;'];
    const kind = this.random.below(3);
    const to = this.address({ ...place, words: 1 });
    if (kind === 0) return [`  cp.async.bulk.global.shared::cta.bulk_group ${to}, [s], 16;`, ...end];
    if (kind === 1) return [`  cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 ${to}, [s], 16;`, ...end];
    return [`  cp.async.cg.shared.global [s], ${to}, 16;`, '  cp.async.wait_all;'];
  }

  private tile(): readonly string[] {
    const map = this.isKernel ? 'gm' : 'm';
    const end = ['  cp.async.bulk.commit_group;', '  cp.async.bulk.wait_group 0;'];
    return [`  cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [${map}, {0}], [s];`, ...end];
  }

  /** An access by an address that was chosen or loaded. */
  private pointer(thread: number): readonly string[] {
    const pointer = `rd${this.fresh++ % 16}`;
    const of = (name: string): string => (this.isKernel ? `g${name}` : name);
    const access = (): string =>
      this.random.chance(50)
        ? `  st.global.u32 [${pointer}], ${1 + this.random.below(2)};`
        : `  ld.global.u32 ${this.target(thread)}, [${pointer}];`;
    const kind = this.random.below(4);
    if (kind === 0) return [`  ld.global.u64 ${pointer}, [${of('q')}];`, access()];
    if (kind === 1) {
      const [one, other] = [`rd${this.fresh++ % 16}`, `rd${this.fresh++ % 16}`];
      const names = ['a', 'b', 'x', 'n'];
      return [
        `  mov.u64 ${one}, ${of(this.random.pick(names))};`,
        `  mov.u64 ${other}, ${of(this.random.pick(names))};`,
        `  setp.eq.u32 p3, ${this.register()}, 0;`,
        `  selp.b64 ${pointer}, ${one}, ${other}, p3;`,
        access(),
      ];
    }
    if (kind === 2) {
      const name = this.random.pick(['a', 'b', 'x']);
      return [`  mov.u64 ${pointer}, ${of(name)};`, `  st.global.u64 [${of('q')}], ${pointer};`];
    }
    return [`  mov.u64 ${pointer}, ${of(this.random.pick(['a', 'b']))};`, access()];
  }

  /** A loop that waits, which may count its rounds. */
  private waiting(thread: number): readonly string[] {
    const label = `W${this.labels++}`;
    const place = this.random.pick(this.places);
    const flag = this.target(thread);
    const others = REGISTERS.filter((name) => name !== flag);
    const count = this.random.pick(others);
    const counter = this.random.chance(50) ? [`  add.u32 ${count}, ${count}, 1;`] : [];
    if (counter.length > 0) this.asked.add(`P${thread}:${count}`);
    return [
      `${label}:`,
      ...counter,
      `  ld.relaxed.gpu.global.u32 ${flag}, ${this.address(place)};`,
      `  setp.eq.u32 p4, ${flag}, 0;`,
      `  @p4 bra ${label};`,
    ];
  }

  /** A loop whose rounds are in memory. */
  private counted(thread: number): readonly string[] {
    const label = `C${this.labels++}`;
    const n = this.isKernel ? 'gn' : 'n';
    return [
      `  ld.global.u32 r5, [${n}];`,
      '  mov.u32 r4, 0;',
      `${label}:`,
      '  add.u32 r4, r4, 1;',
      ...this.simple(thread),
      '  setp.lt.u32 p5, r4, r5;',
      `  @p5 bra ${label};`,
    ];
  }

  private clauses(): string {
    const memory = this.places.map(
      ({ name, words }) => `${name}${words === 1 && !'abcn'.includes(name) ? '' : `[${this.random.below(words)}]`}`,
    );
    const registers = [...this.asked];
    const one = (): string => {
      const terms = this.random.chance(65) && registers.length > 0 ? registers : memory;
      return `${this.random.pick(terms)} == ${this.random.below(4)}`;
    };
    const conditions = Array.from({ length: 1 + this.random.below(3) }, () =>
      this.random.chance(40) ? `exists (${one()} && ${one()})` : `exists (${one()})`,
    );
    return [...conditions, 'expect race', 'expect undefined', 'expect deadlock'].join('\n');
  }
}
