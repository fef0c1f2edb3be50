import { expect, it } from 'vitest';
import { citation, citations, type Source } from '../../src/diagnostics/source.js';
import { compiledLines } from '../../src/kernel/compiled-lines.js';

/** A kernel in a header that calls an agent at its line 9; the agent is in another one. */
const text = `.file 1 "lib/scan.cuh"
.file 2 "lib/agent.cuh"
.visible .entry k()
{
.loc 1 9 3
st.a;
.loc 2 40 5, function_name $a, inlined_at 1 9 3
st.b;
.loc 2 52 5, function_name $a, inlined_at 1 9 3
st.c;
.loc 1 12 3
st.d;
}
`;
const source: Source = { path: 'scan.ptx', text, compiledFrom: compiledLines(text) };
const at = (word: string): { source: Source; start: number; end: number } => {
  const start = text.indexOf(word);
  return { source, start, end: start + word.length };
};

it('names the lines that were put into one line, where several are told together', () => {
  expect(citations([at('st.b'), at('st.c')])).toEqual([
    'scan.cuh:9 (agent.cuh:40, scan.ptx:8)',
    'scan.cuh:9 (agent.cuh:52, scan.ptx:10)',
  ]);
  expect(citations([at('st.a'), at('st.c'), at('st.d')])).toEqual([
    'scan.cuh:9 (scan.ptx:6)',
    'scan.cuh:9 (agent.cuh:52, scan.ptx:10)',
    'scan.cuh:12 (scan.ptx:12)',
  ]);
});

it('names the line of the kernel alone, where that tells them apart', () => {
  expect(citation(at('st.b'))).toBe('scan.cuh:9 (scan.ptx:8)');
  expect(citations([at('st.b'), at('st.d')])).toEqual(['scan.cuh:9 (scan.ptx:8)', 'scan.cuh:12 (scan.ptx:12)']);
  expect(citations([at('st.b'), at('st.b')])).toEqual(['scan.cuh:9 (scan.ptx:8)', 'scan.cuh:9 (scan.ptx:8)']);
});
