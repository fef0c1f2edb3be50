import { checkOperationally } from '../../src/check/check-operationally.js';
import { checkTest } from '../../src/check/check-test.js';
import { loadTests } from '../../src/check/load-tests.js';
import { Random } from '../../src/generate/random.js';
import { hangs, type ReferencePromise } from '../reference/forward-progress.js';
import { cellsOf, endsUnder, IDIOMS, MODELS } from './idioms.js';
import { BY_ORDER, deadlockOf } from './launch-kernels.js';
import { drawLoopingProgram, FOUND, writeLoopingProgram } from './looping-programs.js';
import { MODEL, solver } from './model.js';

/** What notices a mistake: an idiom, a launch, or a generated program; undefined: nothing does. */
export function noticed(programs: number): string | undefined {
  try {
    return noticedByIdioms() ?? noticedByFound() ?? noticedByLaunches() ?? noticedByPrograms(programs);
  } catch (thrown) {
    return `an error: ${String(thrown).split('\n')[0]}`;
  }
}

function noticedByIdioms(): string | undefined {
  for (const name of IDIOMS)
    for (const [i, model] of MODELS.entries()) {
      const { axioms, machine } = endsUnder(name, model);
      const cell = cellsOf(name)[i];
      if (axioms !== cell || machine !== cell) return `${name} under ${model}`;
    }
  return undefined;
}

/** With a condition beside, the formula is asked, and the machine by all that it can do. */
function noticedByFound(): string | undefined {
  for (const [what, drawn, text, promise] of FOUND) {
    const source = { path: 'a', text: `${writeLoopingProgram(drawn, text)}exists (x == 0)\n` };
    const [program] = loadTests(source).value ?? [];
    if (program === undefined) return 'a program that is not read';
    const word = hangs(drawn, [promise])[0] === true ? 'broken' : 'met';
    for (const { expectations } of [checkTest(solver, program, MODEL, {}), checkOperationally(program, MODEL)])
      if (expectations[0]?.outcome !== word) return what;
  }
  return undefined;
}

function noticedByLaunches(): string | undefined {
  if (deadlockOf('a grid barrier', 4).provided === undefined) return 'the condition of a grid barrier';
  for (const [kernel, promise, outcome, place = ''] of BY_ORDER)
    if (deadlockOf(kernel, 4, { promise, place }).outcome !== outcome) return `${kernel}${place} under ${promise}`;
  return undefined;
}

const LEVELS: readonly (readonly [string, ReferencePromise])[] = [
  ['gpu=hsa', { gpu: 'hsa' }],
  ['gpu=hsa-obe', { gpu: 'hsa-obe' }],
  ['cta=hsa', { cta: 'hsa' }],
  ['gpu=hsa,cta=obe', { gpu: 'hsa', cta: 'obe' }],
];

function noticedByPrograms(programs: number): string | undefined {
  const random = new Random(1);
  for (let i = 0; i < programs; i++) {
    const drawn = drawLoopingProgram(random);
    const ctas = new Set(drawn.threads.map(({ cta }) => cta)).size;
    const hasBoth = ctas > 1 && ctas < drawn.threads.length;
    const promises: (readonly [string, ReferencePromise])[] = MODELS.map((one) => [one, one]);
    if (hasBoth) promises.push(...LEVELS);
    const expected = hangs(
      drawn,
      promises.map(([, promise]) => promise),
    );
    for (const [place, [promise]] of promises.entries()) {
      const [program] = loadTests({ path: 'a', text: writeLoopingProgram(drawn, promise) }).value ?? [];
      if (program === undefined) return 'a program that is not read';
      const [axioms] = checkTest(solver, program, MODEL, {}).expectations;
      const [machine] = checkOperationally(program, MODEL).expectations;
      const word = expected[place] === true ? 'broken' : 'met';
      if (axioms?.outcome !== word || machine?.outcome !== word) return `program ${i} under ${promise}`;
    }
  }
  return undefined;
}
