import { citation, positionOf, type Source } from '../diagnostics/source.js';
import { inCuda } from './cuda-terms.js';
import { applied, type Choices, changesIn, patchOf } from './patch.js';
import { costOfChoices } from './search.js';
import type { Site } from './sites.js';

/** A change of a test that was checked. */
export interface Suggestion {
  /** What it changes, in the order of the text. */
  readonly changes: readonly Change[];
  readonly cost: number;
  /** A unified diff; empty where only the program can say it. */
  readonly patch: string;
  /** The same for the program that the modules were compiled from, and whether it was compiled and asked again. */
  readonly program?: { readonly patch: string; readonly isCompiled: boolean } | undefined;
  /** Of a kernel: larger launches that were asked as well. */
  readonly alsoFor?: readonly string[];
  /** Of a kernel: what is to be known of it. */
  readonly remark?: string;
}

/** What a suggestion changes in one place, and its copies. */
export interface Change {
  /** The first line of those that it changes, in the text that holds it. */
  readonly line: number;
  /** The same as answers cite it: `line 8`, or the line of a kernel's source program. */
  readonly at: string;
  /** How many more copies of that line are changed alike. */
  readonly copies: number;
  /** Whether an instruction of that line is changed, or one is put before or after it. */
  readonly place: 'at' | 'before' | 'after';
  /** Of a test that writes its threads out. */
  readonly thread: string;
  readonly from: string;
  readonly to: string;
  /** Of a kernel in CUDA: how that is written there. */
  readonly cuda?: string;
}

const PLACES = { access: 'at', fence: 'at', gap: 'before', end: 'after' } as const;

/** What some choices change, as a reader is told. */
export function suggestionOf(
  source: Source,
  sites: readonly Site[],
  choices: Choices,
  threadNames: readonly string[],
): Suggestion {
  const changed = changesIn(choices);
  return {
    changes: changed.map(([site, choice]): Change => {
      const [{ span }, ...copies] = site.spots;
      const cuda = inCuda(site, choice);
      return {
        line: positionOf(span.source, span.start).line,
        at: citation(span),
        copies: copies.length,
        place: PLACES[site.kind],
        thread: site.threads.map((index) => threadNames[index] ?? '').join(', '),
        from: site.present.shown ?? site.present.text,
        to: choice.shown ?? choice.text.replace(/;$/, ''),
        ...(cuda === undefined ? {} : { cuda }),
      };
    }),
    cost: costOfChoices(sites, choices),
    patch: patchOf(source, applied(source, choices)),
  };
}

const MOST_SETS = 3;

/** The cheapest first, each once. */
export function different(suggestions: readonly Suggestion[]): readonly Suggestion[] {
  const byPatch = new Map(suggestions.map((one) => [one.patch, one]));
  return [...byPatch.values()].sort((a, b) => a.cost - b.cost).slice(0, MOST_SETS);
}
