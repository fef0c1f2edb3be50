// Inline asm in blocks with their own registers and labels; the second flag is stored relaxed. Wrong.
__device__ __forceinline__ void wait_for(const int *p) {
  asm volatile("{\n\t.reg .pred p;\n\t.reg .b32 t;\n\tSPIN:\n\t"
               "ld.acquire.gpu.global.b32 t, [%0];\n\tsetp.eq.s32 p, t, 0;\n\t@p bra SPIN;\n\t}" ::"l"(p) : "memory");
}
__device__ __forceinline__ void sign_release(int *p, int v) {
  asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; @p st.release.gpu.global.b32 [%0], %1; }" ::"l"(p), "r"(v) : "memory");
}
__device__ __forceinline__ void sign_relaxed(int *p, int v) {
  asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0;\n { .reg .b32 t; mov.b32 t, %1; @p st.relaxed.gpu.global.b32 [%0], t; } }"
               ::"l"(p), "r"(v) : "memory");
}
extern "C" __global__ void asmnest(int *x, int *flag, int *out) {
  if (blockIdx.x == 0) {
    x[0] = 42;
    sign_release(&flag[0], gridDim.x);
    x[1] = 43;
    sign_relaxed(&flag[1], gridDim.x);
  } else {
    wait_for(&flag[0]);
    wait_for(&flag[1]);
    out[0] = x[0];
    out[1] = x[1];
  }
}
