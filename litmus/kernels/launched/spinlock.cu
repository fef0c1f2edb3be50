// Spin lock with atomicCAS; thread 0 of each CTA increments a plain counter.
__device__ __forceinline__ void lock(unsigned* l)
{
    while (atomicCAS(l, 0u, 1u) != 0u) { }
    __threadfence();
}
__global__ void locked(unsigned* l, unsigned* counter)
{
    if (threadIdx.x == 0) {
        lock(l);
        *counter = *counter + 1;
        __threadfence();
        atomicExch(l, 0u);
    }
}
__global__ void locked_volatile(unsigned* l, unsigned* counter)
{
    if (threadIdx.x == 0) {
        lock(l);
        *counter = *counter + 1;
        *(volatile unsigned*)l = 0u;       // BUG: no __threadfence() before the unlock
    }
}
__global__ void locked_plain(unsigned* l, unsigned* counter)
{
    if (threadIdx.x == 0) {
        lock(l);
        *counter = *counter + 1;
        __threadfence();
        *l = 0u;                           // BUG: an ordinary store against atomicCAS of others
    }
}
