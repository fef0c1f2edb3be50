// Double-checked initialisation with a volatile flag; no fence on the fast path. Wrong.
extern "C" __global__ void dcheck(int *m, int *ready, int *x, int *out) {
  if (*(volatile int *)ready == 0) {
    while (atomicCAS(m, 0, 1) != 0) ;
    __threadfence();
    if (*(volatile int *)ready == 0) {
      *x = 42;
      *(volatile int *)ready = 1;
    }
    __threadfence();
    atomicExch(m, 0);
  }
  out[blockIdx.x] = *x;
}
