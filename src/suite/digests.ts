import { createHash } from 'node:crypto';
import { markOf } from '../diagnostics/text-parts.js';
import type { TestSource } from './test-source.js';

const digest =
  (algorithm: string) =>
  (text: string): string =>
    createHash(algorithm).update(text).digest('hex');

export const sha256 = digest('sha256');
export const md5 = digest('md5');

/** The same in an answer about a test, the hash of which is cited. */
export const citedHashes = ({ isMarked, text: cited }: TestSource) => ({
  sha256: (text: string): string => (isMarked === true && text === cited ? markOf('sha256') : sha256(text)),
  md5: (text: string): string => (isMarked === true && text === cited ? markOf('md5') : md5(text)),
});
