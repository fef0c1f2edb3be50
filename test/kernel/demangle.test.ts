import { describe, expect, it } from 'vitest';
import { demangled } from '../../src/kernel/demangle.js';

describe('a name of a module', () => {
  it.each([
    ['_Z6reducePKjPjS1_S1_j', 'reduce'],
    ['_ZZ6reduceE3bar', 'reduce::bar'],
    ['_ZZ6reducePKjE3bar', 'reduce::bar'],
    ['_ZN2ns3fooILi4EfEEvPT0_', 'ns::foo'],
    ['_ZZN3abc6kernelILi4EEEvPiE4smem', 'abc::kernel::smem'],
    // Template arguments: what stands for a type named before, values of enumerations, packs, functions, lambdas.
    ['_ZN1a4kernINS_3boxIPKiEELin3ELb1ELNS_4modeE1EEEvPNS1_IT_EE', 'a::kern'],
    ['_ZN1a4packIJiNS_3boxIfEEhEEEvPi', 'a::pack'],
    ['_ZN1a2fnIXadL_ZNS_5twiceEiEEEEvPi', 'a::fn'],
    ['_ZN1a4manyIiNS_5Inner4LessEEEvT_T0_NS_3boxINS5_IPKS3_EEEES4_S3_', 'a::many'],
    ['_ZN1a3negILxn12345678901EPFifPvEEEvRA4_T0_', 'a::neg'],
    ['_ZN1a4callIZ6launchvEUliE_EEvT_', 'a::call'],
    ['_ZN1a4scanINS_6policyIiE4tileEPKiLNS_4kindE2ES4_NS_1LIiEES6_EEvT0_', 'a::scan'],
    ['reduce', 'reduce'],
    ['_Z', '_Z'],
    ['_Z9zu', '_Z9zu'],
  ])('%s is %s', (name, plain) => expect(demangled(name)).toBe(plain));
});
