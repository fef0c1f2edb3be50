import type { Step } from '../cat/explain.js';
import { inferredRule } from '../check/inferred-rules.js';
import type { NamedOrder } from '../check/order-reasons.js';
import type { RaceHint } from '../check/race-hint.js';
import type { TestResult } from '../check/result.js';
import { lineOf } from '../diagnostics/source.js';
import type { CandidateExecution } from '../execution/candidate-execution.js';
import { namedRelations } from '../execution/named-relations.js';
import type { Allowed, ConditionExplanation, RuledOut } from '../explain/explain-condition.js';
import type { Missing, MissingSynchronization } from '../explain/missing.js';
import type { UndefinedHint } from '../explain/undefined.js';
import { axiomWords } from './axiom-sentences.js';
import { met, unconfirmedLines } from './describe-answer.js';
import { describeChain, isCycle } from './describe-chain.js';
import { eventName } from './describe-event.js';
import { describeExecution, describePlaces } from './describe-execution.js';
import { describeOrder } from './describe-order.js';
import { describeCondition, describeProposition } from './describe-proposition.js';
import { describeShownEnd, finalStateLine } from './describe-state.js';
import { describeMissing, describeSynchronization, describeUndefinedHint } from './describe-synchronization.js';
import { asciiGraph, widthOf } from './graph/ascii.js';
import { drawnEdges } from './graph/drawn-relations.js';
import { legendOf } from './legend.js';
import { headLine, reportTest, type Style } from './text.js';
import { indent } from './words.js';

const WIDEST = 118;

/**
 * The explanation of a whole test: undefined behavior, then each condition, then what is expected of its executions.
 */
export function reportTestExplanation(
  test: TestResult,
  explanations: readonly ConditionExplanation[],
  hint: UndefinedHint | undefined,
  style: Style,
  reasons: readonly NamedOrder[] = [],
): string {
  const parts = explanations.map((one) => reportConditionExplanation(one, test, style));
  // What has no outcome to explain is told as in a check.
  const report = reportTest({ ...test, conditions: test.undefinedBy === undefined ? [] : test.conditions }, style, 1);
  if (explanations.length === 0 && test.expectations.length === 0 && test.undefinedBy === undefined)
    parts.push('the test has no condition to explain: add one, or ask with --condition');
  const witness = test.undefinedBy?.witness;
  if (hint !== undefined && witness !== undefined)
    parts.push(...describeUndefinedHint(witness, hint, test.undefinedBy?.events ?? []));
  if (reasons.length > 0) parts.push(describeOrder(reasons).join('\n'));
  const told = [...report.split('\n').slice(1), ...parts.flatMap((part) => ['', part])];
  const legend = legendOf(told.join('\n'));
  return [headLine(test, style), ...told, ...(legend.length === 0 ? [] : ['', ...legend])].join('\n');
}

/** Why a condition is as it is, for one who does not know the axioms. */
export function reportConditionExplanation(explanation: ConditionExplanation, test: TestResult, style: Style): string {
  const { result, of } = explanation;
  const { condition } = result;
  const proposition = describeProposition(
    of === 'contrary' ? { kind: 'not', operand: condition.proposition } : condition.proposition,
  );
  const outcome = proposition.startsWith('(') ? proposition : `(${proposition})`;
  const word =
    result.expectation === 'broken'
      ? style.bad('BROKEN')
      : result.expectation === 'met'
        ? style.good(met(test))
        : undefined;
  return [
    `${describeCondition(condition)}${word === undefined ? '' : `   ${word}`}`,
    ...indent([...unconfirmedLines(result.unconfirmed, style), ...reasonLines(explanation, outcome, test, style)], 2),
  ].join('\n');
}

