import type { Step } from '../cat/explain.js';
import { selectionOf } from '../check/answer-scope.js';
import type { FlagResult } from '../check/flags-of-model.js';
import type { ConditionResult, TestResult } from '../check/result.js';
import { isCut, isUndecided, reasonOf } from '../check/result.js';
import type { Diagnostic, Severity } from '../diagnostics/diagnostic.js';
import { citation, lineNumberOf, positionOf, quoteOf, type Span } from '../diagnostics/source.js';
import { EXECUTION_RELATIONS } from '../execution/base-relations.js';
import type { CandidateExecution, FinalState } from '../execution/candidate-execution.js';
import { describeAllowance } from '../program/allowance.js';
import { isFair, printForwardProgress } from '../program/forward-progress.js';
import type { Program } from '../program/program.js';
import { describeUndecided } from '../program/undecided.js';
import { jsonCrossCheck } from './cross-check.js';
import { describeDeadlock } from './describe-deadlock.js';
import { describeEvent, eventName, sourceOf } from './describe-event.js';
import { describePlaces } from './describe-execution.js';
import { describeProposition } from './describe-proposition.js';
import { describeShownEnd, shownState } from './describe-state.js';
import { membersOfFlag, placesOfFlag } from './flags.js';

/** Of everything in JSON; within it fields are only added. */
export const SCHEMA_VERSION = 1;

/** What the JSON report says besides the result. */
export interface JsonContext {
  readonly tool: { readonly name: string; readonly version: string; readonly solver: string };
  /** SHA-256 in hexadecimal. */
  readonly hashOf: (text: string) => string;
  readonly witnesses: number;
  /** Whether the report has times, which differ from run to run; true if not given. */
  readonly times?: boolean;
}

/**
 * One test under one model, schema version 1. Times in milliseconds; values as decimal strings.
 *
 * @example
 * ```ts
 * const hashOf = (bytes: string): string => createHash('sha256').update(bytes).digest('hex');
 * const tool = { name: 'my-tool', version: '1.0.0', solver: solver.version };
 * console.log(JSON.stringify(jsonOf(checkTest(solver, program, model), { tool, hashOf, witnesses: 1 })));
 * ```
 */
export function jsonOf(result: TestResult, context: JsonContext): object {
  const { program, model } = result;
  return {
    schemaVersion: SCHEMA_VERSION,
    tool: context.tool,
    model: { name: model.name, sha256: context.hashOf(model.source.text) },
    test: { name: program.name, path: program.source.path, sha256: context.hashOf(program.source.text) },
    ...(program.launches.length > 0 && { scope: scopeOf(program) }),
    ...(result.values !== undefined && { values: result.values }),
    ...(result.followed !== undefined && { followed: result.followed }),
    ...(result.confirmation !== undefined && { confirmation: result.confirmation }),
    status: isUndecided(result) ? 'unknown' : result.undefinedBy === undefined ? 'decided' : 'undefined',
    undefinedBy: result.undefinedBy?.sentence ?? null,
    undefinedAt:
      result.undefinedBy?.witness === undefined
        ? []
        : describePlaces(result.undefinedBy.witness, result.undefinedBy.events),
    unspecified: result.unspecified ?? null,
    ...(result.openValues !== undefined && {
      openValues: result.openValues.map(citedQuote),
    }),
    conditions: result.conditions.map((condition) => jsonCondition(condition, context)),
    expectations: result.expectations.map((one) => ({
      expected: one.expectation.expectation,
      met: one.outcome === 'undecided' ? null : one.outcome === 'met',
      reason: reasonOf(one) ?? null,
      ...(one.expectation.finding === 'deadlock' &&
        program.progress !== undefined &&
        !isFair(program.progress) && { forwardProgress: printForwardProgress(program.progress.stated) }),
      ...(one.provided !== undefined && { provided: one.provided }),
      ...(one.unconfirmed !== undefined && { unconfirmed: one.unconfirmed }),
      ...(one.byValue !== undefined && { byValue: one.byValue }),
      inferred: one.inferred,
      waiting: one.witness === undefined ? [] : describeDeadlock(one.witness),
    })),
    ...(result.accepted !== undefined && {
      accepted: result.accepted.map(({ allowance, outcome, sentence, witness, events }) => ({
        allowance: describeAllowance(allowance),
        because: allowance.reason,
        found: outcome === 'undecided' ? null : outcome === 'found',
        what: sentence ?? null,
        at: witness === undefined ? [] : describePlaces(witness, events),
      })),
    }),
    ...(result.remarks !== undefined && {
      remarks: result.remarks.map(({ kind, what, places }) => ({ kind, what, at: places.map(citedQuote) })),
    }),
    ...(result.flags !== undefined && { flags: result.flags.map((flag) => jsonFlag(flag, context)) }),
    bounds: {
      unroll: result.unroll,
      cut: isCut(result),
    },
    states: result.states === undefined ? null : result.states.list.map(({ state }) => jsonState(program, state)),
    ...(result.states?.unconfirmed !== undefined && { statesUnconfirmed: result.states.unconfirmed }),
    statesComplete: result.states === undefined ? null : result.states.incomplete === undefined,
    crossCheck: jsonCrossCheck(result),
    ...(context.times !== false && { timeMs: Math.round(result.time * 100) / 100 }),
    diagnostics: program.warnings.map(jsonDiagnostic),
  };
}

