import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { inCuda } from '../../src/advise/cuda-terms.js';
import type { Choice, Site } from '../../src/advise/sites.js';
import { costOf, type Strength } from '../../src/advise/strength.js';
import type { Scope } from '../../src/program/placement.js';
import { describeWith, NVCC } from '../resources.js';

const source = {
  path: 'k.ptx',
  text: 'x',
  compiledFrom: () => ({ file: 'k.cu', line: 1, column: 1, inlinedAt: undefined }),
};
const span = { source, start: 0, end: 0 };
const choice = (text: string, strength: Strength, scope?: Scope): Choice => ({
  ...{ text, strength, scope, cost: costOf(strength, scope, false) },
});
const site = (kind: Site['kind']): Site => ({
  ...{ kind, threads: [0], spots: [{ span, instruction: span }], present: choice('', 'weak'), others: [] },
});

/** What is written in CUDA, and the instructions of which one must come out of nvcc. */
const WRITTEN: readonly (readonly [Site['kind'], Choice, RegExp])[] = [
  ['gap', choice('bar.sync 0;', 'acq_rel'), /\bbar\.sync\s+0/],
  ['gap', choice('bar.warp.sync 0xffffffff;', 'acq_rel'), /\bbar\.warp\.sync/],
  ['gap', choice('barrier.cluster.arrive; barrier.cluster.wait;', 'acq_rel'), /\bbarrier\.cluster\.wait/],
  ['gap', choice('fence.proxy.async;', 'acq_rel'), /\bfence\.proxy\.async;/],
  ['gap', choice('fence.mbarrier_init.release.cluster;', 'release', 'cluster'), /\bfence\.mbarrier_init\.release/],
  ['gap', choice('fence.acq_rel.cluster;', 'acq_rel', 'cluster'), /\bfence\.acq_rel\.cluster/],
  ['gap', choice('fence.sc.cluster;', 'sc', 'cluster'), /\bfence\.sc\.cluster/],
  ['gap', choice('fence.sc.cta;', 'sc', 'cta'), /\b(membar\.cta|fence\.sc\.cta)/],
  ['gap', choice('fence.sc.gpu;', 'sc', 'gpu'), /\b(membar\.gl|fence\.sc\.gpu)/],
  ['gap', choice('fence.sc.sys;', 'sc', 'sys'), /\b(membar\.sys|fence\.sc\.sys)/],
  ['gap', choice('fence.acquire.gpu;', 'acquire', 'gpu'), /\bfence\.(acquire|acq_rel|sc)\.gpu/],
  ['gap', choice('fence.release.sys;', 'release', 'sys'), /\bfence\.(release|acq_rel|sc)\.sys/],
  ['gap', choice('fence.acq_rel.cta;', 'acq_rel', 'cta'), /\bfence\.(acq_rel|sc)\.cta/],
  ['access', choice('ld.acquire.gpu.global.u32', 'acquire', 'gpu'), /\bld\.acquire\.gpu\b/],
  ['access', choice('ld.relaxed.sys.b32', 'relaxed', 'sys'), /\bld\.relaxed\.sys\b/],
  ['access', choice('st.release.cta.shared.s32', 'release', 'cta'), /\bst\.release\.cta\b/],
  ['access', choice('atom.acq_rel.gpu.global.add.u32', 'acq_rel', 'gpu'), /\batom\.add\.acq_rel\.gpu\b/],
  ['access', choice('atom.acquire.gpu.cas.b32', 'acquire', 'gpu'), /\batom\.cas\.acquire\.gpu\b/],
  ['access', choice('atom.relaxed.cta.exch.b32', 'relaxed', 'cta'), /\batom\.exch\.relaxed\.cta\b/],
  ['access', choice('red.release.gpu.global.max.u32', 'release', 'gpu'), /\batom\.max\.release\.gpu\b/],
];

describeWith(NVCC, 'what advice says in CUDA', () => {
  it('compiles to what it stands for', () => {
    const statements = WRITTEN.map(([kind, one]) => {
      const [first = ''] = (inCuda(site(kind), one) ?? '').split(', or ');
      return kind === 'access'
        ? `out = ${first.replace(/<T,/, '<unsigned,').replace(/<int,/, '<unsigned,')};`
        : `${first};`;
    });
    const body = statements.map((text) => text.replace(/^out = (.*\.store\()/, '$1'));
    const folder = mkdtempSync(join(tmpdir(), 'ptx-litmus-cuda-'));
    try {
      const text = [
        '#include <cooperative_groups.h>',
        '#include <cuda/atomic>',
        '#include <cuda/ptx>',
        ...body.map(
          (line, i) =>
            `__global__ void k${i}(unsigned& object, unsigned expected, unsigned desired, unsigned value,\n` +
            `  unsigned* result) { unsigned out = 0; ${line} *result = out; }`,
        ),
      ].join('\n');
      writeFileSync(join(folder, 'k.cu'), text);
      const { status, stderr } = spawnSync(
        ...([
          'nvcc',
          ['-std=c++17', '-ptx', '-arch=sm_90a', join(folder, 'k.cu'), '-o', join(folder, 'k.ptx')],
        ] as const),
      );
      expect(status, `${stderr}`).toBe(0);
      const entries = readFileSync(join(folder, 'k.ptx'), 'utf8').split('.visible .entry').slice(1);
      const found = new Map(entries.map((entry) => [/_Z\d+(k\d+)/.exec(entry)?.[1], entry]));
      for (const [i, [, one, wanted]] of WRITTEN.entries()) expect(found.get(`k${i}`), one.text).toMatch(wanted);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
