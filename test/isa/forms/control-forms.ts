import { type FormGroup, product } from './form-list.js';

const COLLECTIVES: readonly string[] = [
  ...product(
    ['shfl.sync'],
    ['.up', '.down', '.bfly', '.idx', '', '.xor'],
    ['.b32', '.u32', '.f32', '.b64'],
    [' r0, r1, r2, r3, r4;', ' r0|p0, r1, 1, 0x1f, -1;', ' r0, r1, r2, r3;', ' _|p0, r1, r2, r3, -1;'],
  ),
  ...[
    'shfl.sync.idx.b32 f0, f1, r2, r3, -1;',
    'shfl.sync.idx.b32 r0|_, r1, r2, r3, -1;',
    'shfl.idx.b32 r0, r1, r2, r3;',
  ],
  ...['shfl.idx.sync.b32 r0, r1, r2, r3, -1;', 'shfl.sync.idx.b32 p0|r0, r1, r2, r3, -1;'],
  ...['shfl.sync.idx.b32 _, r1, r2, r3, -1;', 'shfl.sync.idx.b32 r0, 5, r2, 0, -1;'],
  ...product(
    ['match.any.sync', 'match.all.sync', 'match.sync', 'match.any', 'match.sync.any', 'match.none.sync'],
    ['.b32 r0, r1, -1;', '.b32 r0|p0, r1, r2;', '.b64 r0|p0, d1, r2;', '.b64 d0, d1, r2;', '.s32 r0, r1, r2;'],
  ),
  ...['match.all.sync.b32 _|p0, r1, -1;', 'match.any.sync.b32 r0, 5, -1;', 'match.any.sync.b32 r0, r1;'],
  ...product(
    ['vote.sync', 'vote'],
    ['.all', '.any', '.uni', '.ballot', '.none'],
    [
      ...[
        '.pred p0, p1;',
        '.b32 r0, p1;',
        '.pred p0, p1, -1;',
        '.b32 r0, !p1, r1;',
        '.pred r0, p1, r1;',
        '.b32 r0, r1, -1;',
      ],
    ],
  ),
  ...product(
    ['redux.sync', 'redux'],
    ['.add', '.max', '.xor'],
    ['', '.abs', '.NaN'],
    [...['.u32 r0, r1, -1;', '.b32 r0, r1, r2;', '.s32 r0, r1;', '.f32 f0, f1, -1;', '.u64 d0, d1, -1;']],
  ),
  ...product(['activemask'], ['', '.b32', '.u32', '.sync.b32', '.b64'], [' r0;', ' d0;', ' r0, -1;']),
  ...product(
    ['elect.sync', 'elect', 'elect.one.sync'],
    [
      ...[
        ' r0|p0, -1;',
        ' _|p0, r1;',
        ' r0, -1;',
        ' r0|_, -1;',
        ' p0, -1;',
        ' p0|r0, -1;',
        ' r0|p0;',
        '.b32 r0|p0, -1;',
      ],
    ],
  ),
];