function reasonLines(
  { result, reason }: ConditionExplanation,
  outcome: string,
  { model }: TestResult,
  style: Style,
): readonly string[] {
  switch (reason.kind) {
    case 'unknown':
      return [`${style.unsure('undecided')}: ${reason.reason}`];
    case 'never-ends':
      return ['no execution of this test runs to its end, so that the outcome does not come up at all'];
    case 'by-run':
      return result.shownBy === undefined
        ? ['in every execution these are what they are in the run of all threads: no conflict reaches them']
        : describeShownEnd(result.shownBy);
    case 'allowed':
      return [
        `${outcome} is ${style.good('allowed')}. An execution that ends so:`,
        ...explainAllowed(reason),
        ...(reason.interleaving === undefined || result.race === undefined
          ? []
          : ['', ...explainRace(reason.execution, result.race)]),
        ...(result.expectation === 'broken' ? ['', 'ptx-litmus advise looks for changes that would mend it.'] : []),
      ];
    case 'forbidden':
      return explainForbidden(outcome, reason, model, style);
  }
}

function explainAllowed({ execution, interleaving, cycle, missing }: Allowed): readonly string[] {
  const lines = ['', ...indent(executionInColumns(execution, []), 2), ''];
  if (interleaving !== undefined)
    return [
      ...lines,
      'No reordering is needed: threads that take turns do it in this order:',
      ...indent(turns(execution, interleaving), 2),
      ...tornVectors(execution, interleaving),
    ];
  if (cycle === undefined) return [...lines, 'It was not found out whether threads that take turns could do it.'];
  const chain = cycle.map(({ from, to, by }) => ({ from, to, relation: by }));
  return [
    ...lines,
    'Threads that take turns do not get there: each of these would have to come before the next, and so before itself.',
    ...indent(describeChain(execution, chain), 2),
    ...(missing === undefined ? [] : ['', ...explainMissing(execution, missing)]),
  ];
}

/** What lets threads take turns in that order: two accesses that nothing keeps apart. */
function explainRace(execution: CandidateExecution, { events, advice }: RaceHint): readonly string[] {
  return ['What lets them: these two race.', ...indent([...describePlaces(execution, events), advice], 2)];
}

function explainMissing(
  execution: CandidateExecution,
  { steps, oneIsEnough }: MissingSynchronization,
): readonly string[] {
  const words = steps.map((missing) => [
    ...new Set(withoutRepetition(missing).map((one) => describeMissing(execution, one))),
  ]);
  const kinds = new Set(steps.flat().map(({ kind }) => kind));
  const why = [
    ...(kinds.has('no-fence-sc')
      ? ['(Where several accesses are overtaken, only fence.sc gives them one order for all threads.)']
      : []),
    ...(kinds.has('no-fence-sc') || kinds.has('across-proxies')
      ? ['(What takes a new instruction is not put to the test here; ptx-litmus advise does that.)']
      : []),
  ];
  if (!oneIsEnough)
    return [
      'What is missing that would exclude it:',
      ...[...new Set(words.flat())].map((reason) => `  - ${reason}`),
      ...why,
    ];
  return [
    'What is missing that would exclude it; one of these is enough:',
    ...words.flatMap((reasons, i) => [...(i === 0 ? [] : ['  or']), ...reasons.map((reason) => `  - ${reason}`)]),
  ];
}

/** Who does not release or acquire has to be made strong for that: it need not be said twice. */
function withoutRepetition(missing: readonly Missing[]): readonly Missing[] {
  const said = new Set(
    missing.flatMap((one) => (one.kind === 'no-release' ? [one.write] : one.kind === 'no-acquire' ? [one.read] : [])),
  );
  return missing.filter((one) => one.kind !== 'weak' || !said.has(one.event));
}

/** Each turn of a thread with what it does in it. */
function turns(execution: CandidateExecution, order: readonly number[]): readonly string[] {
  const { events, structure } = execution.universe;
  const rows: { thread: string; members: string[] }[] = [];
  for (const id of order) {
    const event = events[id];
    if (event?.thread === undefined || event.kind === 'check' || event.kind === 'exit') continue;
    const own = structure.program.threads[event.thread]?.name;
    const name = event.tags.has('ASY') ? `${own}'s asynchronous operation` : `${own}`;
    const last = rows[rows.length - 1];
    if (last?.thread === name) last.members.push(eventName(execution, id));
    else rows.push({ thread: name, members: [eventName(execution, id)] });
  }
  return rows.map(({ thread, members }) => `${thread}: ${members.join(', ')}`);
}

