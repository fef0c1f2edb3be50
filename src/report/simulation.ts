import type { Exploration } from '../operational/explore.js';
import type { Outcome } from '../operational/outcomes.js';
import type { Run } from '../operational/walk-states.js';
import type { Program } from '../program/program.js';
import { describeUndecided } from '../program/undecided.js';
import { FINDING_WORDS, findingOf, ruleSentence } from '../program/undefined-rules.js';
import { placeInSource } from './describe-event.js';
import { describeRun, describeWaiting } from './describe-run.js';
import { stateLine } from './describe-state.js';
import { indent, plural } from './words.js';

/** All that the machine can do with a test. `time` in milliseconds. */
export function reportSimulation(
  program: Program,
  { context, outcomes, findings, deadlock, states, incomplete }: Exploration,
  time: number,
): string {
  const rest = incomplete === undefined ? '' : ` (incomplete: ${describeUndecided(incomplete)})`;
  const lines = [
    `${program.name}   ${plural(states, 'state')}   ${time.toFixed(0)} ms   ${program.source.path}`,
    `  ${plural(outcomes.size, 'final state')}${rest}`,
  ];
  lines.push(...[...outcomes.values()].map(({ outcome }) => `    ${stateLine(program, outcome)}`).sort());
  for (const [rule, { events }] of findings) {
    const [what = '', ...places] = describeFinding(context, rule, events);
    lines.push(`${what} (--find ${findingOf(rule)} shows a run)`, ...places);
  }
  if (deadlock !== undefined)
    lines.push('  a thread may wait for ever (--find deadlock shows a run)', ...indent(describeWaiting(deadlock)));
  return lines.join('\n');
}

/**
 * A run that was asked for, with what it shows: an outcome, a race or undefined behavior, or else threads that wait
 * for ever.
 */
export interface Found {
  readonly run: Run;
  readonly outcome?: Outcome;
  readonly finding?: { readonly rule: string; readonly events: readonly number[] };
}

/** The rule, and the instructions that break it. */
function describeFinding(context: Exploration['context'], rule: string, events: readonly number[]): readonly string[] {
  const places = events.flatMap((id) => {
    const event = context.event(id);
    return event.span === undefined ? [] : [`    ${placeInSource(event)}`];
  });
  const kind = findingOf(rule);
  const what = kind === 'undefined' ? `undefined behavior: ${ruleSentence(rule)}` : FINDING_WORDS[kind];
  return [`  ${what}`, ...places];
}

/** One run, with what it shows. */
export function reportRun(program: Program, { context }: Exploration, { run, outcome, finding }: Found): string {
  const ends =
    finding !== undefined
      ? describeFinding(context, finding.rule, finding.events)
      : outcome === undefined
        ? describeWaiting(run)
        : [`final state: ${stateLine(program, outcome)}`];
  return [...describeRun(run), ...ends].join('\n');
}

/** How often random runs came to each final state. */
export function reportRandomRuns(
  program: Program,
  counts: ReadonlyMap<string, { readonly outcome: Outcome | undefined; readonly count: number }>,
): string {
  const rows = [...counts.values()].sort((a, b) => b.count - a.count);
  const width = Math.max(0, ...rows.map(({ count }) => String(count).length));
  return rows
    .map(
      ({ outcome, count }) =>
        `${String(count).padStart(width)}  ${outcome === undefined ? 'no final state' : stateLine(program, outcome)}`,
    )
    .join('\n');
}
