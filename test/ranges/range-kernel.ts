/** A kernel of which a number is varied: `%r1` is the thread, `%r2` the number, `%rd1` points to `x`. */
export interface RangeKernel {
  readonly name: string;
  readonly body: string;
  /** Of the number, such as `1..20`. */
  readonly values: string;
  readonly place?: string;
  /** What else the test says, below its launch. */
  readonly clauses?: string;
  /** In words. */
  readonly size?: number;
  readonly initial?: string;
  /** Of the parameter, and an instruction that puts it into `%r2`. */
  readonly type?: string;
  readonly load?: string;
  readonly declared?: string;
}

/** The test of it, with its module. */
export function rangeTest(kernel: RangeKernel): {
  readonly text: string;
  readonly modules: Readonly<Record<string, { readonly path: string; readonly text: string }>>;
} {
  const { values, place = 'grid 1, block 8', clauses = '', size = 256, initial = '0' } = kernel;
  const text =
    `PTX ranges\n{ .global .align 16 .u32 x[${size}] = ${initial}; }\n` +
    `launch K "k.ptx" (x, n in ${values}) @ ${place}\n${clauses}\n`;
  return { text, modules: { 'k.ptx': { path: 'k.ptx', text: moduleOf(kernel) } } };
}

const moduleOf = ({ body, declared = '', type = 'u32', load = 'ld.param.u32 %r2, [n];' }: RangeKernel): string =>
  `.version 8.7
.target sm_90
.address_size 64
.visible .entry k(.param .u64 a, .param .${type} n)
{
  .reg .pred %p<9>;
  .reg .b16 %h<9>;
  .reg .b32 %r<40>;
  .reg .b64 %rd<20>;
  .shared .align 16 .u32 s[64];
  ${declared}
  ld.param.u64 %rd1, [a];
  ${load}
  mov.u32 %r1, %tid.x;
  ${body}
  ret;
}
`;
