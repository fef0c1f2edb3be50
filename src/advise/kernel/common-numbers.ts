import { textOf } from '../../diagnostics/source.js';
import { WARP_SIZE } from '../../kernel/grid.js';
import { opcodeOf } from '../../syntax/opcode.js';
import type { Choices } from '../patch.js';
import { firstChoices } from '../search.js';
import type { Site } from '../sites.js';
import type { KernelCode } from './kernel-code.js';
import { instructionAt, NUMBERS, ofCallsAndAll, siteOf, TEMPORARY } from './numbers.js';

/** Numbers that several instructions must have in common, changed in all of them. */

/** The next barrier instead of one that two instructions name: they meet there, with nobody else. */
export function renamedBarriers(code: KernelCode): readonly Choices[] {
  const sites = code.instructions.flatMap(ofCallsAndAll).flatMap((one): readonly Site[] => {
    const syntax = instructionAt(one.spans[0]);
    if (syntax === undefined || !NAMED.test(`${syntax.mnemonic}.${syntax.qualifiers[0]?.text}`)) return [];
    const operand = syntax.operands[0];
    if (syntax.operands.length < 2 || operand === undefined) return [];
    return siteOf(one, { operand: 0, word: 'barrier' }, undefined, [
      {
        before: (given) => `add.s32 ${TEMPORARY}, ${given}, 1;`,
        shown: `barrier ${textOf(operand.span)} + 1`,
      },
    ]);
  });
  return sites.flatMap((a, i) => sites.slice(i + 1).map((b) => firstChoices([a, b])));
}

/**
 * Masks of the groups of 16, 8, 4 and 2 lanes that a lane may be in, in the place of all masks that registers hold:
 * lanes which meet must name the same ones.
 */
export function groupMasks({ instructions }: KernelCode): readonly Choices[] {
  return [16, 8, 4, 2].flatMap((size) => {
    const mask = 2 ** size - 1;
    const before = (): string =>
      `mov.u32 ${TEMPORARY}, %laneid; and.b32 ${TEMPORARY}, ${TEMPORARY}, ${WARP_SIZE - size}; ` +
      `shl.b32 ${TEMPORARY}, ${mask}, ${TEMPORARY};`;
    const sites = instructions.flatMap((one): readonly Site[] => {
      const syntax = instructionAt(one.spans[0]);
      if (syntax === undefined) return [];
      const name = opcodeOf(syntax);
      const entry = NUMBERS.find(({ opcode, word }) => word === 'membermask' && opcode.test(name));
      if (entry === undefined || syntax.operands.at(entry.operand)?.kind !== 'name') return [];
      const shown = `membermask 0x${mask.toString(16)} << (lane & ${WARP_SIZE - size})`;
      return siteOf(one, entry, undefined, [{ before, shown }]);
    });
    return sites.length === 0 ? [] : [firstChoices(sites)];
  });
}

/** Named barriers count who comes to them. */
const NAMED = /^bar(?:rier)?\.(?:sync|arrive|red|cta)/;
