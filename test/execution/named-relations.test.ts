import { describe, expect, it } from 'vitest';
import { checkTest } from '../../src/check/check-test.js';
import { BASE_SETS, STATIC_RELATIONS } from '../../src/execution/base-relations.js';
import { amongExecuted, executedThat } from '../../src/execution/named-relations.js';
import { builtInModel, programOf, solver } from '../support.js';

const TEXT = `PTX branch
{ .global .u32 x = 0; .global .u32 y = 0; }
P0 @ cta 0, gpu 0 {
  ld.relaxed.gpu.u32 r0, [x];
  setp.eq.u32 p0, r0, 0;
  @p0 bra END;
  st.relaxed.gpu.u32 [y], 1;
  st.relaxed.gpu.u32 [y], 2;
END: ld.relaxed.gpu.u32 r1, [y];
}
P1 @ cta 1, gpu 0 { st.relaxed.gpu.u32 [x], 1; }
permit (P0:r0 == 0)
permit (P0:r0 == 1)
`;

describe('the base sets and relations of one execution', () => {
  it('have its executed events, though they are worked out for all executions of a test at once', () => {
    const { conditions } = checkTest(solver, programOf(TEXT), builtInModel('ptx-9.4'));
    const executions = conditions.flatMap(({ witnesses }) => witnesses);
    const sizes = executions.map(({ executed }) => [...executed].length);
    expect(sizes[1]).toBe((sizes[0] ?? 0) + 2);
    // In both orders: what one asks first must not be what the other gets.
    for (const execution of [...executions, ...executions.toReversed()]) {
      const { universe, executed } = execution;
      const there = universe.events.filter(({ id }) => executed.has(id));
      for (const belongs of BASE_SETS.values())
        expect([...executedThat(execution, belongs)]).toEqual(there.filter(belongs).map(({ id }) => id));
      for (const related of STATIC_RELATIONS.values())
        expect([...amongExecuted(execution, related)]).toEqual(
          there.flatMap((a) => there.filter((b) => related(a, b)).map((b) => [a.id, b.id])),
        );
    }
  });
});
