// Ticket lock without a fence on either side. Wrong.
extern "C" __global__ void ticket(unsigned *next, unsigned *serving, int *cnt) {
  unsigned my = atomicAdd(next, 1u);
  while (*(volatile unsigned *)serving != my) ;
  *cnt = *cnt + 1;
  *(volatile unsigned *)serving = my + 1;
}
