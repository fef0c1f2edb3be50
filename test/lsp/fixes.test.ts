import { describe, expect, it } from 'vitest';
import { adviceFixes } from '../../src/lsp/fixes.js';

describe('a change that advise has found', () => {
  it('edits what differs of a test and of its modules, whether these are open or not', () => {
    const before = { path: '/t/a.litmus', text: 'one\ntwo\n', modules: { 'k.ptx': 'ld.weak\n', 'same.ptx': 'ret;' } };
    const draft = { ...before, text: 'one\ntoo\n', modules: { 'k.ptx': 'ld.relaxed\n', 'same.ptx': 'ret;' } };
    const [fix] = adviceFixes('file:///t/a.litmus', [{ title: 'a change', patch: '', draft }], before);
    expect(fix?.edit?.changes).toEqual({
      'file:///t/a.litmus': [
        { range: { start: { line: 1, character: 1 }, end: { line: 1, character: 2 } }, newText: 'o' },
      ],
      'file:///t/k.ptx': [
        { range: { start: { line: 0, character: 3 }, end: { line: 0, character: 7 } }, newText: 'relaxed' },
      ],
    });
  });
});
