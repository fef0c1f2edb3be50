import { describe, expect, it } from 'vitest';
import { loadTests, wholeTest } from '../../src/check/load-tests.js';
import { kernelModule } from '../kernel-module.js';
import { EXPECT, holdToEngines } from './law.js';

const WORD = 'mul.wide.u32 %rd2, %r1, 4; add.s64 %rd2, %rd1, %rd2;';
const STORE = `${WORD} st.global.u32 [%rd2], 7;`;
const LOAD = `${WORD} ld.global.u32 %r8, [%rd2];`;
const TRIGGER = 'griddepcontrol.launch_dependents;';
const FENCE = 'fence.acq_rel.gpu;';
const MEET = 'bar.sync 0;';
/** The first thread alone. */
const FIRST = `setp.ne.u32 %p3, %r1, 0; @%p3 bra F; ${TRIGGER} F:`;

/** Two grids of two warps, or of two threads, of which the second depends on the first. */
function source(first: string, second: string, block: number): Parameters<typeof loadTests>[0] {
  const entry = (name: string, body: string): [string, { path: string; text: string }] => {
    const path = `${name}.ptx`;
    return [path, { path, text: kernelModule({ target: 'sm_90', declared: '', body }) }];
  };
  const text =
    `PTX k\n{ .global .u32 x[256] = 0; }\nlaunch A "a.ptx" (x) @ grid 1, block ${block}\n` +
    `launch B "b.ptx" (x) @ grid 1, block ${block}, dependent on A\n${EXPECT}\n`;
  return { path: 'k.litmus', text, modules: Object.fromEntries([entry('a', first), entry('b', second)]) };
}

/** What the run of all threads has for certain. */
function said(first: string, second: string): readonly string[] {
  const [program] = loadTests(source(first, second, 64), {}, 'answers').value ?? [];
  const run = program === undefined ? undefined : wholeTest(program)?.follow(() => undefined);
  if (run === undefined) throw new Error('it cannot be read');
  const races = run.conflicts.map(({ kind, isCertain }) => (isCertain ? `a ${kind}` : `perhaps a ${kind}`));
  const open = run.open === undefined ? [] : [run.open.what];
  return [...new Set([...races, ...run.findings.map(({ rule }) => rule), ...open])];
}

const RACE = ['a race'];
const PERHAPS = ['perhaps a race'];
const READ_ONLY = ['perhaps a proxies', 'read-only-path-of-written-bytes'];

describe('a dependent grid', () => {
  it.each<[string, string, string, readonly string[]]>([
    ['that does not wait', TRIGGER + STORE, LOAD, RACE],
    ['of one that does not trigger', STORE, LOAD, RACE],
    ['of one that triggers behind its stores', STORE + TRIGGER, LOAD, RACE],
    ['that waits too late', TRIGGER + STORE, `${LOAD} griddepcontrol.wait;`, RACE],
    ['that waits', TRIGGER + STORE, `griddepcontrol.wait; ${LOAD}`, []],
    ['of one that fences behind the trigger', STORE + TRIGGER + FENCE, LOAD, RACE],
    ['of one that fences before it stores', FENCE + STORE + TRIGGER, LOAD, RACE],
    ['of one that fences for its CTA', `${STORE} fence.acq_rel.cta; ${TRIGGER}`, LOAD, RACE],
    ['of one that fences before each its trigger', STORE + FENCE + TRIGGER, LOAD, PERHAPS],
    ['of one that fences before a barrier, and triggers', STORE + FENCE + MEET + TRIGGER, LOAD, []],
    ['of one that fences behind a barrier, and triggers', STORE + MEET + FENCE + TRIGGER, LOAD, PERHAPS],
    ['of one that fences behind a barrier, of which one thread triggers', STORE + MEET + FENCE + FIRST, LOAD, []],
    ['of one that fences before a barrier, of which one thread triggers', STORE + FENCE + MEET + FIRST, LOAD, RACE],
    [
      'of one that fences behind a barrier, and another one triggers',
      STORE + FIRST + MEET + FENCE + TRIGGER,
      LOAD,
      PERHAPS,
    ],
    ['of one that fences for its cluster', `${STORE} fence.acq_rel.cluster; ${MEET} ${TRIGGER}`, LOAD, RACE],
    ['of one that acquires before the trigger', `${STORE} fence.acquire.gpu; ${MEET} ${TRIGGER}`, LOAD, RACE],
    ['of one that fences, and then also stores', STORE + FENCE + TRIGGER + STORE, LOAD, [...PERHAPS, ...RACE]],
    ['that reads through the read-only path', TRIGGER + STORE, `${WORD} ld.global.nc.u32 %r8, [%rd2];`, READ_ONLY],
    ['that waits, and reads so', STORE, `griddepcontrol.wait; ${WORD} ld.global.nc.u32 %r8, [%rd2];`, []],
  ])('%s', (name, first, second, expected) => {
    expect(said(first, second)).toEqual(expected);
    expect(holdToEngines(source(first, second, 2), name)).toBeDefined();
  });
});
