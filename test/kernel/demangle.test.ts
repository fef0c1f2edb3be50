import { describe, expect, it } from 'vitest';
import { demangled } from '../../src/kernel/demangle.js';

describe('a name of a module', () => {
  it.each([
    ['_Z6reducePKjPjS1_S1_j', 'reduce'],
    ['_ZZ6reduceE3bar', 'reduce::bar'],
    ['_ZZ6reducePKjE3bar', 'reduce::bar'],
    ['_ZN2ns3fooILi4EfEEvPT0_', 'ns::foo'],
    ['_ZZN3abc6kernelILi4EEEvPiE4smem', 'abc::kernel::smem'],
    ['reduce', 'reduce'],
    ['_Z', '_Z'],
    ['_Z9zu', '_Z9zu'],
  ])('%s is %s', (name, plain) => expect(demangled(name)).toBe(plain));
});
