import { resolve } from 'node:path';
import { watch } from 'chokidar';
import type { Model } from '../cat/model.js';

/** Edits that come this close together, in milliseconds, are one. */
const SETTLED = 80;

/** The files that a model is made of, with those that it includes. */
export function filesOfModel({ source, statements }: Model): readonly string[] {
  return [...new Set([source.path, ...statements.map(({ span }) => span.source.path)])].map((path) => resolve(path));
}

/** Calls `react` with the files that an edit touched, one call after the other, until the process is interrupted. */
export async function watchFiles(paths: readonly string[], react: (touched: ReadonlySet<string>) => Promise<void>): Promise<never> {
  const watcher = watch([...paths], { ignoreInitial: true, awaitWriteFinish: { stabilityThreshold: SETTLED, pollInterval: SETTLED / 4 } });
  let touched = new Set<string>();
  let wake: () => void = () => undefined;
  watcher.on('all', (_, path) => {
    touched.add(resolve(path));
    wake();
  });
  await new Promise<void>((ready) => {
    watcher.on('ready', () => ready());
  });
  for (;;) {
    if (touched.size === 0)
      await new Promise<void>((awake) => {
        wake = awake;
      });
    // What is saved together, such as by a formatter, is checked together.
    await new Promise((settle) => setTimeout(settle, SETTLED));
    const now = touched;
    touched = new Set();
    await react(now);
  }
}
