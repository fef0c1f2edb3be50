import { Cdcl, checkTest, loadTests } from '../../build/library/index.js';
import { loadModel } from '../../build/library/node.js';

/** Launches with so many values: of a kernel all of which are checked, and of one where most are proved alike. */
export const title = 'Ranges of values: seconds, and how many values were checked';

const VALUES = [10, 100, 1000];
const clock = () => performance.now();

const moduleOf = (index) => `.version 8.7
.target sm_90
.address_size 64
.visible .entry k(.param .u64 a, .param .u32 n)
{
  .reg .b32 %r<9>;
  .reg .b64 %rd<9>;
  ld.param.u64 %rd1, [a];
  ld.param.u32 %r2, [n];
  mov.u32 %r1, %tid.x;
  ${index}
  mul.wide.u32 %rd2, %r3, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r1;
  ret;
}
`;
const KERNELS = [
  ['a stride', 'mul.lo.u32 %r3, %r1, %r2;'],
  ['a guess at which nothing is proved', 'mul.lo.u32 %r3, %r2, %r2; and.b32 %r3, %r3, 63; add.u32 %r3, %r3, %r1;'],
];

export async function* rows() {
  const { value: model } = loadModel('ptx-9.4');
  const solver = new Cdcl();
  for (const [name, index] of KERNELS)
    for (const most of VALUES) {
      const text = `PTX k\n{ .global .u32 x[32000]; }\nlaunch K "k.ptx" (x, n in 1..${most}) @ grid 1, block 32\n`;
      const modules = { 'k.ptx': { path: 'k.ptx', text: moduleOf(index) } };
      const start = clock();
      const [program] = loadTests({ path: 'k.litmus', text, modules }, {}, 'answers').value ?? [];
      const { values } = checkTest(solver, program, model, { clock, timeout: 600_000 });
      yield { name: `${name}, ${most} values`, seconds: (clock() - start) / 1000 };
      yield { name: `${name}, ${most} values: checked`, number: values.checked };
    }
}
