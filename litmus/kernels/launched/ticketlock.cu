// Ticket lock with cuda::atomic_ref; thread 0 of each CTA takes it once.
#include <cuda/atomic>
using Ref = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;
__global__ void ticket(unsigned* next, unsigned* serving, unsigned* counter)
{
    if (threadIdx.x != 0) return;
    unsigned my = Ref(*next).fetch_add(1, cuda::std::memory_order_relaxed);
    while (Ref(*serving).load(cuda::std::memory_order_acquire) != my) { }
    *counter = *counter + my + 1;
    Ref(*serving).store(my + 1, cuda::std::memory_order_release);
}
__global__ void ticket_relaxed(unsigned* next, unsigned* serving, unsigned* counter)
{
    if (threadIdx.x != 0) return;
    unsigned my = Ref(*next).fetch_add(1, cuda::std::memory_order_relaxed);
    while (Ref(*serving).load(cuda::std::memory_order_relaxed) != my) { }      // BUG: relaxed
    *counter = *counter + my + 1;
    Ref(*serving).store(my + 1, cuda::std::memory_order_relaxed);              // BUG: relaxed
}
__global__ void ticket_block(unsigned* next, unsigned* serving, unsigned* counter)
{
    using BRef = cuda::atomic_ref<unsigned, cuda::thread_scope_block>;
    if (threadIdx.x != 0) return;
    unsigned my = Ref(*next).fetch_add(1, cuda::std::memory_order_relaxed);
    while (Ref(*serving).load(cuda::std::memory_order_acquire) != my) { }
    *counter = *counter + my + 1;
    BRef(*serving).store(my + 1, cuda::std::memory_order_release);             // BUG: block scope
}
