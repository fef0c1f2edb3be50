import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../diagnostics/usage-error.js';
import { LARGEST_MODULE } from '../files/read-modules.js';
import { readText } from '../files/read-text.js';
import { isRecord } from '../record/json-member.js';
import type { FoundModule } from '../record/modules.js';
import { readRecording } from '../record/read-recording.js';
import type { Recording } from '../record/recording.js';
import type { ApplicationEnd } from '../record/summary.js';

const LINES = 'launches.jsonl';
/** The recorder writes no more. */
const LARGEST_LINES = 80 << 20;

/** The folders of a recording: of its first process, and of others, which have one each. */
export function recordedFolders(folder: string): readonly string[] {
  if (!existsSync(join(folder, LINES)))
    throw new UsageError(
      `${folder} is no recording: there is no ${LINES} in it; record.sh, or record -- application, writes one`,
    );
  const others = readdirSync(folder).filter(
    (name) => /^process-\d+$/.test(name) && existsSync(join(folder, name, LINES)),
  );
  return [folder, ...others.sort().map((name) => join(folder, name))];
}

/** A recording, with the modules that were found for its images. */
export function readRawFolder(folder: string): {
  readonly recording: Recording;
  readonly found: readonly FoundModule[];
} {
  const bytes = (name: string): Uint8Array | undefined =>
    existsSync(join(folder, name)) ? readFileSync(join(folder, name)) : undefined;
  const lines = readText(join(folder, LINES), LARGEST_LINES);
  const recording = readRecording({ lines, counts: bytes('counts.bin'), sequence: bytes('sequence.bin') });
  return { recording, found: modulesIn(join(folder, 'ptx')) };
}

/** `3.ptx`, and `3-2.ptx` where image 3 has several. */
function modulesIn(folder: string): readonly FoundModule[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith('.ptx'))
    .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
    .map((name) => {
      const image = /^\d+(?=[-.])/.exec(name)?.[0];
      return {
        image: image === undefined ? undefined : Number(image),
        path: `module-${name}`,
        text: () => readText(join(folder, name), LARGEST_MODULE),
      };
    });
}

/** What record.sh says of the application, if it came to say it. */
export function applicationEnd(folder: string): ApplicationEnd | undefined {
  const path = join(folder, 'summary.json');
  if (!existsSync(path)) return undefined;
  let read: unknown;
  try {
    read = JSON.parse(readText(path));
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown;
  }
  if (!isRecord(read)) throw new UsageError(`${path} is no JSON of record.sh: delete it to go on without it`);
  const { command, status, signal, milliseconds, gpu } = read;
  const number = (value: unknown): number => (typeof value === 'number' ? value : 0);
  const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
  return {
    command: Array.isArray(command) ? command.map(String) : [],
    status: number(status),
    signal: text(signal),
    milliseconds: number(milliseconds),
    gpu: text(gpu),
  };
}
