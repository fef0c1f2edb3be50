import { describe, expect, it } from 'vitest';
import { forbidsThinAir } from '../../src/cat/thin-air.js';
import { builtInModel, modelOf } from '../support.js';

describe('thin air', () => {
  it('is forbidden by a cycle of reads-from with all dependencies, also of copies', () => {
    const model = modelOf('"all"\nacyclic rf | addr | data | ctrl as No-Thin-Air\n');
    expect([forbidsThinAir(model, false), forbidsThinAir(model, true)]).toEqual([true, true]);
    for (const name of ['ptx-9.4', 'ptx-7.5']) expect(forbidsThinAir(builtInModel(name), false)).toBe(true);
    expect(forbidsThinAir(builtInModel('ptx-9.4'), true)).toBe(true);
  });

  it('is forbidden by one with program order, but for copies: their write is not so ordered after their read', () => {
    const model = modelOf('"by order"\nacyclic rf | po as No-Thin-Air\n');
    expect([forbidsThinAir(model, false), forbidsThinAir(model, true)]).toEqual([true, false]);
  });

  it('is not forbidden by some of the dependencies', () => {
    expect(forbidsThinAir(modelOf('"some"\nacyclic rf | data as No-Thin-Air\n'), false)).toBe(false);
  });
});
