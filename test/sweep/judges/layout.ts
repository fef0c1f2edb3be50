import { expect } from 'vitest';
import { drawable } from '../../../src/explain/drawable.js';
import { asciiGraph } from '../../../src/report/graph/ascii.js';
import { drawnEdges, type RelationChoice } from '../../../src/report/graph/drawn-relations.js';
import { layOut } from '../../../src/report/graph/layout.js';
import { builtInModel } from '../../support.js';
import type { Judge } from '../judge.js';

const USUAL: RelationChoice = { show: undefined, hide: [] };

export const layoutIsInOrder: Judge = {
  name: 'its pictures have every event of a thread once, from top to bottom, and barriers that meet in one row',
  every: 9,
  judge(test, count) {
    for (const { execution } of drawable(builtInModel('ptx-9.4'), test.result())) {
      const { columns } = layOut(execution);
      const places = new Map(
        columns.flatMap(({ cells }) => cells.flatMap(({ events, row }) => events.map(({ id }) => [id, row] as const))),
      );
      for (const { cells } of columns)
        expect(cells.every(({ row }, i) => i === 0 || row > (cells[i - 1]?.row ?? 0))).toBe(true);
      const { barrierSynchronization: meets } = execution.relations;
      for (const [a, b] of meets) if (meets.has(b, a)) expect(places.get(a)).toEqual(places.get(b));
      const lines = asciiGraph(execution, drawnEdges(execution, new Map(), USUAL, []));
      expect(new Set(lines.map((line) => line.length)).size).toBeLessThanOrEqual(2 * columns.length);
      count('pictures');
    }
  },
};
