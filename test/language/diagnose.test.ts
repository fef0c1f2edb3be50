import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { diagnose } from '../../src/language/diagnose.js';
import { MODULES } from './texts.js';

const said = (path: string, text: string): readonly string[] =>
  diagnose({ path, text }).diagnostics.map(({ code, severity, message }) => `${severity} ${code} ${message}`);

describe('the mistakes of a text', () => {
  it('are those of a test, and it names its modules', () => {
    const text = 'PTX k\n{ }\nlaunch K "a.ptx" :: f () @ grid 1, block 1\nexpect no-race\n';
    expect(diagnose({ path: 'k.litmus', text }).modules).toEqual(['a.ptx']);
    expect(said('k.litmus', text).join()).toContain('L0208');
    expect(said('a.litmus', 'PTX a\n{ }\nP0 { st.wek.u32 [x], 1; }\nexists (x == 1)\n').join()).toContain('.wek');
  });

  it('are those of a model', () => {
    expect(said('m.cat', '"m"\nacyclic po | rff\n').join()).toContain('rff');
  });

  it('are in a module what no thread could be followed at', () => {
    const module = (body: string): string => `.version 8.0\n.target sm_90\n.visible .entry k() {\n${body}\n}\n`;
    expect(said('k.ptx', module('ret;'))).toEqual([]);
    expect(said('k.ptx', module('alloca.u64 %rd1, 8;\nret;'))).toEqual([
      'warning L0106 alloca.u64 has no meaning here: a thread that comes here cannot be followed',
    ]);
    expect(said('k.ptx', module('st.global.releese.gpu.u32 [x], 1;\nret;')).join()).toContain('releese');
    expect(said('k.ptx', '.version 8.0\n.entry k() {').join()).toContain('error L0001');
  });

  it.each(MODULES)('are none in what a compiler wrote: %s', (path) => {
    expect(said(path, readFileSync(path, 'utf8')).filter((one) => one.startsWith('error'))).toEqual([]);
  });
});
