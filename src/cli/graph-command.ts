import { extname, join } from 'node:path';
import type { Model } from '../cat/model.js';
import { checkTest } from '../check/check-test.js';
import type { TestResult } from '../check/result.js';
import { didYouMean } from '../diagnostics/nearest.js';
import { UsageError } from '../diagnostics/usage-error.js';
import { drawable, type Subject } from '../explain/drawable.js';
import { writeText } from '../files/write-text.js';
import { isByRun } from '../library/explain-test.js';
import { describeUndecided } from '../program/undecided.js';
import { asciiGraph } from '../report/graph/ascii.js';
import { dotGraph } from '../report/graph/dot.js';
import { drawnEdges, type RelationChoice } from '../report/graph/drawn-relations.js';
import { THEMES } from '../report/graph/themes.js';
import { limitsOf } from '../suite/limits.js';
import { startSolver } from '../suite/start-solver.js';
import { type ArgumentsOf, defineCommand } from './command.js';
import { EXIT_CODES, type ExitCode } from './exit-codes.js';
import { oneOf, text } from './option.js';
import { ONE_TEST } from './options.js';
import { readOneModel, readOneTest } from './read-input.js';
import { renderSvg } from './render-svg.js';

const OPTIONS = {
  ...ONE_TEST.options,
  format: oneOf(['ascii', 'dot', 'svg'], 'ascii', 'text, the input of Graphviz, or a picture'),
  of: oneOf(
    ['witness', 'forbidden', 'all'],
    'all',
    'what allowed outcomes have, what forbidden ones would need, or both',
  ),
  theme: oneOf(THEMES, 'herd', 'colors'),
  'show-rel': text('relations in place of the usual ones, such as po,rf,sync; rel- reduced, rel+ closed'),
  'hide-rel': { ...text('relations to leave out'), default: '' },
  out: text('a file, or a folder where there are several pictures', 'o'),
};
type GraphArguments = ArgumentsOf<typeof ONE_TEST.positionals> & ArgumentsOf<typeof OPTIONS>;

export const graphCommand = defineCommand({
  usage: 'graph <path>',
  describe: 'draw the executions of a test',
  positionals: ONE_TEST.positionals,
  options: OPTIONS,
  run: runGraph,
});

/**
 * Draws, for each condition, an execution that does what it speaks of, or the nearest one that would and the cycle that
 * rules it out.
 */
async function runGraph(args: GraphArguments): Promise<ExitCode> {
  const starting = startSolver(args.solver);
  const program = await readOneTest('graph', args);
  const model = readOneModel(args.model, args);
  if (program === undefined || model === undefined) return EXIT_CODES.usage;
  const options = {
    unroll: args.unroll,
    ...limitsOf(args),
    states: false,
    reasons: true,
    simplest: true,
    follow: isByRun(program, args.maxThreads),
  };
  const result = checkTest(await starting, program, model, options);
  const subjects = drawable(model, result).filter(({ kind }) => args.of === 'all' || kind === args.of);
  if (subjects.length === 0) {
    process.stderr.write(`${program.name}: ${nothingToDraw(result, args.of)}\n`);
    return EXIT_CODES.undecided;
  }
  const choice = chosenRelations(model, subjects, args);
  const pictures: { readonly name: string; readonly text: string }[] = [];
  for (const [i, subject] of subjects.entries()) {
    const name = `${program.name}.${subject.name ?? i + 1}.${subject.kind}`.replace(/[^\w.+-]/g, '_');
    pictures.push({
      name: `${name}.${args.format === 'ascii' ? 'txt' : args.format}`,
      text: await draw(subject, choice, args),
    });
  }
  write(pictures, args.out);
  return EXIT_CODES.good;
}

function nothingToDraw({ undefinedBy, conditions }: TestResult, of: GraphArguments['of']): string {
  if (undefinedBy !== undefined) return `undefined: ${undefinedBy.sentence}; there is no execution to draw`;
  if (conditions.length === 0) return 'nothing to draw: the test has no condition; ask with --condition';
  const reasons = [
    ...new Set(conditions.flatMap(({ undecided }) => (undecided === undefined ? [] : [describeUndecided(undecided)]))),
  ];
  if (reasons.length > 0) return `nothing to draw: ${reasons.join('; ')}`;
  return of === 'all'
    ? 'nothing to draw: the program itself rules out what its conditions speak of, or no execution ends'
    : `nothing to draw: no condition has a ${of} execution; try --of all`;
}

async function draw(
  { execution, cycle, named, title, marked }: Subject,
  choice: RelationChoice,
  { format, theme }: GraphArguments,
): Promise<string> {
  const edges = drawnEdges(execution, named, choice, cycle);
  if (format === 'ascii') {
    const shown = new Set(choice.show?.map((name) => name.replace(/[-+]$/, '')));
    return `${title}\n\n${asciiGraph(execution, edges, shown).join('\n')}\n`;
  }
  const dot = dotGraph(execution, edges, { theme, title, marked });
  return format === 'dot' ? dot : renderSvg(dot);
}

function chosenRelations(
  model: Model,
  subjects: readonly Subject[],
  { showRel: show, hideRel: hide }: GraphArguments,
): RelationChoice {
  const known = [...new Set(subjects.flatMap(({ named }) => [...named.keys()]))];
  const listed = (text: string): readonly string[] =>
    text
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '');
  for (const name of [...listed(show ?? ''), ...listed(hide)]) {
    const plain = name.replace(/[-+]$/, '');
    if (!known.includes(name) && !known.includes(plain))
      throw new UsageError(
        `no relation ${plain} in ${model.name}; ` +
          `${didYouMean(plain, known) ?? `there are ${[...known].sort().join(', ')}`}`,
      );
  }
  return { show: show === undefined ? undefined : listed(show), hide: listed(hide) };
}

/** One picture to a file or to standard output; several into a folder, or one after the other. */
function write(pictures: readonly { readonly name: string; readonly text: string }[], out: string | undefined): void {
  const [only] = pictures;
  if (out === undefined) process.stdout.write(pictures.map(({ text }) => text).join('\n'));
  else if (extname(out) !== '') {
    if (pictures.length > 1 || only === undefined)
      throw new UsageError(
        `there are ${pictures.length} pictures: name a folder for them instead of ${out}, or choose one with ` +
          '--of or --condition',
      );
    writeText(out, only.text);
  } else {
    for (const { name, text } of pictures) writeText(join(out, name), text);
    process.stdout.write(pictures.map(({ name }) => `${join(out, name)}\n`).join(''));
  }
}
