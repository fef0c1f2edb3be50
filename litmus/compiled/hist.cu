// Histogram: shared atomics, then global atomicAdd; no barrier between zeroing and counting. Wrong.
extern "C" __global__ void hist(const unsigned *in, unsigned *bins) {
  __shared__ unsigned s[2];
  unsigned w = threadIdx.x >> 5;
  if (threadIdx.x == 0) { s[0] = 0; s[1] = 0; }
  atomicAdd(&s[in[w] & 1], 1u);
  __syncthreads();
  atomicAdd(&bins[w], s[w]);
}
