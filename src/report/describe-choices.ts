import { lineOf } from '../diagnostics/source.js';
import type { State } from '../operational/state.js';

const WHICH = ['first', 'second'];

/** Which of two values the steps of threads have taken, where a state has chosen and one before it has not. */
export function describeChoices(before: State | undefined, after: State): readonly string[] {
  return [...after.choices].flatMap(([step, which]) => {
    if (before?.choices.has(step) === true) return [];
    const [thread, node] = step.split('/').map(Number);
    const unrolled = after.context.structure.threads[thread ?? 0];
    const span = unrolled?.nodes[node ?? 0]?.statement.span;
    if (unrolled === undefined || span === undefined) return [];
    const text = span.source.text.slice(span.start, span.end);
    return [`${unrolled.thread.name} takes the ${WHICH[which]} of two values at line ${lineOf(span)}: ${text}`];
  });
}
