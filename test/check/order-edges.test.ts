import { describe, expect, it } from 'vitest';
import type { Model } from '../../src/cat/model.js';
import { checkTest } from '../../src/check/check-test.js';
import { ORDER_EDGES, restingOn } from '../../src/check/order-edges.js';
import type { OrderEdge } from '../../src/order/whole-run.js';
import { builtInModel, solver } from '../support.js';

const tested = (edge: OrderEdge, model: Model): readonly string[] | undefined =>
  restingOn(new Set([edge]), solver, model, {}, checkTest);

/** What orders nothing by default. */
const OFF: readonly OrderEdge[] = ['warp-exchange'];
const ON = ORDER_EDGES.filter((edge) => !OFF.includes(edge));

describe('the kinds of edges of must-order', () => {
  it.each(ON)('%s orders under the model of PTX 9.4', (edge) => {
    expect(tested(edge, builtInModel('ptx-9.4'))).toBeDefined();
  });

  it('rest on what the model infers', () => {
    const model = builtInModel('ptx-9.4');
    expect(tested('proxy-fence', model)).toContain('through-asynchronous');
    expect(tested('bulk-mbarrier', model)).toContain('completes');
    expect(tested('tensor-acquire', model)).toContain('completed-by-acquire');
    expect(tested('tensor-wait', model)).toEqual(['arrival-observed']);
    expect(tested('cta-barrier', model)).toEqual([]);
  });

  it.each([
    ['proxy-fence=thread', ['proxy-fence', 'pair-fence']],
    ['proxy-fence=writer', ['proxy-fence']],
    ['completion-fence=results', ['bulk-mbarrier', 'bulk-cluster', 'bulk-group', 'tensor-commit', 'tensor-pair']],
    ['pair-fence=issuer', ['pair-fence']],
    ['tcgen05-pipeline=9.3', ['tensor-operands', 'tensor-transfers']],
  ] as const)('are off where they do not order, as under %s', (variant, off) => {
    const model = builtInModel('ptx-9.4', new Set([variant]));
    expect(ON.filter((edge) => tested(edge, model) === undefined)).toEqual(off);
  });

  it('are on under variants where they order', () => {
    expect(tested('warp-exchange', builtInModel('ptx-9.4'))).toBeUndefined();
    const model = builtInModel('ptx-9.4', new Set(['warp-exchange=memory']));
    expect(tested('warp-exchange', model)).toEqual(['exchange-sync']);
  });
});
