/** What the dynamic checkers of compute-sanitizer have said of our kernel tests, beside what the tests expect. */

/** The tools of a run, and what a report of each is of: what a test must expect so that the report has found it. */
export const FITS = {
  racecheck: ['race'],
  memcheck: ['undefined'],
  synccheck: ['undefined', 'deadlock'],
  initcheck: ['uninitialized'],
};
export const TOOLS = ['plain', ...Object.keys(FITS)];

const HEADER = /^=== (\S+) (\S+) (?:status (\d+) seconds ([\d.]+)|not run: (.*))$/;

/** The runs of `sanitizer.txt` (src/export/runner/sanitize.sh writes it), and what it says of the machine. */
export function readSanitizer(text) {
  const runs = [];
  const remarks = [];
  for (const line of text.split('\n')) {
    const [, test, tool, status, seconds, reason] = HEADER.exec(line) ?? [];
    if (test !== undefined)
      runs.push(
        reason === undefined
          ? { test, tool, status: Number(status), seconds: Number(seconds), lines: [] }
          : { test, tool, reason, lines: [] },
      );
    else if (line.startsWith('### ')) remarks.push(line.slice(4));
    else if (line !== '') runs.at(-1)?.lines.push(line);
  }
  if (runs.length === 0 && remarks.length === 0)
    throw new Error('no run was found: expected what sanitize.sh writes, with lines that begin with ===');
  return { runs, remarks };
}

/** A line that begins a report: those that go on with it are indented. */
const REPORT = /^========= (?=\S)/;
/** What is said of the run itself, and calls of CUDA that fail, which the program notices by itself. */
const NO_REPORT =
  /^========= (?:COMPUTE-SANITIZER|\w+ SUMMARY|Program hit|Target application|Internal Sanitizer|Unable|Note|No )/;

/** The reports of a run, by their first lines. */
export const reportsOf = ({ lines }) => lines.filter((line) => REPORT.test(line) && !NO_REPORT.test(line));

/** How a run of a test ended, of which is known what it expects. */
export function judge(run, expects) {
  if (run === undefined || run.reason !== undefined) return 'not run';
  const reports = reportsOf(run);
  const wrong = expects.filter((one) => !one.startsWith('no-'));
  const isHung = run.status === 3 || run.status === 124 || run.status === 137;
  if (run.tool === 'plain') return isHung ? 'hung' : run.status === 0 ? 'ended' : 'failed';
  if (reports.length > 0) {
    if (wrong.length === 0) return 'false';
    return wrong.some((one) => FITS[run.tool].includes(one)) ? 'found' : 'other';
  }
  if (isHung) return 'hung';
  if (!run.lines.some((line) => line.includes('SUMMARY'))) return 'refused';
  // The program has ended by an error that it was told of: so it does without the checker.
  if (run.lines.some((line) => line.startsWith('FAILED'))) return 'failed';
  return wrong.length === 0 ? 'clean' : 'missed';
}

/** Our answer, of a result of `check -f json`. */
export function judgeOurs({ expectations, conditions }) {
  const wrong = expectations.filter(({ expected }) => !expected.startsWith('no-'));
  const answers = [...expectations.map(({ met }) => met), ...conditions.map(({ expectation }) => expectation?.met)];
  if (wrong.length > 0) return wrong.every(({ met }) => met === true) ? 'found' : 'missed';
  if (answers.some((met) => met === false)) return 'false';
  return answers.every((met) => met === true || met === undefined) ? 'clean' : 'undecided';
}

/**
 * In which memory the race of a test is, by the instructions that `check -v` prints of it: one that names shared memory
 * is enough, since the other one may have a generic address.
 */
export function readRaces(text) {
  const races = new Map();
  let test;
  let isRace = false;
  for (const line of text.split('\n')) {
    const [, name] = /^(\S+) {3}\S/.exec(line) ?? [];
    if (name !== undefined) test = name;
    if (!line.startsWith('    ')) isRace = line.startsWith('  expect race: met');
    const [, instruction] = (isRace ? /ptx:\d+\)?: (.*)/.exec(line) : undefined) ?? [];
    if (instruction === undefined) continue;
    const space = ['shared', 'tcgen05'].find((word) => instruction.includes(word)) ?? 'global';
    if (races.get(test) !== 'shared') races.set(test, space === 'tcgen05' ? 'tensor' : space);
  }
  return races;
}

