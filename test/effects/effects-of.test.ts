import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadTests } from '../../src/check/load-tests.js';
import { effectsOf } from '../../src/effects/effects-of.js';
import { memoryAccesses } from '../../src/effects/memory-accesses.js';
import { registersRead, registersWritten } from '../../src/program/operands.js';
import type { Operation } from '../../src/program/operation.js';
import { buildEvents } from '../../src/semantics/build-events.js';
import { analyzeValues } from '../../src/semantics/value-analysis.js';
import { isOfShare } from '../shares.js';
import { programOf, ROOT } from '../support.js';

const DECLARATIONS = `
  .shared .b64 bar = mbarrier(1);
  .shared .align 16 .b8 tile[32];
  .global .align 16 .b8 g[32];
  .global .u32 x;
`;

/** The last operation of an instruction, by its registers. */
function operationOf(instruction: string): Operation {
  const text = `PTX test\n{ ${DECLARATIONS} }\nP0 @ gpu 0 {\n  ${instruction}\n}\nexists (x == 0)\n`;
  const operation = programOf(text).threads[0]?.statements.at(-1)?.operation;
  if (operation === undefined) throw new Error(instruction);
  return operation;
}

const kindsOf = (operation: Operation): readonly string[] =>
  effectsOf(operation).map((effect) => {
    const bytes = 'at' in effect && effect.at?.bytes?.kind === 'constant' ? ` ${effect.at.bytes.value}` : '';
    return `${effect.kind}${'step' in effect ? ` ${effect.step}` : ''}${bytes}: ${effect.tags.join(' ')}`;
  });

describe('the effects of an operation', () => {
  it('are an access for a vector, with its elements', () => {
    const load = operationOf('ld.acquire.gpu.global.v2.u32 {r0, r1}, [g];');
    expect(kindsOf(load)).toEqual(['read 8: R ACQ GEN GPU']);
    expect(registersWritten(load)).toEqual(['r0', 'r1']);
  });

  it('are one read-modify-write for an atomic, whose halves have the order between them', () => {
    const [effect] = effectsOf(operationOf('atom.acq_rel.gpu.global.cas.b32 r0, [x], r1, r2;'));
    expect(effect).toMatchObject({
      kind: 'update',
      tags: ['RMW'],
      readTags: ['ACQ', 'GEN', 'GPU'],
      writeTags: ['REL', 'GEN', 'GPU'],
      compared: { kind: 'register', name: 'r1' },
      data: { kind: 'operands', operands: [{ kind: 'register', name: 'r2' }] },
    });
  });

  it('are a step on the object for an arrival, with what it expects', () => {
    const arrive = operationOf('mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], r1;');
    expect(kindsOf(arrive)).toEqual(['mbarrier arrive 8: MBAR ARRIVE REL CTA GEN']);
    expect(registersRead(arrive)).toEqual(['r1']);
    expect(memoryAccesses(arrive)).toMatchObject([{ what: 'mbarrier', reads: true, writes: true }]);
  });

  it('are an issue, reads, writes and a completion for a bulk copy', () => {
    const copy = operationOf(
      'cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [g], 32, [bar];',
    );
    expect(kindsOf(copy)).toEqual([
      'issue: ISSUE',
      'read 32: R ASY COPY WEAK ASYNC',
      'write 32: W ASY COPY WEAK ASYNC',
      'mbarrier complete_tx 8: MBAR ASY GEN',
    ]);
    expect(memoryAccesses(copy).map(({ what, reads, writes }) => [what, reads, writes])).toEqual([
      ['data', true, false],
      ['data', false, true],
      ['mbarrier', true, true],
    ]);
  });

  it('are none for what only computes or controls', () => {
    expect(effectsOf(operationOf('add.u32 r0, r1, r2;'))).toEqual([]);
    expect(effectsOf(operationOf('exit;'))).toEqual([]);
  });
});

const FOLDER = join(ROOT, 'litmus');
const FILES = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.litmus') && isOfShare(file, 6, 'effects'))
  .sort();

describe('the bytes that an operation accesses', () => {
  it('hold those of each of its events, where addresses are known', () => {
    let held = 0;
    for (const file of FILES) {
      const text = readFileSync(join(FOLDER, file), 'utf8');
      if (/^launch /m.test(text)) continue;
      for (const program of loadTests({ path: file, text }).value ?? []) {
        const structure = buildEvents(program, { bound: 2, spinRounds: 1, failingCasWrites: false });
        if ('kind' in structure) continue;
        const { runs } = analyzeValues(structure, false, () => undefined);
        for (const { event, address } of runs) {
          const operation = structure.threads[event.thread]?.nodes[event.node]?.statement.operation;
          if (operation === undefined || (event.kind !== 'read' && event.kind !== 'write')) continue;
          const [at, ...others] = address === undefined || address.values === 'any' ? [] : address.values;
          const accesses = memoryAccesses(operation);
          const isPlain = accesses.every(({ tile, multicast }) => tile === undefined && multicast === undefined);
          if (at === undefined || others.length > 0 || !isPlain) continue;
          held += 1;
          const holds = accesses.some(({ address: { base, offset }, bytes, reads, writes }) => {
            if (base.kind !== 'constant') return true;
            const does = event.kind === 'read' ? reads : writes;
            const start = base.value + offset;
            // How many they are may be in a register.
            const isWithin = bytes?.kind !== 'constant' || at + BigInt(event.type.width / 8) <= start + bytes.value;
            return does && start <= at && isWithin;
          });
          expect([file, event.id, holds]).toEqual([file, event.id, true]);
        }
      }
    }
    expect(held).toBeGreaterThan(600);
  });
});
