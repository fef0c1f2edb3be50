import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RegisterFile } from '../../src/semantics/register-file.js';

const name = fc.integer({ min: 0, max: 30 }).map((n) => `r${n}`);
const writes = fc.array(fc.array(fc.tuple(name, fc.nat()), { minLength: 1, maxLength: 4 }), { maxLength: 30 });

describe('a register file', () => {
  it('holds what a map does after the same writes, and leaves what it was made from as it was', () => {
    fc.assert(
      fc.property(writes, (all) => {
        let file = RegisterFile.of<number>(new Map([['r0', -1]]));
        const map = new Map([['r0', -1]]);
        for (const some of all) {
          const before = new Map(file.all());
          const next = file.with(new Map(some));
          expect([...file.all()]).toEqual([...before]);
          for (const [written, value] of new Map(some)) map.set(written, value);
          file = next;
        }
        expect([...file.all()]).toEqual([...map]);
        for (const [held, value] of map) expect(file.get(held)).toBe(value);
        expect(file.get('r99')).toBeUndefined();
      }),
    );
  });
});
