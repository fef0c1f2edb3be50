import { advise } from '../advise/advise.js';
import { patched } from '../advise/patch.js';
import type { Suggestion } from '../advise/suggestion.js';
import { Judge } from '../advise/verdicts.js';
import type { SatSolver } from '../axiomatic/solver/solver.js';
import type { Model } from '../cat/model.js';
import type { Include } from '../cat/resolve-model.js';
import { leftOut, notThere } from '../check/answer-scope.js';
import { machineContextOf } from '../check/check-operationally.js';
import { type CheckOptions, checkTest } from '../check/check-test.js';
import { DEFAULT_UNROLL } from '../check/limits.js';
import { loadTests, type Wants } from '../check/load-tests.js';
import type { TestResult } from '../check/result.js';
import type { Diagnosed } from '../diagnostics/diagnostic.js';
import { drawable } from '../explain/drawable.js';
import { completionsAt } from '../language/completions.js';
import { diagnose } from '../language/diagnose.js';
import { hoverAt } from '../language/hover.js';
import { compareModels } from '../library/compare-models.js';
import { explainTest, isByRun } from '../library/explain-test.js';
import { outcomesOf } from '../operational/outcomes.js';
import type { Program } from '../program/program.js';
import { describeUndecided } from '../program/undecided.js';
import { reportAdvice } from '../report/advice.js';
import { reportedComparison } from '../report/comparison.js';
import { stateLine } from '../report/describe-state.js';
import { drawnEdges } from '../report/graph/drawn-relations.js';
import { svgGraph } from '../report/graph/svg.js';
import { choicesFrom, endOf, firstRun } from '../report/machine-steps.js';
import { type ReportedClaim, reportedTest } from '../report/reported-test.js';
import { COLORED } from '../report/text.js';
import { plural } from '../report/words.js';
import { findingsOf } from './findings.js';
import { marksOf } from './marks.js';
import type {
  About,
  Answered,
  Asked,
  Change,
  Comparison,
  Draft,
  MachinePlace,
  ModelDraft,
  Picture,
  QuestionKind,
  Questions,
} from './questions.js';
import { sourceOf } from './source-of.js';

/** Who has models: their texts come with the package, or with the page. */
export interface Models {
  load(model: ModelDraft): Diagnosed<Model>;
  /** What a model includes, by the path that it names it by. */
  readonly include: Include;
}

/** What a test may take before it is undecided, in milliseconds. */
const TIMEOUT = 10_000;
const TOOL = { name: 'ptx-litmus', version: '', solver: '' };
const REPORT = {
  ...{ tool: TOOL, hashOf: () => '', md5: () => '', witnesses: 1 },
  ...{ full: true, callers: false, herd: false, json: false, times: true },
};

type Given<Kind extends QuestionKind> = Questions[Kind]['gives'];
type Taken<Kind extends QuestionKind> = Questions[Kind]['takes'];

/** Answers what is asked of drafts, one question after the other. */
export class Answers {
  constructor(
    private readonly models: Models,
    private readonly solver: SatSolver,
    private readonly timeout = TIMEOUT,
  ) {}

  async answer<Kind extends QuestionKind>(kind: Kind, takes: Taken<Kind>): Promise<Given<Kind>> {
    const answer = this.by[kind] as (takes: Taken<Kind>) => Given<Kind> | Promise<Given<Kind>>;
    return answer(takes);
  }

  private readonly by: {
    readonly [Kind in QuestionKind]: (takes: Taken<Kind>) => Given<Kind> | Promise<Given<Kind>>;
  } = {
    diagnose: ({ draft }) => {
      const { diagnostics, modules } = diagnose(sourceOf(draft), this.models.include);
      return { marks: marksOf(diagnostics), modules };
    },
    hover: ({ draft, offset }) => hoverAt(sourceOf(draft), offset),
    complete: ({ draft: { path, text }, offset }) => completionsAt(path, text, offset),
    check: (about) => this.check(about),
    explain: (about) =>
      this.ofTest(
        about,
        (program, model) => ({ text: explainTest(this.solver, program, model, this.limits(), COLORED) }),
        told,
      ),
    draw: (about) => this.draw(about),
    states: (about) =>
      this.about(
        about,
        () => ({ states: true, follow: false }),
        (result) => ({ text: statesText(result) }),
        told,
      ),
    step: (about) => this.step(about),
    compare: (about) => this.compare(about),
    mend: (about) => this.mend(about),
  };

