import { createHash } from 'node:crypto';

const digest =
  (algorithm: string) =>
  (text: string): string =>
    createHash(algorithm).update(text).digest('hex');

export const sha256 = digest('sha256');
export const md5 = digest('md5');
