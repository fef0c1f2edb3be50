const TILE = 1024;

/**
 * A pipeline as kernels have it, with loops and registers for stage and phase: one producer, which waits for an empty
 * stage and copies a tile into it, and consumers, which wait for a full stage, read it and give it back.
 */
export function pipeline({ stages, iterations, tensor = false, consumers = 1 }) {
  const registers =
    '.reg .pred p; .reg .b32 stage, phase, k, off, fb, eb, sm, crd, v, first; .reg .b64 from;\n' +
    '  mov.u32 stage, 0; mov.u32 k, 0;';
  const objects = `  shl.b32 off, stage, 3;
  mov.u32 eb, empty; add.u32 eb, eb, off;
  mov.u32 fb, full; add.u32 fb, fb, off;`;
  const tile = `  shl.b32 off, stage, 10;
  mov.u32 sm, tiles; add.u32 sm, sm, off;`;
  const next = `  add.u32 k, k, 1;
  add.u32 stage, stage, 1;
  setp.eq.u32 p, stage, ${stages};
  @p xor.b32 phase, phase, 1;
  @p mov.u32 stage, 0;
  setp.lt.u32 p, k, ${iterations};
  @p bra loop;`;
  const wait = (object) => `wait:
  mbarrier.try_wait.parity.shared::cta.b64 p, [${object}], phase;
  @!p bra wait;`;
  const copy = tensor
    ? `  shl.b32 crd, k, 8;
  cp.async.bulk.tensor.1d.shared::cta.global.tile.mbarrier::complete_tx::bytes [sm], [map, {crd}], [fb];`
    : `  cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [sm], [from], ${TILE}, [fb];
  add.u64 from, from, ${TILE};`;
  const producer = `  ${registers} mov.u32 phase, 1; mov.u64 from, A;
loop:
${objects}
${wait('eb')}
  mbarrier.arrive.expect_tx.shared::cta.b64 _, [fb], ${TILE};
${tile}
${copy}
${next}`;
  const consumer = `  ${registers} mov.u32 phase, 0;
loop:
${objects}
${wait('fb')}
${tile}
  ld.shared.u32 v, [sm];
  setp.eq.u32 p, k, 0;
  @p mov.u32 first, v;
  fence.proxy.async.shared::cta;
  mbarrier.arrive.shared::cta.b64 _, [eb];
${next}`;
  const words = TILE / 4;
  const values = Array.from({ length: iterations * words }, (_, i) => (i % words === 0 ? i / words + 1 : 0));
  return `PTX pipeline-${stages}-${iterations}
{
  .global .align 128 .u32 A[${values.length}] = {${values.join(',')}};
  ${tensor ? `.global .align 64 .b8 map[128] = tensormap(A, ${TILE});` : ''}
  .shared .align 128 .b8 tiles[${TILE * stages}];
  .shared .align 8 .b64 full[${stages}] = mbarrier(1);
  .shared .align 8 .b64 empty[${stages}] = mbarrier(${consumers});
}
P0 @ cta 0, cluster 0 {
${producer}
}
${Array.from({ length: consumers }, (_, c) => `P${c + 1} @ cta 0, cluster 0 {\n${consumer}\n}`).join('\n')}
expect no-undefined
expect no-race
expect no-deadlock
require (P1:v == ${iterations}) as last_tile
require (P1:first == 1) as first_tile
`;
}

/** From small to large: stages, iterations, and what else. */
export const PIPELINES = [
  { stages: 2, iterations: 2 },
  { stages: 2, iterations: 4 },
  { stages: 2, iterations: 8 },
  { stages: 4, iterations: 8 },
  { stages: 4, iterations: 16 },
  { stages: 4, iterations: 16, tensor: true },
  { stages: 4, iterations: 8, consumers: 2 },
  { stages: 4, iterations: 16, consumers: 2 },
  { stages: 4, iterations: 32 },
  { stages: 4, iterations: 48 },
];
