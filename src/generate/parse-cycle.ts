import { didYouMean } from '../diagnostics/nearest.js';
import { ACCESSES } from './accesses.js';
import { DIRECTION_WORDS, problemOfCycle } from './check-cycle.js';
import { at, type Cycle, type CycleEvent, type Edge, rotate, threadStarts } from './cycle.js';
import type { Impossible } from './memory-plan.js';
import { annotationOf, type DirectedEdge, EDGE_NAMES, ENDS_PATTERN, edgeOf, unknownWord } from './parse-edge.js';

interface Annotation {
  readonly word: string;
  readonly access: string | undefined;
  readonly alias: boolean;
}

/**
 * Reads a cycle in the manner of diy: edges, and between two of them, where wanted, what the event there is: `PodWW
 * Rel.gpu Rfe Acq.gpu PodRR Fre`. Events without an annotation are `plain`. The result begins with the first event of a
 * thread.
 */
export function parseCycle(text: string, plain = 'weak'): Cycle | Impossible {
  const tokens = joinEnds(text.split(/\s+/).filter((token) => token !== ''));
  const edges: DirectedEdge[] = [];
  const annotations: (Annotation | undefined)[] = [];
  for (const token of tokens) {
    const edge = edgeOf(token);
    if (edge !== undefined && 'cannot' in edge) return edge;
    if (edge !== undefined) {
      edges.push(edge);
      continue;
    }
    const annotation = annotationOf(token);
    if (annotation === undefined) return unknown(token);
    const known = annotations[edges.length];
    if (known !== undefined)
      return { cannot: `two annotations of one event: ${known.word} and ${token}; annotations stand between edges` };
    annotations[edges.length] = { word: token, ...annotation };
  }
  if (edges.length === 0) return { cannot: 'an empty cycle: it takes edges such as PodWW Rfe PodRR Fre' };
  // What follows the last edge is the event that the first edge begins with.
  const closing = annotations[edges.length];
  const opening = annotations[0];
  if (closing !== undefined && opening !== undefined)
    return {
      cannot: `two annotations of the first event: ${opening.word} at the beginning and ${closing.word} at the end`,
    };
  const events: CycleEvent[] = [];
  for (const [i, edge] of edges.entries()) {
    const before = at(edges, i - 1);
    if (before.to !== edge.from) {
      const [end, begin] = [DIRECTION_WORDS[before.to], DIRECTION_WORDS[edge.from]];
      return { cannot: `${before.name} ends in ${end}, and ${edge.name} begins with ${begin}` };
    }
    const annotation = i === 0 ? (opening ?? closing) : annotations[i];
    if (annotation?.access !== undefined && (edge.edge.kind === 'atomic' || before.edge.kind === 'atomic'))
      return {
        cannot:
          `${annotation.word} annotates an event of ` +
          `${edge.edge.kind === 'atomic' ? edge.name : before.name}, which has its order itself: Amo.exch.acq.gpu`,
      };
    events.push({
      direction: edge.from,
      access: accessAt(annotation, [before.edge, edge.edge], plain),
      alias: annotation?.alias ?? false,
    });
  }
  const cycle = withAtomicAliases({ events, edges: edges.map(({ edge }) => edge) });
  const problem = problemOfCycle(cycle);
  return problem === undefined ? rotate(cycle, at(threadStarts(cycle), 0)) : { cannot: problem };
}

function accessAt(annotation: Annotation | undefined, around: readonly Edge[], plain: string): string {
  // The order of an atomic operation is that of its edge.
  if (around.some(({ kind }) => kind === 'atomic')) return 'weak';
  return annotation?.access ?? plain;
}

/** An alias said of one event of an atomic edge is one of both. */
function withAtomicAliases({ events, edges }: Cycle): Cycle {
  const isAtomic = (i: number): boolean => at(edges, i).kind === 'atomic';
  const alias = (i: number): boolean =>
    at(events, i).alias || (isAtomic(i) && at(events, i + 1).alias) || (isAtomic(i - 1) && at(events, i - 1).alias);
  return { events: events.map((event, i) => ({ ...event, alias: alias(i) })), edges };
}

/** `Fence.sc.gpu dRW` is one edge, as diy's FencedRW. */
function joinEnds(tokens: readonly string[]): readonly string[] {
  const joined: string[] = [];
  for (const token of tokens) {
    const last = joined.at(-1);
    if (ENDS_PATTERN.test(token) && last !== undefined) joined[joined.length - 1] = `${last} ${token}`;
    else joined.push(token);
  }
  return joined;
}

function unknown(token: string): Impossible {
  const [mechanism = token] = token.split(' ');
  if (/\*/.test(token)) return { cannot: `${token}: wildcards are not expanded; write R or W, s or d` };
  const word = /^(.*?)[sd][RW][RW]$/.exec(mechanism)?.[1] ?? mechanism;
  const hint =
    didYouMean(word, EDGE_NAMES) ??
    didYouMean(mechanism, EDGE_NAMES) ??
    didYouMean(mechanism.toLowerCase(), ACCESSES.keys());
  return unknownWord('edge or annotation', token, hint);
}
