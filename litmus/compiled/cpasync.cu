// Two-stage cp.async pipeline, dynamic shared memory; ordinary copy on sm_75. Right.
extern __shared__ __align__(16) int smem[];
__device__ __forceinline__ void copy4(int *dst, const int *src) {
#if __CUDA_ARCH__ >= 800
  unsigned a = (unsigned)__cvta_generic_to_shared(dst);
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(a), "l"(src) : "memory");
#else
  *dst = *src;
#endif
}
__device__ __forceinline__ void commit() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
template <int N> __device__ __forceinline__ void wait() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
#endif
}
extern "C" __global__ void cpasync(const int *in, int *out) {
  unsigned w = threadIdx.x >> 5;
  copy4(&smem[w], &in[w]);
  commit();
  copy4(&smem[2 + w], &in[2 + w]);
  commit();
  wait<1>();
  __syncthreads();
  int sum = smem[1 - w];
  wait<0>();
  __syncthreads();
  sum += smem[2 + (1 - w)];
  out[w] = sum;
}
