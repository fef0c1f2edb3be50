import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exchangedWords } from '../../src/follow/exchanges.js';
import { collectiveResult } from '../../src/semantics/collective-result.js';
import { CONCRETE_VALUES } from '../../src/semantics/concrete-values.js';

const LANES = 8;
const COLLECTIVE = {
  ...({ operation: 'collective', target: '', value: { kind: 'constant', value: 0n } } as const),
  ...{ width: 64, signed: false, resultWidth: 64 },
};

describe('words that lanes take from each other', () => {
  it('are those that each lane gets by itself', () => {
    const given = fc.tuple(fc.bigInt(0n, 0xffff_ffffn), fc.bigInt(0n, BigInt(LANES)), fc.boolean());
    fc.assert(
      fc.property(fc.array(given, { minLength: LANES, maxLength: LANES }), (lanes) => {
        const own = lanes.flatMap(([word, from, isThere], lane) =>
          isThere ? [{ lane, bits: (from << 32n) | word }] : [],
        );
        const all = own.map(({ lane, bits }) => ({ lane, present: true, value: { bits, width: 64 } }));
        const found = exchangedWords(own, LANES);
        for (const mine of all)
          expect(typeof found === 'object' ? found[mine.lane] : found).toBe(
            collectiveResult(CONCRETE_VALUES, COLLECTIVE, mine, all).bits,
          );
      }),
    );
  });
});