/** Vector accesses between whose elements something came: they are several accesses, which nothing orders (8.2.4). */
function tornVectors(execution: CandidateExecution, order: readonly number[]): readonly string[] {
  const { structure, events } = execution.universe;
  const threads = structure.threads.map(({ nodes }, thread) => ({ nodes, thread }));
  return threads.flatMap(({ nodes, thread }) =>
    nodes.flatMap((node, at) => {
      const elements = structure
        .eventsOf(thread, at)
        .filter(
          ({ id, kind, chunk }) => (kind === 'read' || kind === 'write') && chunk === undefined && order.includes(id),
        )
        .map(({ id }) => id);
      const places = elements.map((id) => order.indexOf(id)).sort((a, b) => a - b);
      const isVector = elements.length > 1 && elements.every((id) => events[id]?.partner === undefined);
      const apart = (places.at(-1) ?? 0) - (places[0] ?? 0) >= elements.length;
      if (!isVector || !apart || node.statement === undefined) return [];
      const { span } = node.statement;
      const line = lineOf(span);
      return [
        `${elements.map((id) => eventName(execution, id)).join(' and ')} are one vector instruction (line ${line}): ` +
          `it is ${elements.length} accesses in no order, and others may come between them (8.2.4).`,
      ];
    }),
  );
}

const CYCLE = ' Here each would come before the next, and the last before the first:';

function explainForbidden(
  outcome: string,
  { forbiddenBy, failures, overwritings }: RuledOut,
  model: TestResult['model'],
  style: Style,
): readonly string[] {
  const { execution, axioms, core, inferred } = forbiddenBy;
  const head = `${outcome} is ${style.good('forbidden')}`;
  const rests = inferred.flatMap((name) => [
    '',
    `${style.unsure('This rests on')} ${name}, inferred, not stated by the ISA (models/README.md): ` +
      `${inferredRule(model, name)}`,
  ]);
  if (execution === undefined)
    return [
      `${head} by the program itself: no values that the threads can read and write lead there, whatever the ` +
        'memory does.',
      ...rests,
    ];
  const nearest =
    axioms.length === 1
      ? `The nearest execution that would end so breaks the axiom ${axioms[0]}`
      : `Every execution that would end so breaks several axioms; the nearest one breaks ${axioms.join(', ')}`;
  const lines = [
    `${head}. ${nearest}:`,
    '',
    ...indent(executionInColumns(execution, failures[0]?.explanation.steps ?? []), 2),
  ];
  for (const { axiom, explanation, synchronizations } of failures) {
    const { sentence, pair } = axiomWords(axiom);
    lines.push(
      '',
      `${axiom}${sentence === undefined ? '' : `: ${sentence}`}.${isCycle(explanation.steps) ? CYCLE : ''}`,
      ...indent(describeChain(execution, explanation.steps, pair), 2),
      ...synchronizations.flatMap((one) => indent(describeSynchronization(execution, one), 2)),
    );
  }
  const nameOf = (id: number): string => eventName(execution, id, 'the initial write');
  for (const { earlier, later, explanation } of overwritings)
    lines.push(
      '',
      `${nameOf(earlier)} is overwritten by ${nameOf(later)}, because it comes before it (Coherence, PTX ISA 8.10.1):`,
      ...indent(describeChain(execution, explanation.steps), 2),
    );
  if (core.length > 1) lines.push('', `No axiom rules it out alone; these do together: ${core.join(', ')}.`);
  else if (axioms.length > 1 && core[0] !== undefined) lines.push('', `${core[0]} alone would rule it out.`);
  lines.push(...rests);
  return lines;
}

/** The threads side by side where that fits, else one below the other. */
export function executionInColumns(execution: CandidateExecution, cycle: readonly Step[]): readonly string[] {
  const edges = drawnEdges(execution, namedRelations(execution), { show: undefined, hide: [] }, cycle);
  const columns = asciiGraph(execution, edges);
  if (widthOf(columns) > WIDEST) return describeExecution(execution);
  return [...columns, ...finalStateLine(execution)];
}
