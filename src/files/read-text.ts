import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { UsageError } from '../diagnostics/usage-error.js';

/** No model or log is larger: what is was not meant. In bytes. */
const LARGEST = 64 << 20;
const STANDARD_INPUT = 0;
const CHUNK = 1 << 16;
/** How long to wait for a pipe into which nobody has written yet, in milliseconds. */
const PAUSE = 5;

/**
 * The text of a file, of a pipe, or of standard input (`-`), of at most so many bytes; throws `UsageError` where it is
 * none that can be read.
 */
export function readText(path: string, largest = LARGEST): string {
  // A named pipe that nobody writes to is empty; opening it otherwise would wait for ever.
  const file = path === '-' ? STANDARD_INPUT : openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (fstatSync(file).isDirectory()) throw new UsageError(`cannot open ${path}: it is a folder`);
    const parts: Buffer[] = [];
    for (let bytes = 0; ; ) {
      const part = readPart(file);
      if (part.length === 0)
        return Buffer.concat(parts)
          .toString('utf8')
          .replace(/^\ufeff/, '');
      bytes += part.length;
      if (bytes > largest) throw new UsageError(`cannot read ${path}: it is larger than ${largest >> 20} MiB`);
      parts.push(part);
    }
  } finally {
    if (file !== STANDARD_INPUT) closeSync(file);
  }
}

function readPart(file: number): Buffer {
  const buffer = Buffer.alloc(CHUNK);
  for (;;) {
    try {
      return buffer.subarray(0, readSync(file, buffer));
    } catch (thrown) {
      const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
      if (code === 'EOF') return Buffer.alloc(0);
      if (code !== 'EAGAIN') throw thrown;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE);
    }
  }
}
