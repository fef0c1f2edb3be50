// cooperative_groups grid.sync()
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void shift_right(unsigned* a, unsigned* b)
{
    cg::grid_group grid = cg::this_grid();
    unsigned n = gridDim.x * blockDim.x, g = blockIdx.x * blockDim.x + threadIdx.x;
    a[g] = g;
    grid.sync();
    b[g] = a[(g + blockDim.x) % n];
}
__global__ void shift_broken(unsigned* a, unsigned* b)
{
    cg::grid_group grid = cg::this_grid();
    unsigned n = gridDim.x * blockDim.x, g = blockIdx.x * blockDim.x + threadIdx.x;
    a[g] = g;
    grid.sync();
    unsigned v = a[(g + blockDim.x) % n];
    // BUG: no grid.sync() between this read and the write below
    a[g] = v + 1;
    b[g] = v;
}