  private readonly limits = (): { readonly timeout: number } => ({ timeout: this.timeout });

  private check({ draft, model: named }: Taken<'check'>): Given<'check'> {
    const party = this.solver.secondParty?.version ?? '';
    const { value: tests, diagnostics } = loadTests(sourceOf(draft), this.limits(), 'answers');
    const model = this.models.load(named);
    const marks = marksOf([...diagnostics, ...model.diagnostics]);
    if (tests === undefined || model.value === undefined) return { marks, tests: [], findings: [], party };
    const { value } = model;
    const results = tests.map((one) => checkTest(this.solver, one, value, { ...this.limits(), reasons: true }));
    return {
      ...{ marks, party },
      tests: results.map((one) => reportedTest(one, REPORT)),
      findings: results.flatMap((one, i) => findingsOf(one, i)),
    };
  }

  /** What a result of one test says; or why there is none. */
  private about<T>(
    about: About,
    optionsOf: (program: Program) => CheckOptions,
    say: (result: TestResult, model: Model) => T,
    otherwise: (why: string) => T,
  ): T {
    return this.ofTest(
      about,
      (program, model) =>
        say(checkTest(this.solver, program, model, { ...this.limits(), ...optionsOf(program) }), model),
      otherwise,
    );
  }

  private ofTest<T>(
    { draft, model: named, test = 0 }: About,
    say: (program: Program, model: Model) => T,
    otherwise: (why: string) => T,
    wants: Wants = 'threads',
  ): T {
    const program = loadTests(sourceOf(draft), this.limits(), wants).value?.[test];
    const { value: model } = this.models.load(named);
    if (program === undefined) return otherwise('the test has mistakes: see what is marked in it');
    if (model === undefined) return otherwise('the model has mistakes: see what is marked in it');
    return say(program, model);
  }

  private draw({ hide = [], ...about }: Taken<'draw'>): Given<'draw'> {
    return this.about<Given<'draw'>>(
      about,
      (program) => ({ reasons: true, simplest: true, follow: isByRun(program) }),
      (result, model) => {
        const pictures = drawable(model, result).map(({ execution, named, cycle, title, marked }): Picture => {
          const edges = drawnEdges(execution, named, { show: undefined, hide }, cycle);
          const relations = [...new Set(edges.map(({ relation }) => relation))];
          return { title, relations, svg: svgGraph(execution, edges, { theme: 'herd', title, marked }) };
        });
        const none = 'there is no execution to draw: nothing was asked, or the program itself rules it out';
        return { pictures, problem: pictures.length > 0 ? undefined : none };
      },
      (problem) => ({ pictures: [], problem }),
    );
  }

  private step({ taken, ...about }: Taken<'step'>): MachinePlace {
    const none = (why: string): MachinePlace => ({ done: [], choices: [], end: [why] });
    return this.ofTest(
      about,
      (program, model) => {
        const left = notThere(program);
        if (left !== undefined) return none(`the machine runs threads: ${describeUndecided(left)}`);
        const context = machineContextOf(program, model, DEFAULT_UNROLL);
        if ('kind' in context) return none(describeUndecided(context));
        const done: string[] = [];
        let run = firstRun(context);
        for (const number of taken) {
          const choice = choicesFrom(context, run)[number];
          if (choice === undefined) break;
          done.push(choice.text);
          run = choice.run;
        }
        const choices = choicesFrom(context, run).map(({ text }) => text);
        const states =
          run === undefined ? [] : outcomesOf(run.state).map((one) => `final state: ${stateLine(program, one)}`);
        return { done, choices, end: choices.length > 0 || run === undefined ? [] : [...endOf(run), ...states] };
      },
      none,
    );
  }