const citedQuote = (span: Span): string => `${citation(span)}: ${quoteOf(span)}`;

/** Of which threads of the launches answers speak. */
function scopeOf(program: Program): object {
  const selection = selectionOf(program);
  return selection === undefined ? { kind: 'launch' } : { kind: 'selection', ...selection };
}

function jsonFlag(flag: FlagResult, context: JsonContext): unknown {
  const { name, raised, undecided, witness } = flag;
  return {
    name,
    raised: raised ?? null,
    reason: undecided === undefined ? null : describeUndecided(undecided),
    members: membersOfFlag(flag),
    at: placesOfFlag(flag),
    witness: witness === undefined || context.witnesses === 0 ? null : jsonExecution(witness),
  };
}

function jsonCondition(result: ConditionResult, context: JsonContext): unknown {
  const { condition, forbiddenBy } = result;
  return {
    name: condition.name ?? null,
    quantifier: condition.quantifier,
    proposition: describeProposition(condition.proposition),
    holds: result.holds ?? null,
    observation: result.observation ?? null,
    reason: result.undecided === undefined ? null : describeUndecided(result.undecided),
    ...(result.unconfirmed !== undefined && { unconfirmed: result.unconfirmed }),
    ...(result.provided !== undefined && { provided: result.provided }),
    ...(result.shownBy !== undefined && { shownBy: describeShownEnd(result.shownBy).join(' ') }),
    ...(result.byValue !== undefined && { byValue: result.byValue }),
    expectation: {
      expected: condition.quantifier !== 'exists',
      met: result.expectation === 'met' ? true : result.expectation === 'broken' ? false : null,
    },
    witnesses: result.witnesses.slice(0, context.witnesses).map(jsonExecution),
    counterexample:
      result.counterexample === undefined || context.witnesses === 0 ? null : jsonExecution(result.counterexample),
    forbiddenBy:
      forbiddenBy === undefined
        ? null
        : {
            axioms: forbiddenBy.axioms,
            cycles: forbiddenBy.failures.map(({ axiom, explanation }) => ({
              axiom,
              steps: jsonSteps(forbiddenBy.execution, explanation.steps),
            })),
            inferred: forbiddenBy.inferred,
            nearest: forbiddenBy.execution === undefined ? null : jsonExecution(forbiddenBy.execution),
          },
  };
}

/** A mistake in a text. */
export interface JsonDiagnostic {
  readonly path: string;
  readonly line: number;
  readonly column: number;
  readonly code: string;
  readonly severity: Severity;
  readonly message: string;
  readonly hint: string | null;
}

export function jsonDiagnostic(diagnostic: Diagnostic): JsonDiagnostic {
  const { line, column } = positionOf(diagnostic.span.source, diagnostic.span.start);
  const { code, severity, message, hint } = diagnostic;
  return { path: diagnostic.span.source.path, line, column, code, severity, message, hint: hint ?? null };
}

function jsonSteps(execution: CandidateExecution | undefined, steps: readonly Step[]): unknown {
  if (execution === undefined) return [];
  const name = (event: number): string => eventName(execution, event, `init${event}`);
  return steps.map(({ from, relation, to }) => [name(from), relation, name(to)]);
}

function jsonState(program: Program, state: FinalState): unknown {
  return Object.fromEntries(shownState(program, state));
}

function jsonExecution(execution: CandidateExecution): unknown {
  const name = (event: number): string => eventName(execution, event, `init${event}`);
  const threads = execution.universe.structure.program.threads;
  return {
    events: [...execution.executed].map((id) => {
      const event = execution.universe.events[id];
      if (event === undefined) return null;
      const line = event.span === undefined ? null : lineNumberOf(event.span);
      return {
        id: name(id),
        thread: event.thread === undefined ? null : (threads[event.thread]?.name ?? null),
        tags: [...event.tags],
        text: describeEvent(execution, event),
        line,
        source: sourceOf(event),
      };
    }),
    relations: Object.fromEntries(
      Object.entries(EXECUTION_RELATIONS).map(([short, long]) => [
        short,
        [...execution.relations[long]].map(([a, b]) => [name(a), name(b)]),
      ]),
    ),
    finalState: jsonState(execution.universe.structure.program, execution.finalState),
  };
}
