import { describe, expect, it } from 'vitest';
import { completionsAt } from '../../src/language/completions.js';

const at = (text: string, path = 'a.litmus'): readonly string[] => {
  const offset = text.indexOf('|');
  const whole = text.slice(0, offset) + text.slice(offset + 1);
  return completionsAt(path, whole, offset).map(({ start, text: found }) => `${whole.slice(start, offset)}>${found}`);
};
const inBody = (statement: string): string =>
  `PTX a\n{ .global .u32 data; }\nP0 {\n  mov.u32 value, 1;\n  ${statement}\n}\nexists (data == 1)\n`;

describe('what may stand at a place', () => {
  it('is a qualifier that the instruction takes, and that is not given yet', () => {
    expect(at(inBody('st.|'))).toEqual(expect.arrayContaining(['>release', '>gpu', '>global', '>u32']));
    expect(at(inBody('st.release.|'))).not.toContain('>relaxed');
    expect(at(inBody('st.rel|'))).toContain('rel>release');
    expect(at(inBody('fence.proxy.|'))).toEqual(expect.arrayContaining(['>async', '>alias']));
    expect(at(inBody('cp.async.bulk.|'))).toEqual(expect.arrayContaining(['>commit_group', '>wait_group', '>tensor']));
  });

  it('is an instruction at the beginning of a statement', () => {
    expect(at(inBody('f|'))).toContain('f>fence');
    expect(at(inBody('@p mb|'))).toContain('mb>mbarrier');
  });

  it('is a name among operands: of the thread, or of memory', () => {
    expect(at(inBody('st.global.u32 [d|]'))).toContain('d>data');
    expect(at(inBody('add.u32 sum, v|'))).toContain('v>value');
  });

  it('is what can be expected', () => {
    expect(at(`${inBody('')}expect no-r|`)).toContain('no-r>no-race');
  });

  it('is a word of a model, of the vocabulary or its own', () => {
    const found = at('"m"\nlet mine = rf | co\n', 'm.cat');
    expect(found).toEqual(expect.arrayContaining(['>mine', '>fr', '>acyclic']));
  });
});
