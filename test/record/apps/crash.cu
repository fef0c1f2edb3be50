// Ends by a signal after two launches: what was launched before must be there.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

__global__ void count(int* data) { atomicAdd(&data[threadIdx.x % 4], 1); }

int main() {
  int* data;
  if (cudaMalloc(&data, 64) != cudaSuccess) return 1;
  count<<<1, 32>>>(data);
  count<<<2, 32>>>(data);
  cudaDeviceSynchronize();
  printf("two launches\n");
  fflush(stdout);
  abort();
}
