// Message passing with cuda::atomic_ref release/acquire, but of block scope between two blocks. Wrong.
#include <cuda/atomic>
extern "C" __global__ void refblock(int *x, int *flag, int *out) {
  cuda::atomic_ref<int, cuda::thread_scope_block> f(*flag);
  if (blockIdx.x == 0) {
    *x = 42;
    f.store(1, cuda::std::memory_order_release);
  } else if (f.load(cuda::std::memory_order_acquire) == 1) {
    *out = *x;
  }
}
