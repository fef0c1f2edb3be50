import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import grammars from '../../generated/litmus.ohm-bundle.js';
import { splitLitmus } from '../../src/syntax/split-litmus.js';
import { columns, litmusTexts, mutated, random } from '../fuzz/texts.js';
import { isOfShare } from '../shares.js';

const CASES = Number(process.env['FUZZ_CASES'] ?? 300);

/** The chunks that Ohm finds by the grammar Frame, which states what is cut. */
function chunksByGrammar(text: string): readonly unknown[] | undefined {
  const match = grammars.Frame.match(text, 'File');
  return match.succeeded() ? (semantics(match)['chunks']() as readonly unknown[]) : undefined;
}

const semantics = grammars.Frame.createSemantics();
type Node = Parameters<typeof semantics>[0] extends never
  ? never
  : { readonly source: { startIdx: number; endIdx: number } };
const at = ({ source: { startIdx, endIdx } }: Node): readonly [number, number] => [startIdx, endIdx];
semantics.addOperation<unknown>('chunks', {
  File(header, descriptions, _open, declarations, _close, _semicolon, functions, body, clauses) {
    if (functions.numChildren > 0) return [];
    return [
      header.child(2).sourceString.trim(),
      descriptions.children.map((node) => node.sourceString.slice(1, -1)),
      declarations.asIteration().children.map(at),
      body['chunks'](),
      clauses.children.map(at),
    ];
  },
  Body_blocks(blocks) {
    return [
      'blocks',
      blocks.children.map((block) => [at(block.child(0)), block.child(2).asIteration().children.map(at)]),
      [],
    ];
  },
  Body_columns(headerRow, rows) {
    const headers = headerRow.child(0).asIteration().children;
    const cells = rows.children.map((row) => row.child(0).asIteration().children);
    return [
      'columns',
      headers.map((header, column) => [
        at(header),
        cells.flatMap((row) => (row[column] === undefined ? [] : [at(row[column])])),
      ]),
      cells.flatMap((row) => row.slice(headers.length)).map(at),
    ];
  },
});

function chunksBySplitting(text: string): readonly unknown[] | 'blocks' | undefined {
  const frame = splitLitmus(text);
  if (frame === undefined) return undefined;
  if (frame.functions.length > 0 || frame.threads.some(({ cells }) => cells.some(({ inner }) => inner !== undefined)))
    return 'blocks';
  const range = ({ start, end }: { readonly start: number; readonly end: number }) => [start, end];
  return [
    frame.name,
    frame.descriptions,
    frame.declarations.map(range),
    [
      frame.layout,
      frame.threads.map(({ header, cells }) => [range(header), cells.map(range)]),
      frame.surplus.map(range),
    ],
    frame.clauses.map(range),
  ];
}

/** Blocks, functions and the lines of .loc are cut further than the grammar does: it only knows that they are there. */
function expectSameChunks(text: string): void {
  const chunks = chunksBySplitting(text);
  if (chunks === 'blocks' || /^\s*\.(loc|file)\s/m.test(text)) expect(chunksByGrammar(text)).toBeDefined();
  else expect(chunks).toEqual(chunksByGrammar(text));
}

describe('the parts of a litmus test', () => {
  it('are those of the grammar, for every test of the suite', () => {
    for (const text of [...litmusTexts.filter((text) => isOfShare(text, 3, 'chunks')), columns]) expectSameChunks(text);
  });

  it('are those of the grammar, however broken a text is', () => {
    const agrees = expectSameChunks;
    const short = litmusTexts.filter(({ length }) => length < 800);
    fc.assert(fc.property(mutated([...short, columns, columns]), agrees), { numRuns: CASES });
    fc.assert(fc.property(random, agrees), { numRuns: CASES });
  });

  it('are not those of a thread where a directive comes after one', () => {
    expectSameChunks('PTX a {} P0 { } .global b { } exists (true)');
    expectSameChunks('PTX a {} .func f { } P0 { } exists (true)');
  });

  it('are found where comments, braces and keywords stand within one another', () => {
    const pieces = [
      '(*',
      '*)',
      '/*',
      '*/',
      '//',
      '\n',
      '{',
      '}',
      ';',
      '|',
      '~',
      'not ',
      'exists',
      'forall',
      '_',
      'a',
      '1',
      '"',
      ' ',
    ];
    const body = fc.array(fc.constantFrom(...pieces), { maxLength: 25 }).map((parts) => parts.join(''));
    const text = fc.tuple(fc.constantFrom('PTX x {} ', 'PTX', 'PTX a {x=1} P0 {', 'PTX b {} P0 | P1 ; '), body);
    fc.assert(
      fc.property(text, ([head, rest]) => {
        expectSameChunks(head + rest);
      }),
      { numRuns: 20 * CASES },
    );
  });
});
