import { describe, expect, it } from 'vitest';
import { programText } from '../../src/init/program-text.js';

const PROGRAM = `
#define WARPS 4
template <int B>
__global__ void __launch_bounds__(B, 2) scan(const int* __restrict__ in, int *out /* sums */, size_t n);
__global__ void plain() {}
constexpr int kBlock = 32 * WARPS;
int main() {
  dim3 block(8, 4);
  // scan<1><<<9, 9>>>(a, b, 9);
  scan<kBlock><<<(1000 + kBlock - 1) / kBlock, kBlock, 2 * kBlock * 4>>>(a, b, 1000u);
  plain<<<dim3(2, 3), block>>>();
  plain<<<grid, threads>>>();
}`;

describe('the text of a program', () => {
  const program = programText(PROGRAM);

  it('names the parameters of its kernels', () => {
    expect(program.parametersOf('scan')).toEqual(['in', 'out', 'n']);
    expect(program.parametersOf('plain')).toEqual([]);
    expect(program.parametersOf('other')).toBeUndefined();
  });

  it('has launches, as far as their numbers are constants', () => {
    expect(program.launchesOf('scan')).toEqual([
      { grid: [8, 1, 1], block: [128, 1, 1], shared: 1024, values: new Map([[2, 1000n]]) },
    ]);
    expect(program.launchesOf('plain')).toEqual([
      { grid: [2, 3, 1], block: [8, 4, 1], shared: undefined, values: new Map() },
    ]);
  });
});
