import type { InstructionSyntax } from './litmus-ast.js';

/** The name of an instruction with all its qualifiers, as it is written: `st.release.gpu.global.u32`. */
export const opcodeOf = ({ mnemonic, qualifiers }: Pick<InstructionSyntax, 'mnemonic' | 'qualifiers'>): string =>
  [mnemonic, ...qualifiers.map(({ text }) => text)].join('.');
