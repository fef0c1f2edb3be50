import { mutateJudged } from '../mutation.mjs';
import { ORDER_MUTANTS } from './order-mutants.mjs';

/**
 * Puts each deliberate mistake of order-mutants.mjs into the code that follows launches and orders what they do, and
 * looks for a kernel of which something else is said then.
 *
 * node test/order/mutate-order.mjs [pattern of mutants]
 */
await mutateJudged('test/order/judge-order.ts', 'order/judge', ORDER_MUTANTS, process.argv[2]);
