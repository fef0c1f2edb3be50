import { isTakenIn, leftOf, SYMMETRY_KERNELS } from './symmetry-kernels.js';

/** What is said of a kernel. */
export interface Verdict {
  readonly name: string;
  readonly says: string;
}

/** Which threads of each kernel are left, or whether what it says of them is taken. */
export function* verdicts(): Generator<Verdict> {
  for (const kernel of SYMMETRY_KERNELS) {
    const says = kernel.pairs === undefined ? leftOf(kernel).join(' ') : String(isTakenIn(kernel));
    yield { name: kernel.name, says };
  }
}
