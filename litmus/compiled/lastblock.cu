// Last-block (threadfence) reduction, 2 blocks of 2 warps; warp 1 of the last block adds the partial sums. Right.
extern "C" __global__ void lastblock(const int *in, int *partial, unsigned *count, int *out) {
  __shared__ int s[2];
  __shared__ bool last;
  unsigned w = threadIdx.x >> 5;
  s[w] = in[blockIdx.x * 2 + w];
  __syncthreads();
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = s[0] + s[1];
    __threadfence();
    last = atomicAdd(count, 1u) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (last && w == 1) {
    int sum = 0;
    for (unsigned i = 0; i < 2; i++) sum += partial[i];
    *out = sum;
  }
}
