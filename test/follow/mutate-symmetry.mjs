import { mutateJudged } from '../mutation.mjs';
import { SYMMETRY_MUTANTS } from './symmetry-mutants.mjs';

/**
 * Puts each deliberate mistake of symmetry-mutants.mjs into what tells which threads are like others, and looks for a
 * kernel of which something else is said then.
 *
 * node test/follow/mutate-symmetry.mjs [pattern of mutants]
 */
await mutateJudged('test/follow/judge-symmetry.ts', 'judge-symmetry', SYMMETRY_MUTANTS, process.argv[2]);
