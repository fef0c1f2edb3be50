// Message passing between two blocks: volatile flag, __threadfence on both sides. Right.
extern "C" __global__ void mpfence(int *x, int *flag, int *out) {
  if (blockIdx.x == 0) {
    *x = 42;
    __threadfence();
    *(volatile int *)flag = 1;
  } else {
    while (*(volatile int *)flag == 0) ;
    __threadfence();
    *out = *x;
  }
}
