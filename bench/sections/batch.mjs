import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { exploreProgram } from '../../build/check/check-operationally.js';
import { Cdcl, checkTest, loadTests, Z3 } from '../../build/library/index.js';
import { loadModel } from '../../build/library/node.js';
import { at, median, ROOT } from '../measure.mjs';

/** Suites in one process, reading included, and the floor: z3 in the place of our solver, and plain enumeration. */
export const title = 'Suites in one process, warm: seconds a test (a question: condition, race, undefined, deadlock)';

const SUITES = [
  ['litmus', join(ROOT, 'litmus'), '.litmus', 'ptx-9.4'],
  ['nvlitmus', join(ROOT, '../shared/corpus/nvlitmus'), '.test', 'ptx-7.5'],
  ['Dat3M', join(ROOT, '../shared/corpus/dat3m/Nvidia'), '.litmus', 'ptx-7.5'],
];
const clock = () => performance.now();

export async function* rows() {
  const z3 = await Z3.start();
  const cdcl = new Cdcl();
  for (const [name, folder, extension, modelName] of SUITES) {
    if (!existsSync(folder)) continue;
    const { value: model } = loadModel(modelName);
    const sources = readdirSync(folder, { recursive: true })
      .filter((file) => file.endsWith(extension))
      .map((path) => ({ path, text: readFileSync(join(folder, path), 'utf8') }));
    const measured = (check) =>
      sources.flatMap((source) => {
        const start = clock();
        const programs = loadTests(source).value ?? [];
        const questions = programs.map((program) => check(program)).reduce((sum, count) => sum + count, 0);
        return programs.length === 0 ? [] : [{ seconds: (clock() - start) / 1000, questions, tests: programs.length }];
      });
    const decide = (solver, states) => (program) => {
      const { conditions, expectations } = checkTest(solver, program, model, { clock, timeout: 60_000, states });
      // Whether the test is defined is asked of each.
      return conditions.length + expectations.length + 1;
    };
    const enumerate = (program) => {
      exploreProgram(program, model, { unroll: 3, timeout: 60_000, clock });
      return 1;
    };
    measured(decide(cdcl, false));
    const verdicts = measured(decide(cdcl, false));
    const each = (list) => list.map(({ seconds, tests }) => seconds / tests);
    yield { name: `${name}: a question, median`, seconds: median(verdicts.map((one) => one.seconds / one.questions)) };
    yield {
      name: `${name}: a question, 99 of 100`,
      seconds: at(
        verdicts.map((o) => o.seconds / o.questions),
        0.99,
      ),
    };
    yield { name: `${name}: a test, median`, seconds: median(each(verdicts)) };
    yield { name: `${name}: a test, 99 of 100`, seconds: at(each(verdicts), 0.99) };
    yield { name: `${name}: a test with all states, median`, seconds: median(each(measured(decide(cdcl, true)))) };
    yield { name: `${name}: a test with z3, median`, seconds: median(each(measured(decide(z3, false)))) };
    yield { name: `${name}: read and enumerated by the machine, median`, seconds: median(each(measured(enumerate))) };
    yield { name: `${name}: all of it`, seconds: verdicts.reduce((sum, { seconds }) => sum + seconds, 0) };
  }
}
