import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Modules } from '../../src/record/modules.js';
import { readRecording } from '../../src/record/read-recording.js';
import type { Recording } from '../../src/record/recording.js';
import { type Outcome, writeTests } from '../../src/record/write-tests.js';

/** What the recorder writes of `apps/runtime.cu`, with the module that nvcc makes of that. */
export const RAW = join(import.meta.dirname, 'raw');
export const LINES = readFileSync(join(RAW, 'launches.jsonl'), 'utf8');
export const PTX = readFileSync(join(RAW, 'ptx/0.ptx'), 'utf8');

/** Lines of launches.jsonl as a recording, and what becomes of it, with that module for image 0. */
export function outcomesOf(
  lines: string,
  all = 1000,
  ofKernel = 1000,
  ptx = PTX,
): { readonly recording: Recording; readonly modules: Modules; readonly outcomes: readonly Outcome[] } {
  const recording = readRecording({ lines, counts: undefined, sequence: undefined });
  const modules = new Modules([{ image: 0, path: 'module-0.ptx', text: () => ptx }], recording.images);
  return { recording, modules, outcomes: writeTests(recording, modules, { all, ofKernel }, () => () => undefined) };
}
