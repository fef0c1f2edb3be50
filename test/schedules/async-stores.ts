import { spaceOf, updateOf } from './accesses.js';
import { type Family, operandAt, partsOf, typeOf, visible } from './compile.js';
import type { Copy, Piece } from './copies.js';
import { multicast, placeOf, tellsMbarriers } from './copying.js';
import { Unsupported } from './launch.js';
import { CLUSTER } from './memory.js';
import { widthOf } from './module.js';

/** `st.async`, `red.async` to shared memory of a cluster: an mbarrier there counts the bytes (PTX ISA 9.7.10.12). */
export const asyncStore: Family = (at, compiler) => {
  const { words } = at;
  if (!words.includes('mbarrier::complete_tx::bytes') || spaceOf(words) !== CLUSTER)
    throw new Unsupported(`${at.opcode} is not known`);
  const type = typeOf(at);
  const size = widthOf(type) / 8;
  const to = compiler.address(operandAt(at, 0));
  const sources = partsOf(operandAt(at, 1)).map((part) => compiler.source(part, size * 8));
  const object = compiler.address(operandAt(at, 2));
  const operation = words.find((word) => /^(add|min|max|inc|dec|and|or|xor)$/.test(word));
  const update = operation === undefined ? undefined : updateOf(operation, type);
  const reduction: Copy['reduction'] = update === undefined ? undefined : { update, size, scope: 'cluster' };
  const total = size * sources.length;
  return visible((thread, machine) => {
    const target = placeOf(machine, thread, { space: CLUSTER, address: to(thread), size: total }, at);
    const barrier = placeOf(machine, thread, { space: CLUSTER, address: object(thread), size: 8 }, at);
    if (barrier.segment.cta !== target.segment.cta) machine.fail('mbarrier-of-another-cta', at);
    const pieces = sources.map((slot, i): Piece => {
      const bytes = new Uint8Array(size);
      let bits = BigInt(thread.regs[slot]!);
      for (let byte = 0; byte < size; byte++) {
        bytes[byte] = Number(bits & 255n);
        bits >>= 8n;
      }
      const place = { segment: target.segment, offset: target.offset + i * size };
      return { from: undefined, to: [place], size, bytes };
    });
    const parts = tellsMbarriers(machine, thread, multicast(barrier, thread, undefined), total, at, false);
    machine.copies.push({ at, reduction, pieces, unread: 0, ...parts });
  });
};
