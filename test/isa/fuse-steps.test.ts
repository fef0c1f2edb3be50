import { describe, expect, it } from 'vitest';
import { type DecodedThread, Decoder } from '../../src/isa/decoder.js';
import { fuseSteps } from '../../src/isa/fuse-steps.js';
import { InstructionDecoder } from '../../src/isa/instruction-decoder.js';
import { registersRead, registersWritten } from '../../src/program/operands.js';
import { type Guard, register } from '../../src/program/operation.js';

const WORD = { kind: 'b', width: 32 } as const;
const span = { source: { path: 'a', text: '' }, start: 0, end: 0 };

function decoded(of: (at: InstructionDecoder) => void, guard?: Guard): Decoder {
  const decoder = new Decoder({} as DecodedThread);
  of(new InstructionDecoder(decoder, { span, guard }));
  fuseSteps(decoder, 0);
  return decoder;
}

/** Registers of steps that are read and were not written before. */
function unwritten(decoder: Decoder): readonly string[] {
  const written = new Set<string>();
  return decoder.statements.flatMap(({ operation }) => {
    const missing = registersRead(operation).filter((register) => /^#/.test(register) && !written.has(register));
    for (const register of registersWritten(operation)) written.add(register);
    return missing;
  });
}

describe('the result of an instruction', () => {
  it('is written by the last step itself', () => {
    const decoder = decoded((at) => at.result('d', WORD, at.of(32).add(register('a'), register('b'))));
    expect(decoder.statements.map(({ operation }) => registersWritten(operation))).toEqual([['d']]);
  });

  it('is that of the first register, if two take it', () => {
    const decoder = decoded((at) => {
      const sum = at.of(32).add(register('a'), register('b'));
      at.result('d', WORD, sum);
      at.result('e', WORD, sum);
    });
    expect(unwritten(decoder)).toEqual([]);
    expect(decoder.statements.flatMap(({ operation }) => registersWritten(operation))).toContain('e');
  });

  it('is used by further steps', () => {
    const decoder = decoded(
      (at) => {
        const sum = at.of(32).add(register('a'), register('b'));
        at.result('d', WORD, sum);
        at.result('e', WORD, at.of(32).multiply(sum, sum));
      },
      { register: 'p', negated: false },
    );
    expect(unwritten(decoder)).toEqual([]);
  });
});
