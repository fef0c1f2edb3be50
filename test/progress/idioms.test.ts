import { describe, expect, it } from 'vitest';
import { cellsOf, endsUnder, IDIOMS, MODELS, PAGE } from './idioms.js';

describe('the idioms of docs/forward-progress.md', () => {
  it('are those of litmus/progress', () => {
    const rows = [...PAGE.matchAll(/^\| `([\w+-]+)` \|/gm)].map(([, name]) => name);
    expect(rows.filter((name) => name !== undefined && IDIOMS.includes(name)).sort()).toEqual(IDIOMS);
  });

  for (const name of IDIOMS)
    it(`${name} ends under the models that the page says`, () => {
      const cells = MODELS.map((model) => {
        const { axioms, machine } = endsUnder(name, model);
        expect(machine, model).toBe(axioms);
        return axioms;
      });
      expect(cells).toEqual(cellsOf(name));
    });
});
