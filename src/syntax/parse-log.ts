import grammar, { type LogActionDict } from '../../generated/log.ohm-bundle.js';
import type { Diagnosed } from '../diagnostics/diagnostic.js';
import { type Source, spanOf } from '../diagnostics/source.js';
import { optional, repeated, textOfNode, valueOf } from './chunk-nodes.js';
import { reader } from './parse-chunk.js';

/** One test of a log of herd7 or litmus7 (docs/format.md). */
export interface LogBlock {
  readonly test: string;
  readonly kind: 'Allowed' | 'Forbidden' | 'Required';
  readonly states: readonly LogState[];
  /** How many the block says that it has. */
  readonly announced: number;
  /** `Ok`, `No`, `??`; undefined in a log without one. */
  readonly verdict: 'Ok' | 'No' | '??' | undefined;
  /** A loop was cut: there may be more states. */
  readonly cut: boolean;
  readonly observation: 'Always' | 'Sometimes' | 'Never' | undefined;
}

export interface LogState {
  /** By name as in the log (`1:r0`, `x`), the values as they are written. */
  readonly values: ReadonlyMap<string, string>;
  /** How often a hardware run saw it; undefined in a log of a model. */
  readonly count: number | undefined;
}

const TEST_LINE = /^Test[ \t\r]+[^ \t\r\n]+[ \t\r]+(?:Allowed|Forbidden|Required)[ \t\r]*$/gm;
/** The most characters of a block: ten thousand states. */
const LONGEST_BLOCK = 400_000;

/**
 * Reads the log blocks of a text, one after the other; what stands between the blocks is passed over. `checkBudget` is
 * called for each, and throws where there is no time left.
 */
export function parseLog(source: Source, checkBudget: () => void = () => undefined): Diagnosed<readonly LogBlock[]> {
  const first = source.text.search(/^Test /m);
  if (first === -1) return { value: [], diagnostics: [] };
  const starts = [...source.text.matchAll(TEST_LINE)].map(({ index }) => index).filter((index) => index > first);
  const blocks: LogBlock[] = [];
  for (const [i, start] of [first, ...starts].entries()) {
    checkBudget();
    const { value, failure } = parseBlock(spanOf(source, start, starts[i] ?? source.text.length));
    if (failure !== undefined) return { value: undefined, diagnostics: [failure] };
    blocks.push(value);
  }
  return { value: blocks, diagnostics: [] };
}

const ACTIONS: LogActionDict<unknown> = {
  block(test, header, states, verdict, rest): LogBlock {
    // testLine = "Test" blank+ title blank+ kind eol
    const [name = '', kind] = [2, 4].map((i) => textOfNode(test.child(i)));
    const written = optional(verdict, textOfNode)?.trim() ?? '';
    const observation = /^Observation \S+ (Always|Sometimes|Never)/m.exec(textOfNode(rest))?.[1];
    const word = /(Ok|No|\?\?)$/.exec(written)?.[1];
    return {
      test: name,
      kind: kind as LogBlock['kind'],
      announced: Number(/\d+/.exec(textOfNode(header))?.[0] ?? 0),
      states: repeated(states, (line) => valueOf(line.child(0))),
      verdict: word as LogBlock['verdict'],
      cut: written.startsWith('Loop'),
      observation: observation as LogBlock['observation'],
    };
  },
  state(prefix, bindings): LogState {
    const count = prefix.child(0)?.child(0)?.sourceString.trim();
    const values = new Map(
      bindings.children.map(
        (binding) => [textOfNode(binding.child(1)).trim(), textOfNode(binding.child(3)).trim()] as const,
      ),
    );
    return { values, count: count === undefined ? undefined : Number(count) };
  },
};

const parseBlock = reader<LogBlock>(
  { grammar, rule: 'Block', code: 'L0006', what: 'this log cannot be read', longest: LONGEST_BLOCK, comments: 'kept' },
  ACTIONS,
);
