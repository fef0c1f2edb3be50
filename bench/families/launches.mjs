/** Launches of test/kernels/sizes/sizes.ptx: the memory, the arguments and the place of each kernel, by its size. */
const numbers = (count, below) => {
  let state = 1;
  return Array.from({ length: count }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  });
};
const listed = (values) => `{${values.join(', ')}}`;

const sorted = (block, values) => ({
  kernel: 'bitonic',
  memory: `.global .u32 data[${block}] = ${values};`,
  given: 'data',
  place: `grid 1, block ${block}`,
});

const counted = (grid, each, values) => ({
  kernel: 'histogram',
  memory: `.global .u8 in[${256 * grid * each}] = ${values}; .global .u32 bins[256];`,
  given: `in, bins, ${each}`,
  place: `grid ${grid}, block 256`,
});

const matmul = (tile) => (tiles, blocks) => ({
  kernel: `matmul${tile}`,
  memory:
    `.global .u32 a[${tiles * tile * blocks * tile}] = ?; .global .u32 b[${(tiles * tile) ** 2}] = ?; ` +
    `.global .u32 c[${tiles * tile * blocks * tile}];`,
  given: `a, b, c, ${tiles}`,
  place: `grid (${tiles}, ${blocks}), block (${tile}, ${tile})`,
});

const lastBlock = (kernel) => (grid, block) => ({
  kernel,
  memory:
    `.global .u32 in[${grid * block}] = 1; .global .u32 part[${grid}]; ` +
    '.global .u32 count = 0; .global .u32 out = 0;',
  given: 'in, part, &count, &out',
  place: `grid ${grid}, block ${block}`,
});

export const LAUNCHES = {
  matmul8: matmul(8),
  matmul16: matmul(16),
  matmul32: matmul(32),
  scan: (block) => ({
    kernel: 'scan',
    memory: `.global .u32 in[${block}] = ?; .global .u32 out[${block}];`,
    given: 'in, out',
    place: `grid 1, block ${block}`,
  }),
  reduce: (block, grid) => ({
    kernel: 'reduce',
    memory: `.global .u32 in[${grid * block}] = ?; .global .u32 out[${grid}];`,
    given: 'in, out',
    place: `grid ${grid}, block ${block}`,
  }),
  transpose: (tiles) => ({
    kernel: 'transpose',
    memory: `.global .u32 in[${(32 * tiles) ** 2}] = ?; .global .u32 out[${(32 * tiles) ** 2}];`,
    given: `in, out, ${32 * tiles}`,
    place: `grid (${tiles}, ${tiles}), block (32, 32)`,
  }),
  // What is sorted and what is counted decides who goes where: it is known, or open.
  bitonic: (block) => sorted(block, listed(numbers(block, 1000))),
  'bitonic of open values': (block) => sorted(block, '?'),
  histogram: (grid, each) => counted(grid, each, listed(numbers(256 * grid * each, 256))),
  'histogram of open values': (grid, each) => counted(grid, each, '?'),
  gridbarrier: (grid, block) => ({
    kernel: 'gridbarrier',
    memory: `.global .u32 data[${grid * block}]; .global .u32 out[${grid * block}]; .global .u32 count = 0;`,
    given: 'data, out, &count',
    place: `grid ${grid}, block ${block}, cooperative`,
  }),
  lastblock: lastBlock('lastblock'),
  'lastblock, all threads': lastBlock('lastblock_all'),
  lookback: (grid, block) => ({
    kernel: 'lookback',
    memory:
      `.global .u32 in[${grid * block}] = ?; .global .u32 flag[${grid}] = 0; .global .u32 sums[${grid}]; ` +
      `.global .u32 prefixes[${grid}]; .global .u32 out[${grid * block}];`,
    given: 'in, flag, sums, prefixes, out',
    place: `grid ${grid}, block ${block}`,
  }),
  ticketlock: (grid, block) => ({
    kernel: 'ticketlock',
    memory: `.global .u32 next = 0; .global .u32 serving = 0; .global .u32 data[${block}] = 0;`,
    given: '&next, &serving, data',
    place: `grid ${grid}, block ${block}`,
  }),
};

/** The test of a launch; `isBroken`: of the kernel that lacks a barrier or a fence. */
export const launchTest = ({ kernel, memory, given, place }, isBroken, module = 'sizes.ptx') =>
  `PTX ${kernel}\n{ ${memory} }\n` +
  `launch K "${module}" :: ${kernel}${isBroken ? '_broken' : ''} (${given}) @ ${place}\n` +
  'expect no-race\nexpect no-undefined\nexpect no-deadlock\nexpect no-uninitialized\n';
