import { Random } from '../../src/generate/random.js';

/**
 * Programs of warps and lanes that meet at barriers, or do not: behind branches that depend on data, around early
 * exits, with counts and without. The generator of programs (`src/generate/programs.ts`) has few of these.
 */
export function barrierProgram(seed: number): string {
  const random = new Random(seed);
  const kind = random.pick(KINDS);
  const threads = 2 + random.below(3);
  const warps = [0];
  for (let i = 1; i < threads; i++) warps.push(random.below(3) === 0 ? (warps.at(-1) ?? 0) : i);
  const bodies = warps.map((warp, i) => {
    const mates = warps.filter((other) => other === warp).length;
    const body = new Body(random, kind, mates, new Set(warps).size).text();
    return `P${i} @ cta 0, warp ${warp} {\n${body}\n}`;
  });
  return [
    `PTX barriers-${seed}`,
    '{ .shared .u32 s = 0; .shared .u32 t = 0; }',
    ...bodies,
    'exists (s == 1 /\\ t == 1)',
    'expect no-race',
    '',
  ].join('\n');
}

const KINDS = ['aligned', 'unaligned', 'two', 'counted', 'warps'] as const;

class Body {
  private labels = 0;

  constructor(
    private readonly random: Random,
    private readonly kind: (typeof KINDS)[number],
    private readonly mates: number,
    private readonly warps: number,
  ) {}

  text(): string {
    return [...this.statements(2), ...this.statements(1), 'exit;'].map((line) => `  ${line}`).join('\n');
  }

  private statements(depth: number): readonly string[] {
    return Array.from({ length: 1 + this.random.below(3) }, () => this.statement(depth)).flat();
  }

  private statement(depth: number): readonly string[] {
    const place = this.random.pick(['s', 't']);
    const choice = this.random.below(20);
    if (choice < 9) return [this.barrier()];
    if (choice < 13) return [`st.weak.shared.u32 [${place}], ${1 + this.random.below(2)};`];
    if (choice < 16) return [`ld.weak.shared.u32 r${this.random.below(2)}, [${place}];`];
    const label = ++this.labels;
    const test = [
      `ld.weak.shared.u32 q${label}, [${place}];`,
      `setp.eq.u32 p${label}, q${label}, ${this.random.below(2)};`,
    ];
    return depth > 0
      ? [...test, `@p${label} bra L${label};`, ...this.statements(depth - 1), `L${label}:`]
      : [...test, `@p${label} exit;`];
  }

  private barrier(): string {
    const { random, kind } = this;
    if (kind === 'warps' && this.mates > 1 && random.below(5) < 2) return `bar.warp.sync ${(1 << this.mates) - 1};`;
    const number = (kind === 'two' || kind === 'counted') && random.below(4) === 0 ? 1 : 0;
    if (kind === 'aligned') return `bar.sync ${number};`;
    if (kind !== 'counted' || random.below(4) === 0) return `barrier.sync ${number};`;
    return `barrier.${random.below(3) === 0 ? 'arrive' : 'sync'} ${number}, ${32 * this.warps};`;
  }
}
