/** What a module with one kernel `k` is made of: how many pointers it takes, what it declares, and what it does. */
export interface KernelModule {
  readonly pointers?: number;
  readonly declared?: string;
  readonly target?: string;
  readonly body: string;
}

/** The module of a kernel: its pointers are in `%rd1` and those behind, the number of the thread in `%r1`. */
export function kernelModule({ pointers = 1, declared = '', target = 'sm_90', body }: KernelModule): string {
  const parameters = Array.from({ length: pointers }, (_, i) => `k_param_${i}`);
  return `.version 8.7
.target ${target}
.address_size 64
.visible .entry k(${parameters.map((name) => `.param .u64 ${name}`).join(', ')})
{
  .reg .pred %p<9>;
  .reg .b32 %r<20>;
  .reg .b64 %rd<9>;
  ${declared}
${parameters.map((name, i) => `  ld.param.u64 %rd${i + 1}, [${name}];`).join('\n')}
  mov.u32 %r1, %tid.x;
${body}
  ret;
}
`;
}
