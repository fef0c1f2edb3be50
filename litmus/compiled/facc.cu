// float and double accumulation with atomicAdd from two blocks. Right.
extern "C" __global__ void facc(const float *in, float *f, double *d, float *old) {
  float v = in[blockIdx.x];
  old[blockIdx.x] = atomicAdd(f, v);
  atomicAdd(d, (double)v * 2.0);
}
