import { expect, it } from 'vitest';
import { mayCountRegistersUnlike } from '../../src/check/register-counts.js';
import { checkProgram, programOf } from '../support.js';

const COUNT = 'setmaxnreg.dec.sync.aligned.u32 40;';
/** Two warps of one CTA, of one warpgroup or of two. */
const program = (first: string, second: string, warp = 1) =>
  programOf(
    'PTX t\n{ .global .u32 x = 0; }\n' +
      `P0 @ cta 0, warp 0 { ${first} }\nP1 @ cta 0, warp ${warp} { ${second} }\nexpect no-undefined\n`,
  );
const BRANCH = 'ld.global.u32 r1, [x]; setp.eq.u32 p1, r1, 0; @p1 bra E;';

it.each([
  ['the same in both warps', COUNT, COUNT, 1, false],
  ['in one warp alone', COUNT, '', 1, true],
  ['different numbers', COUNT, 'setmaxnreg.dec.sync.aligned.u32 48;', 1, true],
  ['behind a branch', `${BRANCH} ${COUNT} E:`, `${BRANCH} ${COUNT} E:`, 1, true],
  ['before a branch', `${COUNT} ${BRANCH} E:`, COUNT, 1, false],
  ['in warps of two warpgroups', COUNT, '', 4, false],
] as const)(
  'setmaxnreg %s: whether warps of a warpgroup may execute it unlike',
  async (_, first, second, warp, isOpen) => {
    const asked = program(first, second, warp);
    expect(mayCountRegistersUnlike(asked)).toBe(isOpen);
    expect((await checkProgram(asked)).expectations[0]?.outcome).toBe(isOpen ? 'undecided' : 'met');
  },
);
