import { describe, expect, it } from 'vitest';
import { axiomsOf, withoutAxioms } from '../../src/cat/without-axioms.js';
import { builtInModel, check, litmus, modelOf } from '../support.js';

const SB = litmus(
  '.global .u32 x = 0; .global .u32 y = 0;',
  [
    'st.relaxed.gpu.global.u32 [x], 1; ld.relaxed.gpu.global.u32 r0, [y];',
    'st.relaxed.gpu.global.u32 [y], 1; ld.relaxed.gpu.global.u32 r0, [x];',
  ],
  'exists (P0:r0 == 0 /\\ P1:r0 == 0)',
);
const sc = builtInModel('sc');
const ORDER = 'Sequential-Consistency';

describe('a model without some axioms', () => {
  it('allows what these alone forbid, and says in its name what was left out', async () => {
    expect((await check(SB, sc)).conditions[0]?.reachable).toBe(false);
    const less = withoutAxioms(sc, [ORDER]);
    expect(less.name).toBe(`sc without ${ORDER}`);
    expect(axiomsOf(less)).not.toContain(ORDER);
    expect((await check(SB, less)).conditions[0]?.reachable).toBe(true);
  });

  it('names them in the order of the model, each once', () => {
    const both = withoutAxioms(sc, ['Atomicity', ORDER, 'Atomicity']);
    expect(both.name).toBe(`sc without ${ORDER}, Atomicity`);
    expect([...both.omitted]).toEqual([ORDER, 'Atomicity']);
  });

  it('keeps its flags and conditions of definedness, also those of the name', () => {
    const model = modelOf(
      '"m"\nacyclic po | rf as A\nacyclic rf as B\nflag ~empty rf as A\nundefined_unless empty co as A\n',
    );
    expect(withoutAxioms(model, ['A']).checks.map(({ role, name }) => `${role} ${name}`)).toEqual([
      'axiom B',
      'flag A',
      'undefined_unless A',
    ]);
  });

  it('is refused where it has no such axiom, or none would be left', () => {
    expect(() => withoutAxioms(sc, ['Atomicty'])).toThrow(
      'no axiom Atomicty in sc: did you mean "Atomicity"? its axioms are Total-Coherence, Sequential-Consistency, ' +
        'Atomicity',
    );
    expect(() => withoutAxioms(builtInModel('ptx-9.4'), ['data-race'])).toThrow('no axiom data-race in ptx-9.4');
    expect(() => withoutAxioms(sc, axiomsOf(sc))).toThrow('would allow everything');
  });
});
