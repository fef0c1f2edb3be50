// half2 arithmetic published to another block behind a fence of block scope (wrong); bfloat162 arithmetic kept private.
#include <cuda_fp16.h>
#include <cuda_bf16.h>
extern "C" __global__ void halfpub(const __half2 *in, const __nv_bfloat162 *bin, __half2 *data, __nv_bfloat162 *bout,
                                   int *flag, __half2 *out) {
  if (blockIdx.x == 0) {
    *data = __hfma2(in[0], in[1], in[2]);
    *bout = __hmul2(bin[0], bin[1]);
    __threadfence_block();
    *(volatile int *)flag = 1;
  } else if (*(volatile int *)flag == 1) {
    __threadfence();
    *out = *data;
  }
}
