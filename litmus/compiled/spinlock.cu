// Spin lock with atomicCAS, lock and unlock in noinline functions with fences. Right.
__device__ __noinline__ void lock(int *m) {
  while (atomicCAS(m, 0, 1) != 0) ;
  __threadfence();
}
__device__ __noinline__ int unlock(int *m) {
  __threadfence();
  return atomicExch(m, 0);
}
extern "C" __global__ void spinlock(int *m, int *cnt, int *held) {
  lock(m);
  *cnt = *cnt + 1;
  held[blockIdx.x] = unlock(m);
}
