// A bounded buffer: one CTA fills two slots, the other one empties them, by semaphores of libcu++.
#include <cuda/semaphore>

template <cuda::thread_scope SCOPE>
__device__ __forceinline__ void body(cuda::counting_semaphore<SCOPE>* full, cuda::counting_semaphore<SCOPE>* free,
                                     unsigned* slot, unsigned* out)
{
    if (blockIdx.x == 0) {
#pragma unroll 1
        for (unsigned i = 0; i < 3; i++) {
            free->acquire();
            slot[i % 2] = i + 1;
            full->release();
        }
    } else {
        unsigned sum = 0;
#pragma unroll 1
        for (unsigned i = 0; i < 3; i++) {
            full->acquire();
            sum += slot[i % 2];
            free->release();
        }
        *out = sum;
    }
}
extern "C" __global__ void ring(void* full, void* free, unsigned* slot, unsigned* out)
{
    using Semaphore = cuda::counting_semaphore<cuda::thread_scope_device>;
    body((Semaphore*)full, (Semaphore*)free, slot, out);
}
extern "C" __global__ void ring_of_block(void* full, void* free, unsigned* slot, unsigned* out)
{
    using Semaphore = cuda::counting_semaphore<cuda::thread_scope_block>;
    body((Semaphore*)full, (Semaphore*)free, slot, out);
}