  private compare({ other, ...about }: Taken<'compare'>): Given<'compare'> {
    const models = [about.model.name, other.name] as const;
    const none = (text: string): Given<'compare'> => ({ models, rows: [], text });
    const { value: b } = this.models.load(other);
    return this.ofTest(
      about,
      (program, a) => {
        if (b === undefined) return none('the other model has mistakes');
        const left = leftOut(program);
        if (left !== undefined) return none(`models are compared by threads: ${describeUndecided(left)}`);
        const comparison = compareModels(this.solver, program, a, b, this.limits());
        const { differences, open } = reportedComparison({ program, comparison }, { A: a.name, B: b.name });
        const same = open.length === 0 ? [`${a.name} and ${b.name} allow the same of this test`] : [];
        const text = [...(differences.length === 0 ? same : differences), ...open].join('\n');
        return { models, rows: rowsOf(this.claims(program, a), this.claims(program, b)), text };
      },
      none,
    );
  }

  private claims(program: Program, model: Model): readonly ReportedClaim[] {
    return reportedTest(checkTest(this.solver, program, model, this.limits()), { ...REPORT, full: false }).claims;
  }

  private async mend(about: Taken<'mend'>): Promise<Given<'mend'>> {
    const { draft } = about;
    const nothing = (text: string): Given<'mend'> => ({ changes: [], text });
    if (draft.path.endsWith('.test')) return nothing('advice changes the text of litmus files: convert this one first');
    if (loadTests(sourceOf(draft)).value?.length !== 1) return nothing('advice is about a file with one test');
    return this.ofTest<Promise<Given<'mend'>>>(
      about,
      async (program, model) => {
        const judge = new Judge(this.solver, model, this.limits());
        const advice = await advise(program, judge);
        const found =
          advice.kind === 'repair' ? advice.repairs : advice.kind === 'weaken' ? advice.together : ([] as const);
        return {
          text: reportAdvice(program, advice, judge, COLORED),
          changes: found.map((one) => changeOf(one, draft)),
        };
      },
      async (why) => nothing(why),
      'answers',
    );
  }
}

/** Each claim once, with what is said of it by either. */
function rowsOf(a: readonly ReportedClaim[], b: readonly ReportedClaim[]): Comparison['rows'] {
  const saidBy = (claims: readonly ReportedClaim[], claim: string): string | undefined => {
    const found = claims.find((one) => one.claim === claim);
    return found && [found.outcome === 'none' ? [] : found.outcome, found.observation ?? []].flat().join(', ');
  };
  const all = [...new Set([...a, ...b].map(({ claim }) => claim))];
  return all.map((claim) => ({ claim, a: saidBy(a, claim), b: saidBy(b, claim) }));
}

const told = (text: string): { readonly text: string } => ({ text });

function statesText({ states, program, undefinedBy }: TestResult): string {
  if (undefinedBy !== undefined) return `undefined: ${undefinedBy.sentence}; no final state can be promised`;
  if (states === undefined) return 'the final states of all threads of a launch are not listed';
  const lines = states.list.map(({ state }) => stateLine(program, state)).sort();
  const rest = states.incomplete === undefined ? '' : ` (incomplete: ${describeUndecided(states.incomplete)})`;
  return [`${plural(lines.length, 'final state')}${rest}`, ...lines].join('\n');
}

function changeOf({ changes, patch }: Suggestion, draft: Draft): Change {
  const { path, text, modules = {} } = draft;
  const after = patched(patch, new Map([[path, text], ...Object.entries(modules)]));
  const title = changes
    .map(({ at, from, to, place }) =>
      from === '' ? `put ${to} ${place} ${at}` : to === '' ? `take out ${from} at ${at}` : `${at}: ${to}`,
    )
    .join('; ');
  const changed = Object.entries(modules).map(([name, before]) => [name, after.get(name) ?? before]);
  return {
    ...{ title, patch },
    draft: {
      ...{ path, text: after.get(path) ?? text },
      ...(draft.modules !== undefined && { modules: Object.fromEntries(changed) }),
    },
  };
}

/** The answer to a question on its way back to whoever asked. */
export async function answered(answers: Answers, { id, kind, takes }: Asked): Promise<Answered> {
  try {
    return { id, gives: await answers.answer(kind, takes) };
  } catch (thrown) {
    return { id, thrown: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}
