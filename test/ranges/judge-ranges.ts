import { generatedKernels } from './generated-kernels.js';
import { RANGE_KERNELS } from './kernels.js';
import { saidTogether } from './law.js';
import { rangeTest } from './range-kernel.js';

/** What is said of a kernel for all values of its number. */
export interface Verdict {
  readonly name: string;
  readonly says: string;
}

/** Generated kernels that are judged beside those that are written. */
const GENERATED = 20;

/** Of the kernels here, and of some that are generated. */
export function* verdicts(): Generator<Verdict> {
  for (const kernel of RANGE_KERNELS) yield { name: kernel.name, says: said(kernel) };
  let count = 0;
  for (const kernel of generatedKernels(1)) {
    if (count++ >= GENERATED) return;
    yield { name: kernel.name, says: said(kernel) };
  }
}

function said(kernel: Parameters<typeof rangeTest>[0]): string {
  const { text, modules } = rangeTest(kernel);
  try {
    return JSON.stringify(saidTogether({ path: 'k.litmus', text, modules }));
  } catch (thrown) {
    return `throws ${thrown instanceof Error ? thrown.message : thrown}`;
  }
}
