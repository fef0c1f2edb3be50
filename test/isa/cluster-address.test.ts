import { expect, it } from 'vitest';
import { answerLines, check } from '../support.js';

/** CTA 0 makes an address in the shared memory of CTA 1 generic, and one of shared memory of it again. */
const answers = async (convert: string, access: string, question: string): Promise<readonly string[]> =>
  answerLines(
    await check(`PTX t
{ .shared .u32 s = 4 @ cta 1; }
P0 @ cta 0, cluster 0 { .reg .b64 d<4>; .reg .b32 r<3>;
  cvta.shared::cluster.u64 d0, s; mapa.u64 d1, d0, 1; ${convert} d2, d1; ${access} }
P1 @ cta 1, cluster 0 { }
${question}
`),
  );

const REMOTE = 'ld.shared::cluster.u32 r1, [d2];';

it('of another CTA of the cluster is kept by cvta.to.shared', async () => {
  expect(await answers('cvta.to.shared.u64', REMOTE, 'require (P0:r1 == 4)\nexpect no-undefined')).toEqual([
    'met',
    'no-undefined met',
  ]);
  expect(await answers('cvta.to.shared::cluster.u64', REMOTE, 'require (P0:r1 == 4)')).toEqual(['met']);
});

it('is open where cvta.to.shared::cta makes it, and outside for accesses of the own shared memory', async () => {
  expect(await answers('cvta.to.shared::cta.u64', REMOTE, 'expect no-undefined')).not.toEqual(['no-undefined met']);
  expect(await answers('cvta.to.shared.u64', 'ld.shared.u32 r1, [d2];', 'expect no-undefined')).toEqual([
    'no-undefined broken',
  ]);
});

it('is open of memory that is not shared', async () => {
  const convert = 'mov.u64 d1, 16; cvta.to.shared.u64';
  expect(await answers(convert, REMOTE, 'expect no-undefined')).not.toEqual(['no-undefined met']);
});