const columns = ['ours', ...TOOLS];
const COUNTED = 'found other missed clean false hung failed ended refused undecided'.split(' ').concat('not run');

/** The table: a row for each test of `check -f json`, and how often each column says what. */
export function tableOf({ runs, remarks }, results, races = new Map()) {
  const byKey = new Map(runs.map((run) => [`${run.test} ${run.tool}`, run]));
  const rows = results.map((result) => {
    const name = result.test.name.replace(/\s+/g, '_');
    const expects = result.expectations.map(({ expected }) => expected);
    const wrong = expects.filter((one) => !one.startsWith('no-'));
    const cells = TOOLS.map((tool) => judge(byKey.get(`${name} ${tool}`), expects));
    const race = races.get(result.test.name);
    const shown = wrong.map((one) => (one === 'race' && race !== undefined ? `race (${race})` : one));
    return {
      ...{ name, race: wrong.includes('race') ? (race ?? 'memory that is not known') : undefined },
      ...{ expects: shown.length === 0 ? 'right' : shown.join(', '), cells: [judgeOurs(result), ...cells] },
    };
  });
  const line = (cells) => `| ${cells.join(' | ')} |`;
  const totals = COUNTED.map((word) => [
    word,
    ...columns.map((_, at) => rows.filter(({ cells }) => cells[at] === word).length),
  ]).filter(([, ...counts]) => counts.some((count) => count > 0));
  return [
    ...remarks.map((remark) => `> ${remark}`),
    ...(remarks.length > 0 ? [''] : []),
    line(['kernel test', 'expects', ...columns]),
    line(['kernel test', 'expects', ...columns].map(() => '---')),
    ...rows.map(({ name, expects, cells }) => line([name, expects, ...cells])),
    '',
    line([`of ${rows.length}`, ...columns]),
    line(['', ...columns].map(() => '---')),
    ...totals.map((cells) => line(cells)),
    '',
    ...racesFound(rows),
    ...reportsSeen(runs),
    ...MEANING,
  ].join('\n');
}

/** What racecheck is for, apart: races in shared memory. */
function racesFound(rows) {
  const at = columns.indexOf('racecheck');
  const spaces = [...new Set(rows.flatMap(({ race }) => race ?? []))].sort();
  return spaces.map((space) => {
    const all = rows.filter(({ race, cells }) => race === space && cells[at] !== 'not run');
    const found = all.filter(({ cells }) => cells[at] === 'found').length;
    return `* Races in ${space}: racecheck has run on ${all.length} tests with one, and found ${found}.`;
  });
}

/** How often each checker has said what, without where. */
function reportsSeen(runs) {
  const seen = new Map();
  for (const run of runs)
    for (const line of reportsOf(run)) {
      const words = line.replace(REPORT, '').replace(/ (?:at|between|on|in|by) .*$/, '');
      const key = `${run.tool}: ${words}`;
      seen.set(key, (seen.get(key) ?? 0) + 1);
    }
  return [...seen].sort().map(([key, count]) => `* ${count} times ${key}`);
}

const MEANING = `
* \`found\`: a report in a test that expects that kind of mistake: of racecheck a hazard where a race is expected, of
  memcheck an access and of synccheck a barrier where undefined behavior is (synccheck: or a deadlock), of initcheck a
  read of what nothing has written. \`other\`: a report of another kind in a test that has a mistake.
* \`missed\`: no report in a test that has a mistake; racecheck looks at shared memory alone, so that it cannot find a
  race in global memory. \`false\`: a report on a test that is right; \`clean\`: none there.
* \`hung\`: not ended in the time that was given, and nothing reported. \`failed\`: ended by an error of CUDA, and
  nothing reported. \`ended\`: by itself. \`refused\`: the checker did not get to its summary.
* Each run is one schedule, of all threads of the launch; ours is about all executions, of the threads that the test
  names where it names some. What a test expects is what its authors know of it: our column is
  what the suite holds us to.`
  .trim()
  .split('\n');
