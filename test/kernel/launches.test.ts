import { describe, expect, it } from 'vitest';
import { leftOut } from '../../src/check/answer-scope.js';
import { loadTests } from '../../src/check/load-tests.js';
import { renderDiagnostics } from '../../src/diagnostics/render.js';
import type { Program } from '../../src/program/program.js';
import { kernelModule } from '../kernel-module.js';
import { answerLines, checkProgram } from '../support.js';

/** A module with one kernel `k` of two pointers. */
const module = (body: string, shared = ''): string => kernelModule({ pointers: 2, declared: shared, body });

function loaded(body: string, place: string, clauses: string, shared = ''): ReturnType<typeof loadTests> {
  const text =
    `PTX launches\n"A kernel."\n{ .global .u32 x[64]; .global .u64 y[2] = &x; }\n` +
    `launch K "k.ptx" (x, y) @ ${place}\n${clauses}\n`;
  return loadTests({ path: 'k.litmus', text, modules: { 'k.ptx': { path: 'k.ptx', text: module(body, shared) } } });
}

function programOf(...given: Parameters<typeof loaded>): Program {
  const { value, diagnostics } = loaded(...given);
  const [program] = value ?? [];
  if (program === undefined) throw new Error(renderDiagnostics(diagnostics));
  return program;
}

const runOf = ({ launches }: Program): readonly string[] =>
  (launches[0]?.run ?? []).map(({ thread, cta, tid, isAdded }) => `${thread} ${cta}.${tid}${isAdded ? ' beside' : ''}`);

async function outcomesOf(program: Program): Promise<readonly string[]> {
  return answerLines(await checkProgram(program, 'ptx-9.4'));
}

describe('the threads of a launch that are run', () => {
  const FIRST = 'setp.ne.u32 %p1, %r1, 0; @%p1 bra L; st.global.u32 [%rd1], 1; L:';

  it('are all of few, those that are named first', () => {
    const run = runOf(programOf(FIRST, 'grid 1, block 4 { run tid 2; }', ''));
    expect(run).toEqual(['P1 0.0 beside', 'P2 0.1 beside', 'P0 0.2', 'P3 0.3 beside']);
    const cluster = runOf(programOf(FIRST, 'grid 2, block 2, cluster 2 { run tid 0 of cta 1; }', ''));
    expect(cluster).toEqual(['P1 0.0 beside', 'P2 0.1 beside', 'P0 1.0', 'P3 1.1 beside']);
  });

  it('are no others under exactly, of however many', () => {
    expect(runOf(programOf(FIRST, 'grid 4, block 64 { run exactly tid 40 of cta 1; }', ''))).toEqual(['P0 1.40']);
  });

  it('are known to be no more, where these are many', () => {
    const counter = 'atom.global.add.u32 %r2, [%rd1], 1; setp.eq.u32 %p1, %r2, 7; @%p1 st.global.u32 [%rd2], 1;';
    for (const run of ['', ' { run tid 40; }'])
      expect(leftOut(programOf(counter, `grid 1, block 64${run}`, ''))?.kind).toBe('coverage');
  });

  it('are asked about with all that meet them at barriers that count', async () => {
    const counting = 'setp.lt.u32 %p1, %r1, 32; @%p1 bra L; bar.sync 1, 96; L:';
    const program = programOf(counting, 'grid 1, block 128 { run tid 0, 32; }', 'expect no-deadlock');
    expect(await outcomesOf(program)).toEqual(['no-deadlock met']);
    const waiting = programOf(counting.replace('96', '128'), 'grid 1, block 128 { run tid 0, 32; }', 'expect deadlock');
    expect(await outcomesOf(waiting)).toEqual(['deadlock met']);
  });

  it('are asked about with all that arrive at an mbarrier', async () => {
    const body = `
  mov.u32 %r2, bar; setp.ne.u32 %p1, %r1, 0; @%p1 bra L; mbarrier.init.shared.b64 [%r2], 64; L: bar.sync 0;
  mbarrier.arrive.shared.b64 %rd3, [%r2];
W: mbarrier.test_wait.shared.b64 %p2, [%r2], %rd3; @!%p2 bra W;`;
    const program = programOf(body, 'grid 1, block 64', '', '.shared .align 8 .b64 bar;');
    expect(new Set((await outcomesOf(program)).map((one) => one.split(' ')[1]))).toEqual(new Set(['met']));
  });
});

