import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { renderSvg } from '../../src/cli/render-svg.js';
import { drawable } from '../../src/explain/drawable.js';
import { dotGraph } from '../../src/report/graph/dot.js';
import { drawnEdges, type RelationChoice } from '../../src/report/graph/drawn-relations.js';
import { layOut } from '../../src/report/graph/layout.js';
import { overlap } from '../../src/report/graph/place-labels.js';
import { builtInModel, checkProgram, programOf, ROOT } from '../support.js';

const USUAL: RelationChoice = { show: undefined, hide: [] };
const ptx = builtInModel('ptx-9.4');

async function subjectsOf(path: string) {
  const program = programOf(readFileSync(join(ROOT, 'litmus', path), 'utf8'), path);
  return drawable(ptx, await checkProgram(program, ptx, { reasons: true }));
}

describe('the arrows of a picture', () => {
  it('are reduced: no program order that follows, coherence of threads only, the first overlooked write', async () => {
    const [subject] = await subjectsOf('classic/IRIW+rlx.gpu+rlx.gpu+fence.sc.gpu+fence.sc.gpu.litmus');
    if (subject === undefined) throw new Error('nothing to draw');
    const edges = drawnEdges(subject.execution, subject.named, USUAL, []);
    expect(edges.filter(({ relation }) => relation === 'po')).toHaveLength(4);
    expect(edges.every(({ weight }) => weight === 'plain')).toBe(true);
  });

  it('of a cycle are thick and all there, the others faded', async () => {
    const subject = (await subjectsOf('classic/SB+fence.sc.gpu+fence.sc.gpu.litmus')).find(
      ({ kind }) => kind === 'forbidden',
    );
    if (subject === undefined) throw new Error('nothing to draw');
    const edges = drawnEdges(subject.execution, subject.named, USUAL, subject.cycle);
    for (const { from, to, relation } of subject.cycle)
      expect(edges).toContainEqual({ from, to, relation, weight: 'thick' });
    expect(edges.some(({ weight }) => weight === 'plain')).toBe(false);
  });
});

describe('the svg', () => {
  it('has a box for each CTA, every event at its place in its column, and the cycle in thick lines', async () => {
    const subject = (await subjectsOf('classic/SB+fence.sc.gpu+fence.sc.gpu.litmus')).find(
      ({ kind }) => kind === 'forbidden',
    );
    if (subject === undefined) throw new Error('nothing to draw');
    const edges = drawnEdges(subject.execution, subject.named, USUAL, subject.cycle);
    const dot = dotGraph(subject.execution, edges, { theme: 'herd', title: 'SB <&> "quotes"' });
    const svg = await renderSvg(dot);
    expect(svg).toMatch(/^<\?xml|^<svg|<svg /);
    expect([...svg.matchAll(/class="cluster"/g)]).toHaveLength(2);
    const across = new Map(
      [...dot.matchAll(/>([a-f]): .*pos="([\d.]+),/g)].map(([, letter, x]) => [letter, Number(x)]),
    );
    expect([...svg.matchAll(/>([a-f]): /g)].map(([, letter]) => letter).sort()).toEqual([...across.keys()].sort());
    expect([...across.keys()].sort()).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
    expect([across.get('b'), across.get('c')]).toEqual([across.get('a'), across.get('a')]);
    expect(across.get('e')).toBe(across.get('d'));
    expect(across.get('d')).toBeGreaterThan(across.get('a') ?? Number.POSITIVE_INFINITY);
    expect([...svg.matchAll(/stroke-width="3"/g)].length).toBeGreaterThanOrEqual(subject.cycle.length);
    expect(svg).toContain('SB &lt;&amp;&gt;');
  });
});

describe('a picture of many events', () => {
  const PIPELINE = 'kernels/gemm+1-stage+2-iterations+no-proxy-fence.litmus';

  it('has the asynchronous operations in a column of their own, each in one node beside its issue', async () => {
    const [subject] = await subjectsOf(PIPELINE);
    if (subject === undefined) throw new Error('nothing to draw');
    const { columns } = layOut(subject.execution, true);
    expect(columns.map(({ title, cells }) => [title, cells.map(({ events }) => events.length)])).toEqual([
      ['P0', [1, 1, 1, 1, 1, 1]],
      ['P0, asynchronous', [5, 5]],
      ['P1', [1, 1, 1, 1]],
    ]);
    const rowOf = (column: number, text: string): readonly number[] =>
      (columns[column]?.cells ?? []).flatMap(({ events, row }) => (events[0]?.text.includes(text) ? [row] : []));
    expect(rowOf(1, 'R.weak.async')).toEqual(rowOf(0, 'issue'));
  });

  it('draws of a branch what it decides first, and of a copy one arrow of a kind', async () => {
    const [subject] = await subjectsOf(PIPELINE);
    if (subject === undefined) throw new Error('nothing to draw');
    const dot = dotGraph(subject.execution, drawnEdges(subject.execution, subject.named, USUAL, []), {
      theme: 'herd',
      title: 'pipeline',
    });
    const arrows = (relation: string): number => [...dot.matchAll(new RegExp(`label="${relation}"`, 'g'))].length;
    expect([arrows('ctrl'), arrows('issue'), arrows('done')]).toEqual([3, 2, 1]);
    expect(dot).toContain('line 25: ld.shared.u64 %rd1, [tile]');
  });

  it.each([
    PIPELINE,
    'kernels/gemm+2-stages+2-iterations.litmus',
    'kernels/multicast+2-iterations.litmus',
    'kernels/ticket-lock.litmus',
    'classic/IRIW+rlx.gpu+rlx.gpu+fence.sc.gpu+fence.sc.gpu.litmus',
  ])('has no label on another: %s', async (path) => {
    for (const { execution, named, cycle } of await subjectsOf(path)) {
      const edges = drawnEdges(execution, named, USUAL, cycle);
      const svg = await renderSvg(dotGraph(execution, edges, { theme: 'herd', title: path }));
      const labels = [...svg.matchAll(/<text [^>]*x="([-\d.]+)" y="([-\d.]+)"[^>]*font-size="10.00"[^>]*>([^<]*)</g)];
      const areas = labels.map(([, x, y, text = '']) => ({
        text,
        x: Number(x),
        y: Number(y),
        width: text.length * 5.5,
        height: 10,
      }));
      expect(areas.length).toBeGreaterThan(5);
      const clashes = areas.flatMap((a, i) =>
        areas.slice(i + 1).flatMap((b) => (overlap(a, b) ? [`${a.text} ${b.text}`] : [])),
      );
      expect(clashes).toEqual([]);
    }
  });
});
