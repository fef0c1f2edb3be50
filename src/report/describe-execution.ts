import type { CheckVerdict } from '../cat/check-execution.js';
import { positionOf } from '../diagnostics/source.js';
import type { CandidateExecution } from '../execution/candidate-execution.js';
import { shortestPath } from '../relation/cycle.js';
import { Relation } from '../relation/relation.js';
import { describeEvent, eventLetters, sourceOf } from './describe-event.js';

/** An execution as text: the events of each thread, with where each read takes its value from and what it overlooks. */
export function describeExecution(execution: CandidateExecution): readonly string[] {
  const letters = eventLetters(execution);
  const { threads } = execution.universe.structure.program;
  const lines: string[] = [];
  for (const thread of threads) {
    const { gpu, ctaNumber } = thread.placement;
    lines.push(`${thread.name}  cta ${ctaNumber}, gpu ${gpu}`);
    for (const event of execution.universe.structure.events) {
      if (event.thread !== thread.index || !execution.executed.has(event.id)) continue;
      lines.push(`  ${(letters.get(event.id) ?? '').padEnd(3)} ${describeEvent(execution, event).padEnd(30)} ${relationsOf(execution, event.id, letters)}`.trimEnd());
    }
  }
  const final = [...execution.finalState].map(([name, value]) => `${name} = ${value}`);
  if (final.length > 0) lines.push(`final state: ${final.join(', ')}`);
  return lines;
}

function relationsOf(execution: CandidateExecution, event: number, letters: ReadonlyMap<number, string>): string {
  const { readsFrom, fromReads, coherence } = execution.relations;
  const name = (other: number): string => letters.get(other) ?? 'init';
  const parts: string[] = [];
  const sources = [...execution.executed].filter((other) => readsFrom.has(other, event));
  if (sources.length > 0) parts.push(`rf <- ${sources.map(name).join(', ')}`);
  const overlooked = [...fromReads.successors(event)].filter((other) => execution.universe.events[event]?.partner !== other);
  if (overlooked.length > 0) parts.push(`fr -> ${overlooked.map(name).join(', ')}`);
  const later = [...coherence.transitiveReduction().successors(event)];
  if (later.length > 0) parts.push(`co -> ${later.map(name).join(', ')}`);
  return parts.join('   ');
}

/** The named edges by which a step of a cycle is shown, the most telling first. */
const STEPS = ['fr', 'co', 'sync', 'rf', 'sync_fence', 'syncbar', 'syncwarp', 'data', 'addr', 'ctrl', 'po', 'observation', 'base-causality', 'causality'] as const;

/** The cycle by which an axiom fails, as edges between events, and the source lines that take part. */
export function describeViolation(execution: CandidateExecution, verdict: CheckVerdict, definitions: ReadonlyMap<string, Relation>): readonly string[] {
  const letters = eventLetters(execution);
  const steps = cycleSteps(execution, verdict, definitions);
  const name = (event: number): string => letters.get(event) ?? 'init';
  const [first] = steps;
  if (first === undefined) return [];
  const chain = steps.reduce(
    (text, { from, relation, to }) =>
      `${text} --${relation === 'sync' && definitions.get('rf')?.has(from, to) ? 'rf (synchronizes)' : relation === 'sync' ? 'synchronizes' : relation}--> ${name(to)}`,
    name(first.from),
  );
  const events = [...new Set(steps.flatMap(({ from, to }) => [from, to]))].map((id) => execution.universe.events[id]).filter((event) => event?.thread !== undefined);
  const lines = events.map((event) => {
    if (event?.span === undefined) return '';
    const { line } = positionOf(event.span.source, event.span.start);
    return `${name(event.id)}  line ${line}: ${sourceOf(event)}`;
  });
  return [chain, ...new Set(lines)];
}

interface Step {
  readonly from: number;
  readonly relation: string;
  readonly to: number;
}

function cycleSteps(execution: CandidateExecution, verdict: CheckVerdict, definitions: ReadonlyMap<string, Relation>): readonly Step[] {
  const { witness, check } = verdict;
  const [first, second] = witness;
  if (first === undefined) return [];
  const relations = new Map(definitions);
  if (check.test === 'acyclic') {
    return witness.map((from, i) => {
      const to = witness[(i + 1) % witness.length] ?? first;
      return { from, to, relation: STEPS.find((step) => relations.get(step)?.has(from, to)) ?? check.name };
    });
  }
  // From one event round to itself, or to the event it should be unrelated to: a shortest way over the basic edges.
  const basic = (['po', 'sync', 'sync_fence', 'syncbar', 'syncwarp', 'rf', 'fr', 'co'] as const).flatMap((step) => {
    const relation = relations.get(step);
    return relation === undefined ? [] : [relation];
  });
  const all = basic.reduce((union, relation) => union.union(relation), new Relation(execution.universe.events.length));
  const path = shortestPath(all, first, check.test === 'irreflexive' ? first : (second ?? first));
  if (path === undefined) return [];
  return path.slice(1).map((to, i) => {
    const from = path[i] ?? first;
    return { from, to, relation: STEPS.find((step) => relations.get(step)?.has(from, to)) ?? '?' };
  });
}
