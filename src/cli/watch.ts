import { resolve } from 'node:path';
import { watch } from 'chokidar';
import type { Model } from '../cat/model.js';

/** Edits that come this close together, in milliseconds, are one. */
const SETTLED = 80;

/** The files that a model is made of, with those that it includes. */
export function filesOfModel({ sources }: Model): readonly string[] {
  return [...new Set(sources.map(({ path }) => resolve(path)))];
}

/** What edits touch, from now on until the process is interrupted. */
export interface Edits {
  /** Watches more. */
  add(paths: readonly string[]): void;
  /** Calls `react` with the files that edits have touched since the last call, one call after the other. */
  forEach(react: (touched: ReadonlySet<string>) => Promise<void>): Promise<never>;
}

/** Watches files and folders; resolves when no edit can be missed any more. */
export async function watchFiles(paths: readonly string[]): Promise<Edits> {
  const watcher = watch([...paths], {
    ignoreInitial: true,
    awaitWriteFinish: { stabilityThreshold: SETTLED, pollInterval: SETTLED / 4 },
  });
  let touched = new Set<string>();
  let wake: () => void = () => undefined;
  watcher.on('all', (_, path) => {
    touched.add(resolve(path));
    wake();
  });
  await new Promise<void>((ready) => {
    watcher.on('ready', () => ready());
  });
  const forEach = async (react: (touched: ReadonlySet<string>) => Promise<void>): Promise<never> => {
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
  };
  return { forEach, add: (more) => void watcher.add([...more]) };
}
