import { Cdcl } from '../../src/axiomatic/solver/cdcl.js';
import type { Model } from '../../src/cat/model.js';
import { loadModel } from '../../src/files/load-model.js';

function ours(): Model {
  const { value } = loadModel('ptx-9.4', [], new Set());
  if (value === undefined) throw new Error('ptx-9.4 cannot be read');
  return value;
}

/** Found also from where mutants are bundled. */
export const MODEL = ours();
export const solver = new Cdcl();
