import { Random } from '../../src/generate/random.js';

/**
 * Programs of two or three grids, in a stream, dependent or beside each other: with triggers in several threads of a
 * CTA, under a condition, or in none; with waits and without; with polls of what another grid stores.
 */
export function gridProgram(seed: number): string {
  const random = new Random(seed);
  const grids = 2 + random.below(2);
  const orders = Array.from({ length: grids - 1 }, (_, i) => orderOf(random, i + 1)).flat();
  const places = Array.from({ length: grids }, (_, grid) => placesOf(random, grid, grids)).flat();
  const alike = random.below(4) === 0 ? new Body(random, true).text() : undefined;
  const bodies = places.map(({ grid, cta }, i) => {
    const isLaunching = orders.some((order) => order.includes(`dependent on ${grid}`));
    const body = alike !== undefined && random.below(3) > 0 ? alike : new Body(random, isLaunching).text();
    return `P${i} @ cta ${cta}, grid ${grid} {\n${body}\n}`;
  });
  return [
    `PTX grids-${seed}`,
    `{ .global .u32 x = 0; .global .u32 y = 0; ${orders.join(' ')} }`,
    ...bodies,
    `exists (x == 1 /\\ y == 1${places.map((_, i) => ` /\\ P${i}:r0 == 1 /\\ P${i}:r1 == 1`).join('')})`,
    'expect no-race',
    '',
  ].join('\n');
}

const ORDERS = ['after', 'dependent on', 'dependent on', 'dependent on'] as const;

/** Each grid comes after the one before it, or after some other, or after none. */
function orderOf(random: Random, grid: number): readonly string[] {
  if (random.below(8) === 0) return [];
  const on = random.below(3) === 0 ? random.below(grid) : grid - 1;
  return [`grid ${grid} ${random.pick(ORDERS)} ${on};`];
}

/** One or two threads of each grid, in one CTA or in two. */
function placesOf(random: Random, grid: number, grids: number): readonly { grid: number; cta: number }[] {
  const threads = grids === 3 ? 1 + Number(random.below(4) === 0) : 1 + Number(random.below(5) < 3);
  const apart = random.below(4) === 0;
  return Array.from({ length: threads }, (_, i) => ({ grid, cta: apart ? i : 0 }));
}

class Body {
  private labels = 0;

  constructor(
    private readonly random: Random,
    private readonly triggers: boolean,
  ) {}

  text(): string {
    const { random } = this;
    const wait = random.below(3) === 0 ? ['griddepcontrol.wait;'] : [];
    const lines = Array.from({ length: 1 + random.below(3) }, () => this.statement()).flat();
    return ['mov.u32 r0, 0;', 'mov.u32 r1, 0;', ...wait, ...lines, 'exit;'].map((line) => `  ${line}`).join('\n');
  }

  private statement(): readonly string[] {
    const { random } = this;
    const place = random.pick(['x', 'y']);
    const choice = random.below(this.triggers ? 24 : 14);
    if (choice < 3) return [`st.weak.global.u32 [${place}], 1;`];
    if (choice < 5) return [`st.relaxed.gpu.global.u32 [${place}], 1;`];
    if (choice < 7) return [`ld.weak.global.u32 r${random.below(2)}, [${place}];`];
    if (choice < 10) return [`ld.relaxed.gpu.global.u32 r${random.below(2)}, [${place}];`];
    if (choice === 10) return [random.pick(FENCES)];
    if (choice === 11) return ['bar.sync 0;'];
    if (choice === 12) return this.poll(place);
    if (choice === 13) return [`atom.relaxed.gpu.global.exch.b32 r0, [${place}], 1;`];
    return this.trigger(place);
  }

  private poll(place: string): readonly string[] {
    const label = ++this.labels;
    return [
      `L${label}: ld.relaxed.gpu.global.u32 q${label}, [${place}];`,
      `setp.eq.u32 p${label}, q${label}, 0;`,
      `@p${label} bra L${label};`,
    ];
  }

  private trigger(place: string): readonly string[] {
    const { random } = this;
    const trigger = 'griddepcontrol.launch_dependents;';
    const choice = random.below(8);
    if (choice < 2) return [trigger];
    if (choice < 4) return [random.pick(FENCES), trigger];
    if (choice === 4) return [random.pick(FENCES), 'bar.sync 0;', trigger];
    if (choice === 5) return ['bar.sync 0;', random.pick(FENCES), trigger];
    const label = ++this.labels;
    return [
      ...(choice === 6 ? [random.pick(FENCES)] : []),
      `ld.relaxed.gpu.global.u32 q${label}, [${place}];`,
      `setp.eq.u32 p${label}, q${label}, ${random.below(2)};`,
      `@p${label} ${trigger}`,
    ];
  }
}

const FENCES = [
  'fence.acq_rel.gpu;',
  'fence.acq_rel.gpu;',
  'fence.sc.gpu;',
  'fence.acq_rel.cta;',
  'fence.acq_rel.sys;',
];
