import { citation, meaningOf, positionOf, type Span } from '../../diagnostics/source.js';
import type { CandidateExecution } from '../../execution/candidate-execution.js';
import type { Subject } from '../../explain/drawable.js';
import { describeEvent, eventName, sourceOf } from '../describe-event.js';
import { describePlace } from '../describe-launch.js';
import { finalStateLine } from '../describe-state.js';
import { type FilePlace, programPlace } from '../found-places.js';
import { drawnEdges } from '../graph/drawn-relations.js';
import { svgGraph } from '../graph/svg.js';
import { RACE } from '../graph/themes.js';
import type { ReportedExecution, ReportedStep, ReportedSteps } from './reported-page.js';
import { sketchOf } from './sketch.js';

/** An execution as a page shows it: its picture, and what each thread does. */
export function reportExecution({ title, execution, marked, named, cycle }: Subject): ReportedExecution {
  const edges = drawnEdges(execution, named, { show: undefined, hide: [] }, cycle);
  const [from, to, another] = marked;
  const isPair = from !== undefined && to !== undefined && another === undefined;
  const race = isPair ? [{ from, to, relation: RACE, weight: 'thick' } as const] : [];
  return {
    title,
    svg: svgGraph(execution, [...edges, ...race], { theme: 'legible', title, marked }),
    threads: execution.universe.structure.program.threads.map((thread) => ({
      name: thread.name,
      place: describePlace(thread),
      steps: stepsOf(execution, thread.index, new Set(marked)),
    })),
    end: finalStateLine(execution).join('').trim(),
  };
}

function stepsOf(execution: CandidateExecution, thread: number, marked: ReadonlySet<number>): readonly ReportedStep[] {
  return execution.universe.structure.events
    .filter(({ id, thread: own, kind }) => own === thread && kind !== 'exit' && execution.executed.has(id))
    .map((event) => ({
      letter: eventName(execution, event.id),
      what: describeEvent(execution, event),
      at: event.span === undefined ? '' : citation(event.span),
      quote: sourceOf(event),
      isMarked: marked.has(event.id),
    }));
}

/** What a run of all threads shows, of which there is no execution: the accesses, each with its thread. */
export function reportShown(title: string, shownAt: readonly { thread: string; span: Span }[]): ReportedExecution {
  const threads = shownAt.map(
    ({ thread, span }, i): ReportedSteps => ({
      name: thread,
      place: '',
      steps: [
        {
          letter: String.fromCharCode(97 + i),
          what: '',
          at: citation(span),
          quote: meaningOf(span),
          isMarked: true,
        },
      ],
    }),
  );
  return { title, svg: sketchOf(title, threads), threads, end: '' };
}

/** Where spans stand, in the text that holds them and in the program that this was compiled from. */
export function placesOf(spans: readonly Span[]): readonly FilePlace[] {
  const all = spans.flatMap((span) => {
    const { line, column } = positionOf(span.source, span.start);
    return [...[programPlace(span) ?? []].flat(), { path: span.source.path, line, column }];
  });
  return all.filter(({ path, line }, i) => all.findIndex((one) => one.path === path && one.line === line) === i);
}
