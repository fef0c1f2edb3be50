import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LAUNCHES, launchTest } from '../families/launches.mjs';
import { COMMAND_LINE, exponent, ROOT, timed } from '../measure.mjs';

/** Launches of full size, all threads: whole processes, right and with a barrier or a fence too few. */
export const title = 'launches: seconds of the whole process, and exponents of growth';

/** What each kernel is measured at; in families of one number that grows. */
const SIZES = [
  ['matmul32', [2, 2], [4, 1]],
  ['scan', [1024]],
  ['reduce', [1024, 4]],
  ['transpose', [2]],
  ['bitonic', [1024]],
  ['bitonic of open values', [1024]],
  ['histogram', [2, 16]],
  ['histogram of open values', [2, 16]],
  ['gridbarrier', [64, 256]],
  ['lastblock', [64, 256]],
  ['lastblock, all threads', [64, 64], [64, 256]],
  ['lookback', [64, 256]],
  ['ticketlock', [64, 256]],
];
const GROWTH = [
  ['threads of a block', 'scan', [128, 256, 512, 1024].map((n) => [n, [n]])],
  ['CTAs', 'gridbarrier', [4, 8, 16, 32, 64].map((n) => [n, [n, 128]])],
  ['rounds', 'matmul16', [2, 4, 8, 16].map((n) => [n, [n, 1]])],
  ['CTAs, one of which comes last', 'lastblock', [4, 8, 16, 32].map((n) => [n, [n, 64]])],
  ['CTAs that look back', 'lookback', [4, 8, 16, 32].map((n) => [n, [n, 64]])],
  ['CTAs with tickets', 'ticketlock', [4, 8, 16, 32].map((n) => [n, [n, 64]])],
];

export function* rows({ limit }) {
  const folder = mkdtempSync(join(tmpdir(), 'ptx-litmus-bench-'));
  copyFileSync(join(ROOT, 'test/kernels/sizes/sizes.ptx'), join(folder, 'sizes.ptx'));
  const measured = (family, size, isBroken) => {
    const path = join(folder, 'test.litmus');
    writeFileSync(path, launchTest(LAUNCHES[family](...size), isBroken));
    const args = [COMMAND_LINE, 'check', '--witnesses', '0', '--timeout', `${limit}`, path];
    const { seconds, status } = timed(process.execPath, args, 2 * limit);
    // Met or broken; what was not read or not decided has no time.
    return status === (isBroken ? 1 : 0) ? seconds : undefined;
  };
  try {
    for (const [family, ...sizes] of SIZES)
      for (const size of sizes)
        for (const isBroken of [false, true])
          yield {
            name: `${family} ${size.join(' x ')}${isBroken ? ', broken' : ''}`,
            seconds: measured(family, size, isBroken),
          };
    for (const [what, family, sizes] of GROWTH) {
      const points = sizes.map(([n, size]) => [n, measured(family, size, false)]);
      yield { name: `${family}: exponent in ${what}`, number: exponent(points) };
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}
