/** Six tests that show what the page is for. */
export interface Stop {
  readonly title: string;
  readonly text: string;
  /** The path of the example, in `litmus/`. */
  readonly example: string;
  readonly view: string;
}

export const TOUR: readonly Stop[] = [
  {
    title: 'Message passing',
    text:
      'P0 writes data, then releases a flag; P1 acquires the flag, then reads the data. The condition asks for the ' +
      'stale read. It is forbidden, and the verdict says by which axiom. Change .release or .acquire to .relaxed, and look again.',
    example: 'classic/MP+rel.gpu+acq.gpu.litmus',
    view: 'verdicts',
  },
  {
    title: 'A picture',
    text:
      'With relaxed accesses the same outcome is allowed. The picture shows an execution: rf is what a read reads from, fr what it ' +
      'reads before. Point at an arrow to see its two ends; take relations out above it.',
    example: 'classic/MP+rlx.gpu+rlx.gpu.litmus',
    view: 'picture',
  },
  {
    title: 'Why a scope matters',
    text: 'Explanations say what is missing: which order, which scope, which fence.',
    example: 'scopes/MP+rel.cta+acq.cta+two-ctas.litmus',
    view: 'why',
  },
  {
    title: 'Step by step',
    text: 'An operational machine runs the test. Choose its steps, take them back, or let chance choose.',
    example: 'classic/SB+rlx.gpu+rlx.gpu.litmus',
    view: 'machine',
  },
  {
    title: 'Two models',
    text: 'What one model allows and another does not. The model can also be edited, on the left.',
    example: 'classic/IRIW+rel.gpu+rel.gpu+acq.gpu-acq.gpu+acq.gpu-acq.gpu.litmus',
    view: 'compare',
  },
  {
    title: 'A kernel',
    text:
      'A launch of a compiled kernel: the module has a tab of its own. All threads are followed, and the answer names ' +
      'lines of the source program.',
    example: 'kernels/launched/cpasync-broken.litmus',
    view: 'verdicts',
  },
];
