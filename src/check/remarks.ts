import type { Span } from '../diagnostics/source.js';
import type { RunRemark } from '../order/whole-run.js';

/** What a run of all threads of launches shows that breaks nothing, and a reader should know. */
export interface Remark {
  /**
   * Data that are handed on by relaxed accesses alone; time-outs; copies that nobody waits for; what makes the answers
   * thin, or leaves some open.
   */
  readonly kind: 'relaxed' | 'timeout' | 'in-flight' | 'thin' | 'open';
  readonly what: string;
  readonly places: readonly Span[];
}

/** Such a remark in words. */
export function remarkOf(remark: RunRemark): Remark {
  switch (remark.kind) {
    case 'relaxed':
      return {
        kind: 'relaxed',
        what: 'handed on by relaxed accesses, and nothing orders what came before: ask for a result, or put a fence',
        places: remark.places,
      };
    case 'timeout':
      return {
        kind: 'timeout',
        what: 'this time-out, which ends in a trap, is taken not to run out: a wait without an end is a deadlock here',
        places: remark.places,
      };
    case 'in-flight':
      return {
        kind: 'in-flight',
        what:
          'this may still read the shared memory of its CTA when that has ended, of which PTX says nothing: wait for ' +
          'it first, as by cp.async.bulk.wait_group.read 0',
        places: remark.places,
      };
    case 'unreached':
      return thin(`no thread of ${remark.launch} comes to these lines`, remark.places);
    case 'one-cta':
      return thin(`${remark.launch} is one CTA, and the code asks which (%ctaid)`);
    case 'unshared':
      return thin('no byte that is written is accessed by two threads: nothing could race');
  }
}

/** What the run leaves open, of which nothing else is said where the engines do not come to an end. */
export const leftOpen = (what: string, places: readonly Span[]): Remark => ({
  kind: 'open',
  what: `following all threads does not decide this test: ${what}`,
  places,
});

const thin = (what: string, places: readonly Span[] = []): Remark => ({ kind: 'thin', what, places });
