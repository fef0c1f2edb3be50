/// <reference lib="dom" />
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults, RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';
import { SWEEP_ALL } from '../shares.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Axe {
  run(options: RunOptions): Promise<AxeResults>;
}

/** How a page looks: in which colors, and how wide it is, in pixels. No rule of style goes by both. */
interface Look {
  readonly colorScheme: 'light' | 'dark';
  readonly width: number;
}
const EACH: readonly Look[] = [
  { colorScheme: 'light', width: 380 },
  { colorScheme: 'dark', width: 1280 },
];
const OTHERS: readonly Look[] = [
  { colorScheme: 'light', width: 1280 },
  { colorScheme: 'dark', width: 380 },
];
export const LOOKS = SWEEP_ALL ? [...EACH, ...OTHERS] : EACH;

/** What axe-core finds wrong with a page as it is shown. Which of its rules go by colors is not ours to say. */
export async function violationsIn(page: Page, { colorScheme, width }: Look): Promise<readonly string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(AXE);
  const { violations } = await page.evaluate(() =>
    (globalThis as unknown as { axe: Axe }).axe.run({ resultTypes: ['violations'] }),
  );
  return violations.map(({ id, nodes }) => `${colorScheme}, ${width}: ${id}: ${nodes[0]?.html}`);
}
