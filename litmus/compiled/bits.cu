// Bit tricks, 16 and 64 bits, dp4a, funnel shift, computing the slot that each block writes. Right.
extern "C" __global__ void bits(const unsigned *in, unsigned *out, unsigned long long *wide, unsigned short *half) {
  unsigned v = in[blockIdx.x];
  unsigned a = __popc(v) + __clz(v);
  unsigned b = __byte_perm(v, __brev(v), 0x6240);
  unsigned c = __funnelshift_l(v, b, a);
  int d = __dp4a((int)v, (int)b, (int)c);
  unsigned long long q = (unsigned long long)v * c + ((unsigned long long)b << 33);
  unsigned short h = (unsigned short)(v >> 3) * (unsigned short)7;
  h ^= (unsigned short)(q >> 40);
  wide[blockIdx.x] = q + __popcll(q) + __clzll((long long)q >> 5);
  half[blockIdx.x] = h;
  unsigned slot = (((unsigned)d ^ (d >> 7)) & 3) * 2 + blockIdx.x;
  out[slot & 7] = (unsigned)d;
}
