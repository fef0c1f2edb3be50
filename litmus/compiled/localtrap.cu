// Local array with a dynamic index, handed to a noinline function; trap on a bad value; both blocks write one slot. Wrong.
__device__ __noinline__ int bump(int *a, int k, int by) {
  a[k] += by;
  return a[k ^ 3];
}
extern "C" __global__ void localtrap(const int *in, const int *idx, int *out) {
  int a[4];
  for (int i = 0; i < 4; i++) a[i] = in[i] * 2;
  int k = idx[blockIdx.x] & 3;
  int other = bump(a, k, blockIdx.x);
  if (a[k] > 100 || other < 0) __trap();
  out[(a[k] >> 1) & 7] = a[k];
}
