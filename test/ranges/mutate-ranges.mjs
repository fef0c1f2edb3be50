import { mutateJudged } from '../mutation.mjs';
import { RANGE_MUTANTS } from './range-mutants.mjs';

/**
 * Puts each deliberate mistake of range-mutants.mjs into what tells which values are alike, and looks for a kernel of
 * which something else is said then.
 *
 * node test/ranges/mutate-ranges.mjs [pattern of mutants]
 */
await mutateJudged('test/ranges/judge-ranges.ts', 'judge-ranges', RANGE_MUTANTS, process.argv[2]);
