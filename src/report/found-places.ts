import { positionOf, type Span, userLine } from '../diagnostics/source.js';
import type { CandidateExecution } from '../execution/candidate-execution.js';

/** A place in a file: of the test, of a module, or of a source program, such as a file of CUDA. */
export interface FilePlace {
  readonly path: string;
  readonly line: number;
  readonly column: number;
}

/** Where events of an execution stand, or what a run shows. */
export const spansOf = (
  witness: CandidateExecution | undefined,
  events: readonly number[],
  shownAt: readonly { readonly span: Span }[] = [],
): readonly Span[] => [
  ...events.flatMap((id) => witness?.universe.events[id]?.span ?? []),
  ...shownAt.map(({ span }) => span),
];

/** The line of the source program that a span was compiled from; it lies in the folder of its module. */
export function programPlace({ source, start }: Span): FilePlace | undefined {
  const found = source.compiledFrom?.(start);
  if (found === undefined) return undefined;
  const { file, line, column } = userLine(found);
  const folder = source.path.replace(/[^\\/]*$/, '');
  return { path: `${folder}${file}`, line, column: Math.max(1, column) };
}

/** Where a user reads what a span says. */
export function shownPlace(span: Span): FilePlace {
  const { line, column } = positionOf(span.source, span.start);
  return programPlace(span) ?? { path: span.source.path, line, column };
}