describe('a load of what is known before the launch', () => {
  const CONSTANT = '.const .align 4 .u32 c = 7; mov.u64 %rd3, c; cvta.const.u64 %rd3, %rd3;';
  it.each([
    ['at its place', 'ld.global.v2.u32 {%r2, %r3}, [%rd1 + 8];', 'met'],
    ['at half of its alignment', 'ld.global.v2.u32 {%r2, %r3}, [%rd1 + 4];', 'broken'],
    ['in another state space', `${CONSTANT} ld.global.u32 %r2, [%rd3];`, 'broken'],
    ['that synchronizes with nothing', `${CONSTANT} ld.relaxed.gpu.u32 %r2, [%rd3];`, 'broken'],
    ['by a generic address', `${CONSTANT} ld.u32 %r2, [%rd3];`, 'met'],
  ])('is held to the rules, though nobody uses it: %s', async (_, body, outcome) => {
    const program = programOf(body, 'grid 1, block 1 { run exactly tid 0; }', 'expect no-undefined');
    expect(await outcomesOf(program)).toEqual([`no-undefined ${outcome}`]);
  });
});

describe('the size of the dynamic shared memory', () => {
  it.each([
    ['grid 1, block 2, shared 64', 64],
    ['grid 1, block 2', 0],
  ])('is what the launch says: %s', async (place, size) => {
    const body = `mov.u32 %r2, %dynamic_smem_size; setp.ne.u32 %p1, %r2, ${size}; @%p1 trap;`;
    expect(await outcomesOf(programOf(body, place, 'expect no-trap'))).toEqual(['no-trap met']);
  });
});

describe('what threads do that are not run', () => {
  const MET = ['no-race met', 'no-undefined met', 'no-deadlock met', 'no-trap met', 'no-uninitialized met'];

  it('is not answered by some, where it is asked of all', async () => {
    const body = 'mov.u32 %r2, %ctaid.x; setp.ne.u32 %p1, %r2, 1; @%p1 bra L; trap; L:';
    const text = 'PTX room\n{ .global .u32 a; .global .u32 b; }\nlaunch K "k.ptx" (a, b) @ grid 2, block 32\n';
    const modules = { 'k.ptx': { path: 'k.ptx', text: module(body) } };
    const [program] = loadTests({ path: 'k.litmus', text, modules, mostThreads: 1 }).value ?? [];
    const [race, , deadlock, trap] = program === undefined ? [] : await outcomesOf(program);
    for (const one of [race, deadlock]) expect(one).toMatch(/undecided: coverage: the threads were followed as far as/);
    // All threads were followed, and one of them does it.
    expect(trap).toBe('no-trap broken');
  });

  it('shows where lanes of a warp come to different barriers', async () => {
    const two = 'and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 0; @%p1 bra L; bar.sync 0; bra.uni E; L: bar.sync 0; E:';
    expect(await outcomesOf(programOf(two, 'grid 1, block 4', ''))).toContain('no-undefined broken');
    const warps = two.replace('and.b32 %r2, %r1, 1', 'and.b32 %r2, %r1, 32');
    expect(await outcomesOf(programOf(warps, 'grid 1, block 64', ''))).toEqual(MET);
    const early = 'setp.lt.u32 %p1, %r1, 2; @%p1 bra L; exit; L: bar.sync 0;';
    expect(await outcomesOf(programOf(early, 'grid 1, block 4', ''))).toEqual(MET);
    // It does more than the others have done when they wait: it has not left, it goes round the barrier.
    const past = 'setp.eq.u32 %p1, %r1, 3; @%p1 bra L; bar.sync 0; L: atom.global.add.u32 %r2, [%rd1], 1;';
    for (const run of ['', ' { run tid 0..3; }', ' { run all; }'])
      expect(await outcomesOf(programOf(past, `grid 1, block 4${run}`, ''))).toContain('no-undefined broken');
  });

  for (const run of ['run tid 0', 'run tid 0; run tid 3', 'run all'])
    it(`finds any lanes of its warp active with its own: ${run}`, async () => {
      const clauses = 'permit (x[0] == 15) permit (x[0] == 1) forbid (x[0] > 15) forbid (x[0] == 14)';
      const body = 'activemask.b32 %r2; setp.eq.u32 %p1, %r1, 0; @%p1 st.global.u32 [%rd1], %r2;';
      const program = programOf(body, `grid 1, block 4 { ${run}; }`, clauses);
      expect(await outcomesOf(program)).toEqual(['met', 'met', 'met', 'met']);
    });

  it('finds the one lane of its warp active', async () => {
    const body = 'activemask.b32 %r2; st.global.u32 [%rd1], %r2;';
    expect(await outcomesOf(programOf(body, 'grid 1, block 1', 'require (x[0] == 1)'))).toEqual(['met']);
  });
});

