import { describe, expect, it } from 'vitest';
import { assertionIn } from '../../src/kernel/assertions.js';

const module = (message: string, line = 'st.param.b32 [param2+0], 4;'): string => `
.global .align 1 .b8 $str[6] = {105, 32, 60, 32, 110};
.global .align 1 .b8 $str$1[5] = {97, 46, 99, 117};
.visible .entry k() {
  mov.u64 %rd2, $str;
  cvta.global.u64 %rd3, %rd2;
  mov.u64 %rd4, $str$1;
  cvta.global.u64 %rd5, %rd4;
  st.param.b64 [param0+0], ${message};
  st.param.b64 [param1+0], %rd5;
  ${line}
  call.uni __assertfail, (param0, param1, param2, param3, param4);
}`;
const said = (text: string): string | undefined => assertionIn(text)(text.indexOf('__assertfail'));

describe('a failed assertion', () => {
  it('is told by its text, file and line', () => {
    expect(said(module('%rd3'))).toBe('assertion failed: i < n (a.cu:4)');
  });

  it('is told as far as these are constants', () => {
    expect(said(module('%rd9'))).toBe('assertion failed');
    expect(said(module('%rd3', 'st.param.b32 [param2+0], %r7;'))).toBe('assertion failed: i < n');
  });

  it('is no other instruction', () => {
    expect(assertionIn(module('%rd3'))(0)).toBeUndefined();
  });
});
