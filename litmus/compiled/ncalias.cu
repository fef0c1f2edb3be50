// const __restrict__ input (ld.global.nc) that the same kernel writes through another parameter. Wrong.
extern "C" __global__ void ncalias(const int *__restrict__ in, int *__restrict__ tmp, int *__restrict__ out) {
  unsigned w = threadIdx.x >> 5;
  tmp[w] = w + 10;
  __syncthreads();
  out[w] = in[1 - w];
}
