import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readModel } from '../../src/cat/resolve-model.js';
import { withoutAxioms } from '../../src/cat/without-axioms.js';
import { clausesFor } from '../../src/check/clauses-for.js';
import { BASE_KINDS } from '../../src/execution/base-relations.js';
import { builtInModel, litmus, programOf, ROOT } from '../support.js';

/** Models that include one another: mine includes ours, ours includes ptx-9.4. */
const texts: Readonly<Record<string, string>> = {
  'mine.cat': '"mine"\ninclude "ours.cat"\nacyclic po as Mine\n',
  'ours.cat': '"ours"\ninclude "ptx-9.4.cat"\n',
  'ptx-9.4.cat': readFileSync(join(ROOT, 'models/ptx-9.4.cat'), 'utf8'),
};
const modelFrom = (name: string) => {
  const source = (path: string) => ({ path: `some/folder/${path}`, text: texts[path] ?? '' });
  const { value } = readModel(name, source(`${name}.cat`), BASE_KINDS, source);
  if (value === undefined) throw new Error(name);
  return value;
};
const [mine, ours] = [modelFrom('mine'), modelFrom('ours')];

/** The names of the conditions, and the expectations, that speak of a model. */
function speaking(conditions: string, model = mine): readonly string[] {
  const program = programOf(litmus('.global .u32 x = 0;', ['ld.weak.global.u32 r0, [x];'], conditions));
  const found = clausesFor(program, model);
  return [...found.conditions.map(({ name }) => name ?? ''), ...found.expectations.map((one) => one.expectation)];
}

describe('a clause for a model', () => {
  it('holds for models that include it, for no other', () => {
    const text = 'forbid (P0:r0 == 1) as a for ptx-9.4\nexpect no-race for ptx-9.4\nforbid (x == 1) as b for ptx-7.5';
    expect(speaking(text)).toEqual(['a', 'no-race']);
    expect(speaking(text, builtInModel('ptx-7.5'))).toEqual(['b']);
    expect(speaking('forbid (P0:r0 == 1) as a for mine', builtInModel('ptx-9.4'))).toEqual([]);
    expect(speaking('forbid (P0:r0 == 1) as a for mine', ours)).toEqual([]);
  });

  it('holds for that model without an axiom', () => {
    const less = withoutAxioms(builtInModel('ptx-9.4'), ['Causality']);
    expect(speaking('forbid (P0:r0 == 1) as a for ptx-9.4', less)).toEqual(['a']);
  });

  it('gives way where another on the same question names the model itself, or one included before', () => {
    const text = 'forbid (P0:r0 == 1) as a for ptx-9.4\npermit (P0:r0 == 1) as b for mine\nforbid (x == 2) as c';
    expect(speaking(text)).toEqual(['b', 'c']);
    expect(speaking(text, ours)).toEqual(['a', 'c']);
    expect(speaking('forbid (P0:r0 == 1) as a for ptx-9.4\npermit (P0:r0 == 1) as b for ours')).toEqual(['b']);
    expect(speaking('expect no-race for ptx-9.4, mine\nexpect race for ours')).toEqual(['no-race']);
    expect(speaking('expect no-race for ptx-9.4\nexpect race for mine\nexpect no-deadlock for ptx-9.4')).toEqual([
      'race',
      'no-deadlock',
    ]);
  });

  it('does not take the place of one for all models', () => {
    expect(speaking('forbid (P0:r0 == 1) as a\npermit (P0:r0 == 1) as b for ptx-9.4')).toEqual(['a', 'b']);
  });
});
