// Producer/consumer in one block through cuda::barrier (software fallback on sm_75). Right.
#include <cuda/barrier>
#pragma nv_diag_suppress static_var_with_dynamic_init
extern "C" __global__ void cbarrier(const int *in, int *out) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  __shared__ int s;
  if (threadIdx.x == 0) init(&bar, 2);
  __syncthreads();
  if (threadIdx.x == 0) {
    s = *in;
    (void)bar.arrive();
  } else if (threadIdx.x == 32) {
    bar.arrive_and_wait();
    *out = s;
  }
}
