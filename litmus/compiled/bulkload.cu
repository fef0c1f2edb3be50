// Bulk copy global -> shared with an mbarrier (sm_90), ordinary copy and __syncthreads on sm_75. Right.
extern "C" __global__ void bulkload(const int *in, int *out) {
  __shared__ __align__(16) int tile[4];
  unsigned w = threadIdx.x >> 5;
#if __CUDA_ARCH__ >= 900
  __shared__ unsigned long long bar;
  unsigned b = (unsigned)__cvta_generic_to_shared(&bar), t = (unsigned)__cvta_generic_to_shared(tile);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(b), "r"(1) : "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%0], %1;" ::"r"(b), "r"(16) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                 ::"r"(t), "l"(in), "r"(16), "r"(b) : "memory");
  }
  asm volatile("{\n\t.reg .pred P1;\n\tLAB_WAIT:\n\t"
               "mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 P1, [%0], %1;\n\t"
               "@P1 bra DONE;\n\tbra LAB_WAIT;\n\tDONE:\n\t}" ::"r"(b), "r"(0) : "memory");
#else
  if (threadIdx.x == 0) *(int4 *)tile = *(const int4 *)in;
  __syncthreads();
#endif
  out[w] = tile[w + 2];
}