describe('what is known before a launch', () => {
  it('stays in the registers that a condition names', async () => {
    const program = programOf('mul.lo.u32 %r2, %r1, 3;', 'grid 1, block 8', 'require (K[cta 0, tid 0]:%r2 == 0)');
    expect(await outcomesOf(program)).toEqual(['met']);
    const wrong = 'forbid (P0:r2 == 15)';
    expect(await outcomesOf(programOf('mul.lo.u32 %r2, %r1, 3;', 'grid 1, block 8 { run tid 5; }', wrong))).toEqual([
      'broken',
    ]);
  });

  it('follows an address that comes out of memory', async () => {
    const chasing = 'ld.global.u64 %rd3, [%rd2]; st.global.u64 [%rd2], %rd3; st.global.u32 [%rd3], 1;';
    const [race] = await outcomesOf(programOf(chasing, 'grid 1, block 1', 'expect no-race'));
    expect(race).toBe('no-race met');
  });

  it('follows loops however long they are', async () => {
    const loop = 'mov.u32 %r2, 0; L: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 300; @%p1 bra L;';
    const program = programOf(`${loop} st.global.u32 [%rd1], %r2;`, 'grid 1, block 1', 'require (x[0] == 300)');
    expect(await outcomesOf(program)).toEqual(['met']);
  });

  it('keeps a loop that nothing ends, also where nothing comes before it', async () => {
    const waiting = 'L: ld.volatile.global.u32 %r2, [%rd1]; setp.eq.u32 %p1, %r2, 0; @%p1 bra L;';
    const one = programOf(waiting, 'grid 1, block 1', '');
    expect(await outcomesOf(one)).toContain('no-deadlock broken');
    const barrier = `setp.ne.u32 %p2, %r1, 0; @%p2 bra B; ${waiting} B: bar.sync 0;`;
    expect(await outcomesOf(programOf(barrier, 'grid 1, block 8', ''))).toContain('no-deadlock broken');
    expect(await outcomesOf(programOf('L: bra L;', 'grid 1, block 1', ''))).toContain('no-deadlock broken');
  });

  it('leaves other loops to the bound', async () => {
    const loop = 'ld.global.u32 %r3, [%rd1+4]; mov.u32 %r2, 0; L: add.u32 %r2, %r2, 1; red.global.add.u32 [%rd1+4], 0;';
    const body = `${loop} setp.lt.u32 %p1, %r2, %r3; @%p1 bra L; st.global.u32 [%rd1+4], 9;`;
    expect(await outcomesOf(programOf(body, 'grid 1, block 2 { run all; }', 'expect no-deadlock'))).toEqual([
      'no-deadlock undecided: bound',
    ]);
  });
});

describe('a launch that is written wrongly', () => {
  it.each([
    [
      'launch K "k.ptx" (x, y) grid 1, block 32 { run auto; }',
      /L0001.*this launch cannot be read.*expected launch NAME/s,
    ],
    [
      'launch A "k.ptx" (x, y) @ grid 1, block 32\nlaunch K "k.ptx" (x, y) @ grid 1, block 32 after A',
      /:4:\d+ error L0001.*found "after", expected its end or ","/s,
    ],
    [
      'launch K "k.ptx" (x, y) @ grid 1, block 32 { run atuo; }',
      /L0001.*"atuo" is no way to run.*did you mean "auto"/s,
    ],
    [
      'launch K "k.ptx" (x, y) @ grid 1, block 32 { run 3; }',
      /L0001.*"3" is no way to run.*expected run auto, run all/s,
    ],
    ['launch K "k.ptx" (x, y) @ grid 1, block 32\nrun auto;', /L0001.*this launch cannot be read/s],
    ['launch K "k.ptx" (x, y', /L0001.*this launch cannot be read/s],
  ])('%s is told', (launch, said) => {
    const text = `PTX wrong\n{ .global .u32 x; .global .u32 y; }\n${launch}\n`;
    const modules = { 'k.ptx': { path: 'k.ptx', text: module('') } };
    expect(renderDiagnostics(loadTests({ path: 'k.litmus', text, modules }).diagnostics)).toMatch(said);
  });
});