const TARGETS = 'T: .branchtargets L, M; ';
const PROTOTYPE = 'T: .callprototype _; ';
const CONTROL: readonly string[] = [
  ...product(
    ['bra', 'bra.uni', '@p0 bra', '@!p0 bra.uni', '@p0 bra.div', 'goto', '@r0 bra', '@!r0 bra'],
    [' L; L: ret;', ' M; L: ret;', ' d0; L: ret;', ' L, p0; L: ret;'],
  ),
  ...product(
    [TARGETS, '', 'T: .branchtargets L, N; ', '.branchtargets T: L, M; '],
    ['brx.idx', 'brx.idx.uni', 'brx', '@p0 brx.idx', 'brx.uni.idx'],
    [' r0, T;', ' d0, T;', ' 1, T;', ' T, r0;', ' r0;'],
    [' L: M: ret;'],
  ),
  ...product(
    ['call', 'call.uni', '@p0 call', 'call.idx'],
    [' fn0;', ' fn0, ();', ' (fn0);', ' fn9;', ' d0;', ' fn1;', ' (r0), fn1, (r1);', ' fn0, (r0);', ' (), fn0;'],
  ),
  ...product(
    ['.param .b32 a; .param .b32 b; '],
    [
      'st.param.b32 [a], r0; ',
      'st.param::func.b32 [a], r0; ',
      'st.param::entry.b32 [a], r0; ',
      'st.param.u8 [a], r0; ',
    ],
    [
      'call (b), fn1, (a); ',
      'call.uni (b), fn1, (a); ',
      'call fn1, (a); ',
      'call (b), fn1, (a, a); ',
      'call b, fn1, a; ',
    ],
    ['ld.param.b32 r1, [b];', 'ld.param::func.b32 r1, [b];', 'ld.param.b64 d1, [b];'],
  ),
  ...product(
    ['.param .b64 a; .param .align 8 .b8 b[16]; '],
    [
      'st.param.b64 [a], d0; ',
      'st.param.v2.b32 [a], {r0, r1}; ',
      'st.param.b64 [b+8], d0; ',
      'st.param.b64 [b+12], d0; ',
    ],
    ['call fn2, (a);', 'call fn2, (b);', 'call fn2, (d0);', 'call fn2, (7);'],
  ),
  ...product(
    [PROTOTYPE, 'T: .calltargets fn0; ', 'T: .calltargets fn0, fn1; ', ''],
    ['call', 'call.uni'],
    [...[' d0, T;', ' d0, (), T;', ' r0, T;', ' d0, (r0), T;']],
  ),
  ...product(
    [
      'ret',
      'ret.uni',
      'exit',
      'exit.uni',
      'trap',
      'brkpt',
      '@p0 trap',
      '@p0 ret.uni',
      '@!p0 brkpt',
      'trap.uni',
      'abort',
    ],
    [';', ' 1;', ' r0;'],
  ),
  ...[
    '@p0 { add.u32 r0, r1, r2; };',
    '{ add.u32 r0, r1, r2; };',
    '@p0;',
    ';',
    '@p0 @p1 exit;',
    '@!@p0 exit;',
    '@!p9 exit;',
  ],
  ...product(['nanosleep', 'nanosleep.sync'], ['.u32', '.b32', '.u64', '.s32', ''], [' r0;', ' 100;', ' -1;', ' d0;']),
  ...product(['pmevent', 'pmevent.mask'], ['', '.b32'], [' 3;', ' 15;', ' 16;', ' 0x8000;', ' 0x10000;', ' r0;', ';']),
  ...product(
    ['setmaxnreg'],
    ['.inc', '.dec', ''],
    ['.sync.aligned', '.sync', ''],
    ['.u32', '.b32'],
    [' 24;', ' 232;', ' 100;', ' 264;', ' r0;'],
  ),
  ...product(
    ['griddepcontrol'],
    ['.launch_dependents', '.wait', '.launch', '.wait.sync', '.wait.aligned', '.launch_dependents.wait'],
    [';', ' r0;'],
  ),
  ...product(
    ['.pragma '],
    [
      '"nounroll"',
      '"frequency 5"',
      '"enable_smem_spilling"',
      '"used_bytes_mask 0xff"',
      '"made_up"',
      '',
      '"nounroll", "b"',
    ],
    [';', ' 1;'],
  ),
  'nounroll;',
  'cp.async.wait_all.sync;',
];

export const CONTROL_FORMS: readonly FormGroup[] = [
  { family: 'warp collectives', target: 'sm_90a', forms: COLLECTIVES },
  { family: 'control', target: 'sm_90a', forms: CONTROL },
  {
    family: 'warp collectives on sm_100a',
    target: 'sm_100a',
    forms: [
      ...product(
        ['redux.sync'],
        ['.min', '.max', '.add', '.and'],
        ['', '.abs', '.NaN', '.abs.NaN', '.NaN.abs', '.ftz'],
        ['.f32 f0, f1, -1;', '.f32 r0, r1, r2;', '.f16 h0, h1, -1;', '.s32 r0, r1, -1;', '.f32 f0, f1;'],
      ),
      ...product(['setmaxnreg.inc.sync.aligned.u32', 'setmaxnreg.dec.sync.aligned.u32'], [' 40;', ' 256;', ' 16;']),
    ],
  },
  {
    family: 'warp collectives on sm_75',
    target: 'sm_75',
    forms: [
      ...product(
        ['redux.sync.add.u32 r0, r1', 'match.any.sync.b32 r0, r1', 'elect.sync r0|p0', 'vote.sync.ballot.b32 r0, p0'],
        [', -1;', ';'],
      ),
      ...product(
        ['shfl', 'vote.ballot', 'vote.all', 'nanosleep', 'shfl.sync.up', 'griddepcontrol.wait', 'activemask'],
        [
          ...[
            '.b32 r0, r1, r2, r3;',
            '.b32 r0, p0;',
            '.pred p0, p1;',
            '.u32 5;',
            ';',
            '.b32 r0;',
            '.b32 r0, r1, r2, r3, -1;',
          ],
        ],
      ),
    ],
  },
];
