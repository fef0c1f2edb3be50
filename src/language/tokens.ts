/** A name among the operands of an instruction. */
export interface Token {
  readonly at: number;
  readonly text: string;
  readonly isInBrackets: boolean;
  /** The first word of the instruction, or the directive. */
  readonly mnemonic: string;
}

/** What stands for the place or the time of a thread (PTX ISA 10), and words of operands. */
const RESERVED = new RegExp(
  `^%?(?:${[
    '(?:n?(?:tid|ctaid|laneid|warpid|smid|clusterid)|gridid)(?:\\.[xyz])?',
    'cluster_n?cta(?:id(?:\\.[xyz])?|rank)',
    'clock(?:64|_hi)?|globaltimer(?:_lo|_hi)?|pm\\d.*',
    'lanemask_\\w+|envreg\\d+|is_explicit_cluster|(?:dynamic|total|aggr)_smem_size|WARP_SZ|_',
  ].join('|')})$`,
);
export const isReserved = (name: string): boolean => RESERVED.test(name);

const OPCODE = /^\s*(?:@\s*!?\s*(%?[\p{L}_$][\w$]*)\s+)?(\.?[a-z]\w*)((?:\s*\.[\w:]+)*)/u;
const NAME = /(?<![\w.$%:])%?[\p{L}_$][\w$]*(?:\.[xyzw]\b)?/gu;

/** The names in one instruction without its labels, its guard among them; special registers are no names. */
export function tokensIn(statement: string): readonly Token[] {
  const head = OPCODE.exec(statement);
  if (head === null) return [];
  const [whole, guard, mnemonic = ''] = head;
  const tokens: Token[] = [];
  if (guard !== undefined)
    tokens.push({ at: statement.indexOf(guard), text: guard, isInBrackets: false, mnemonic: '' });
  for (const { 0: text, index } of statement.slice(whole.length).matchAll(NAME)) {
    if (isReserved(text) || text.includes('.')) continue;
    const at = whole.length + index;
    const before = statement.slice(whole.length, at);
    const isInBrackets = before.lastIndexOf('[') > before.lastIndexOf(']');
    tokens.push({ at, text, isInBrackets, mnemonic });
  }
  return tokens;
}