describe('what a launch cannot be', () => {
  it.each([
    ['grid 1', 'L0209'],
    ['grid 3, block 32, cluster 2', 'L0209'],
    ['grid 1, block 2000', 'L0209'],
    ['grid 1, block 32, after Q', 'L0209'],
    ['grid 1, block 1024, gpu 0, gpu 1', 'L0209'],
    ['grid 1, block 32 { run tid 32; }', 'L0209'],
  ])('%s is refused', (place, code) => {
    expect(loaded('', place, '').diagnostics.map((one) => one.code)).toEqual([code]);
  });

  it('is unknown where a function calls itself', async () => {
    const functions = `.func f() {
  .reg .pred %p<2>; .reg .b32 %r<2>;
  mov.u32 %r1, %tid.x;
  setp.eq.u32 %p1, %r1, 7;
  @%p1 ret;
  call.uni f;
  ret;
}
`;
    const text = 'PTX recursion\n{ .global .u32 a; .global .u32 b; }\nlaunch K "k.ptx" (a, b) @ grid 1, block 8';
    const asked = (clauses: string): Program => {
      const modules = { 'k.ptx': { path: 'k.ptx', text: functions + module('call.uni f;') } };
      const [program] = loadTests({ path: 'k.litmus', text: text + clauses, modules }).value ?? [];
      if (program === undefined) throw new Error('no program');
      return program;
    };
    const unknown = 'undecided: recursion: f calls itself: recursion has no meaning here';
    const everything = ['race', 'undefined', 'deadlock', 'trap', 'uninitialized'].map((one) => `no-${one} ${unknown}`);
    expect(await outcomesOf(asked('\n'))).toEqual(everything);
    expect(await outcomesOf(asked(' { run exactly tid 7; }\n'))).not.toContain(everything[0]);
  });

  it('comes to an instruction without meaning, if a thread does', () => {
    const body = (guard: string): string => `setp.eq.u32 %p1, %r1, ${guard}; @%p1 brkpt; @%p1 alloca.u64 %rd2, 8;`;
    expect(loaded(body('99'), 'grid 1, block 4', '').diagnostics).toEqual([]);
    expect(loaded(body('2'), 'grid 1, block 4', '').diagnostics.map(({ code }) => code)).toContain('L0211');
  });
});

describe('a launch that depends on threads that the test writes out', () => {
  const verdictOf = async (body: string): Promise<readonly string[]> => {
    const text =
      'PTX launches\n"A kernel after a thread."\n' +
      '{ .global .u32 x = 0; .global .u32 y = 0; grid 1 dependent on 0; }\n' +
      'P0 @ grid 0 { st.weak.global.u32 [x], 1; }\n' +
      'launch K "k.ptx" (&x, &y) @ grid 1, block 1\nexpect no-race\n';
    const modules = { 'k.ptx': { path: 'k.ptx', text: module(body) } };
    const [program] = loadTests({ path: 'k.litmus', text, modules }).value ?? [];
    if (program === undefined) throw new Error('the test is wrong');
    return outcomesOf(program);
  };

  it('waits for them where its kernel has griddepcontrol.wait', async () => {
    expect(await verdictOf('griddepcontrol.wait; ld.global.u32 %r2, [%rd1];')).toEqual(['no-race met']);
    expect(await verdictOf('ld.global.u32 %r2, [%rd1];')).toEqual(['no-race broken']);
  });
});

