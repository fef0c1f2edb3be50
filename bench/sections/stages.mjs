import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import { exploreProgram } from '../../build/check/check-operationally.js';
import { withModules } from '../../build/files/read-modules.js';
import { generateTests } from '../../build/generate/generate-tests.js';
import { loadTests } from '../../build/library/index.js';
import { loadModel } from '../../build/library/node.js';
import { Decider } from '../../build/suite/decider.js';
import { settingsOfModel } from '../../build/suite/job.js';
import { splitTests } from '../../build/syntax/split-tests.js';
import { ROOT } from '../measure.mjs';

/** Where the time of a test goes, by the calls that a sample is under: the innermost of these counts. */
export const title = 'Stages of a test, one process that has decided nothing before: seconds a test';

const STAGES = [
  ['reading', ['parsed', 'parseNvlitmus', 'splitTests', 'withModules']],
  ['building', ['readWhole', 'understood']],
  ['unrolling and values', ['buildEvents', 'analyzeValues']],
  ['encoding', ['encodeExecution', 'encodeModel', 'upToSymmetry']],
  ['deciding', ['question', 'solver']],
  ['running again', ['verified', 'conditionsInTurn']],
  ['confirming', ['confirm']],
  ['telling', ['reportedTest', 'keptAnswer']],
];
const STAGE_OF = new Map(STAGES.flatMap(([stage, calls]) => calls.map((call) => [call, stage])));

const inFolder = (folder, suffix) =>
  readdirSync(folder, { recursive: true })
    .filter((file) => file.endsWith(suffix))
    .map((file) => join(folder, file))
    .map((path) => ({ path, text: readFileSync(path, 'utf8') }));
const drawn = (count) => {
  const tests = [];
  for (const { name, text } of generateTests({ seed: 39, families: ['program', 'chain', 'ring'] })) {
    if (tests.push({ path: `${name}.litmus`, text }) === count) return tests;
  }
  return tests;
};
const SHARED = join(ROOT, '../shared/corpus');
const SUITES = [
  [
    'litmus, kernels apart',
    () => inFolder(join(ROOT, 'litmus'), '.litmus').filter(({ path }) => !isKernel(path)),
    '9.4',
  ],
  ['kernels', () => inFolder(join(ROOT, 'litmus'), '.litmus').filter(({ path }) => isKernel(path)), '9.4'],
  ['Dat3M', () => (existsSync(SHARED) ? inFolder(join(SHARED, 'dat3m'), '.litmus') : []), '7.5'],
  ['nvlitmus', () => (existsSync(SHARED) ? inFolder(join(SHARED, 'nvlitmus'), '.test') : []), '7.5'],
  ['1,000 random', () => drawn(1000), '9.4'],
];
const isKernel = (path) => /\/(kernels|compiled)\//.test(path);

const SETTINGS = {
  ...{ unroll: 3, timeout: 60, memory: undefined, solver: 'confirmed', engine: 'axiomatic', decide: 'order' },
  ...{ openChoices: false, witnesses: 1, condition: undefined, emitSmt2: undefined, full: 'none', callers: false },
  ...{ reasons: false, herd: false, pages: 'none', json: false, times: false, strict: false, ownModels: [] },
};

export async function* rows() {
  for (const [name, sources, version] of SUITES) {
    const { value: model } = loadModel(`ptx-${version}`);
    const tests = sources().flatMap((source) => splitTests(source).map((one) => withModules(one, {})));
    if (tests.length === 0) continue;
    const seconds = async (states) => {
      const decider = await Decider.start('check', [{ ...SETTINGS, states, ...settingsOfModel(model, []) }]);
      const start = performance.now();
      for (const source of tests) await decider.answer({ task: { source }, under: 0 });
      return (performance.now() - start) / 1000 / tests.length;
    };
    const session = new Session();
    session.connect();
    await session.post('Profiler.enable');
    await session.post('Profiler.setSamplingInterval', { interval: 500 });
    await session.post('Profiler.start');
    const verdict = await seconds(false);
    const { profile } = await session.post('Profiler.stop');
    session.disconnect();
    yield { name: `${name} (${tests.length}): a verdict`, seconds: verdict };
    const shares = sharesOf(profile);
    for (const [stage, share] of shares) yield { name: `${name}: … ${stage}`, seconds: verdict * share };
    yield { name: `${name}: all final states`, seconds: await seconds(true) };
    const start = performance.now();
    for (const source of tests) {
      for (const program of loadTests(source).value ?? [])
        exploreProgram(program, model, { unroll: 3, timeout: 2_000, clock: () => performance.now() });
    }
    yield { name: `${name}: read and enumerated`, seconds: (performance.now() - start) / 1000 / tests.length };
  }
}

/** The share of each stage in the samples of a profile; what is under none is `else`. */
function sharesOf({ nodes, samples, timeDeltas }) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parent = new Map(nodes.flatMap(({ id, children }) => (children ?? []).map((child) => [child, id])));
  const stages = new Map();
  const stageOf = (id) => {
    const known = stages.get(id);
    if (known !== undefined) return known;
    const { functionName } = byId.get(id).callFrame;
    const own = functionName === '(garbage collector)' ? 'collecting garbage' : STAGE_OF.get(functionName);
    const found = own ?? (parent.has(id) ? stageOf(parent.get(id)) : 'else');
    stages.set(id, found);
    return found;
  };
  const times = new Map([...STAGES.map(([stage]) => stage), 'collecting garbage', 'else'].map((stage) => [stage, 0]));
  let all = 0;
  samples.forEach((id, i) => {
    const time = timeDeltas[i];
    all += time;
    times.set(stageOf(id), times.get(stageOf(id)) + time);
  });
  return [...times].map(([stage, time]) => [stage, time / all]);
}
