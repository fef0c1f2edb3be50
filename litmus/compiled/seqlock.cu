// Seqlock, volatile data; the reader has no fence between the data and the second look at the counter. Wrong.
extern "C" __global__ void seqlock(unsigned *seq, int *data, int *out, unsigned *ver) {
  volatile unsigned *q = seq;
  volatile int *d = data;
  if (blockIdx.x == 0) {
    unsigned s = *q;
    *q = s + 1;
    __threadfence();
    d[0] = 1;
    d[1] = 1;
    __threadfence();
    *q = s + 2;
  } else {
    unsigned s1 = *q;
    __threadfence();
    int a = d[0], b = d[1];
    unsigned s2 = *q;  // __threadfence() is missing before this line
    if (s1 == s2 && (s1 & 1) == 0) {
      out[0] = a;
      out[1] = b;
      *ver = s1 + 1;
    }
  }
}