describe('a structure that is given to a kernel', () => {
  const structure = (body: string): string => `.version 8.7
.target sm_90
.address_size 64
.visible .entry k(.param .align 8 .b8 s[24])
{
  .reg .b32 %r<3>;
  .reg .b64 %rd<3>;
  ${body}
  ret;
}
`;
  const saidOf = (fields: string, body = ''): readonly string[] => {
    const text = `PTX s\n{ .global .u32 x; }\nlaunch K "k.ptx" (${fields}) @ grid 1, block 1\n`;
    const modules = { 'k.ptx': { path: 'k.ptx', text: structure(body) } };
    const { diagnostics } = loadTests({ path: 'k.litmus', text, modules });
    return diagnostics.flatMap(({ severity, message, hint }) => (severity === 'error' ? [`${message}; ${hint}`] : []));
  };

  it('is filled to its end, but for what aligns it, or a last ? fills it', () => {
    for (const fields of ['{ &x, &x, &x }', '{ &x, &x, u32 1 }', '{ &x, ? }', '{ ? }', '?'])
      expect(saidOf(fields), fields).toEqual([]);
  });

  it('is an error where it is shorter, or longer', () => {
    const rest = 'give the fields up to its end, or a last ? for all that is left';
    expect(saidOf('{ &x, u32 1 }')).toEqual([
      `parameter 0 (.b8[24]): it has 24 bytes, and these fields have 12; ${rest}`,
    ]);
    expect(saidOf('{ &x, &x, &x, ? }')).toEqual([
      'parameter 0 (.b8[24]): it has 24 bytes, and these fields need 28; undefined',
    ]);
    expect(saidOf('{ }')).toEqual([`parameter 0 (.b8[24]): it has 24 bytes, and no field is given; ${rest}`]);
  });

  it('is shorter where the kernel loads by itself what would align it', () => {
    const short = '{ &x, &x, u32 1 }';
    expect(saidOf(short, 'ld.param.u32 %r1, [s+20];')).toEqual([
      'the launch gives 20 bytes of this parameter, and this loads what is behind them; ' +
        'give the field that is there, or a last ? for all that is left',
    ]);
    expect(saidOf(short, 'ld.param.u64 %rd1, [s+16];')).toEqual([]);
    for (const whole of ['{ &x, &x, u32 1, u32 2 }', '{ &x, &x, u32 1, ? }'])
      expect(saidOf(whole, 'ld.param.u32 %r1, [s+20];'), whole).toEqual([]);
  });
});

describe('what a kernel requires of its launch', () => {
  const saidOf = (bounds: string, place: string, twice = ''): readonly string[] => {
    const head = '.version 8.7\n.target sm_90\n.address_size 64\n';
    const ptx = `${head}.visible .entry _Z4halfv()\n${bounds}\n{\n  ret;\n}\n${twice}`;
    const text = `PTX s\n{ }\nlaunch K "k.cu" :: half () @ ${place}\n`;
    const { diagnostics } = loadTests({
      path: 'k.litmus',
      text,
      modules: { 'k.cu': { path: 'cached.ptx', text: ptx } },
    });
    return diagnostics.map(({ message, hint }) => (hint === undefined ? message : `${message}; ${hint}`));
  };

  it('is said with what was found, and what to do', () => {
    expect(saidOf('.reqnctapercluster 2, 1, 1', 'grid 4, block 1, cluster 4')).toEqual([
      'half has .reqnctapercluster 2, 1, 1, and cluster is 4, 1, 1; leave cluster out: the kernel says it',
    ]);
    expect(saidOf('.maxntid 64', 'grid 1, block 65')).toEqual([
      'half has .maxntid 64, 1, 1, and block is 65, 1, 1; launch a smaller block',
    ]);
    expect(saidOf('', 'grid 0, block 1')).toEqual(['a grid has 1 to 2147483647 CTAs along x; this one has 0']);
  });

  it('cannot be meant where another kernel of the module has its name', () => {
    expect(saidOf('', 'grid 1, block 1', '.visible .entry _Z4halfv()\n{\n  ret;\n}\n')).toEqual([
      'the kernel _Z4halfv has a body already, at line 6; a module has each kernel once; ptxas refuses this one: ' +
        'delete one of them',
    ]);
  });

  it('names the program that a test names, and its kernels as it has them', () => {
    const text = 'PTX s\n{ }\nlaunch K "k.cu" :: nothing () @ grid 1, block 1\n';
    const ptx = '.version 8.7\n.target sm_90\n.address_size 64\n.visible .entry _Z4halfv()\n{\n  ret;\n}\n';
    const { diagnostics } = loadTests({
      path: 'k.litmus',
      text,
      modules: { 'k.cu': { path: 'cached.ptx', text: ptx } },
    });
    expect(diagnostics.map(({ message, hint }) => [message, hint])).toEqual([
      ['k.cu has no kernel nothing', 'its kernels are half'],
    ]);
  });
});
