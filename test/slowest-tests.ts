import type { Reporter, TestCase } from 'vitest/node';

const SHOWN = 10;

/** Prints the slowest tests of a run: where its time went. */
export default class SlowestTests implements Reporter {
  private readonly times: { readonly name: string; readonly milliseconds: number }[] = [];

  onTestCaseResult(test: TestCase): void {
    const milliseconds = test.diagnostic()?.duration ?? 0;
    this.times.push({ name: `${test.module.relativeModuleId} > ${test.fullName}`, milliseconds });
  }

  onTestRunEnd(): void {
    const slowest = this.times.sort((a, b) => b.milliseconds - a.milliseconds).slice(0, SHOWN);
    if (slowest.length < SHOWN) return;
    console.log('\nThe slowest tests:');
    for (const { name, milliseconds } of slowest)
      console.log(`${(milliseconds / 1000).toFixed(1).padStart(8)} s  ${name.slice(0, 120)}`);
  }
}
