import { basename } from 'node:path';
import { expect } from 'vitest';
import { complaint } from '../../twins.js';
import { fewerOfLarge, type Judge, WHOLE } from '../judge.js';

/** Outcomes that the axioms allow and no machine has that executes synchronizing operations in order. */
const NEED_LOAD_BUFFERING: readonly string[] = [
  'CoLB+or.cta-exch.rel.gpu+exch.rel.gpu',
  'arrive-rlx+ld-sync-two-syncs',
  'async.WAR+ld-fence.async.shared.cta-remote-g2s',
  'async.WAR+ld-g2s',
  'async.pipeline+full-empty',
  'async.uni.WAR+nothing+acq.sync_restrict',
  'async.uni.WAR+rel.sync_restrict+nothing',
  'async.uni.read.WAR-other-thread+rel.read+acq.sync_restrict',
  'bullet4+ld-arrive.rlx+wait-st',
  'dependent+fence.sc-at-the-end+no-trigger',
  'gemm+1-stage+2-iterations+no-proxy-fence',
  'init.cluster+relaxed-without-fence',
  'mbarrier_init+arrive.rlx-wait+remote-arrive',
];

/** Where the machine does not know a value, or has too many states to go through. */
const NOT_BY_MACHINE: readonly (readonly [RegExp, RegExp])[] = [
  [/^life\+ld-after-inval$/, /leaves open/],
  [
    /^(special\+|loop\+until|carry\+mixed|abs\+neg\+NaN|discard|shfl\.idx\+absent|cbarrier\.sm_(75|90a))/,
    /leaves open/,
  ],
  [/^(hist\.sm_|uninitialized\+(half|unused-value)$)/, /no known value/],
  [/^cta_group\.2\+alloc-dealloc$/, /may wait for the other CTA/],
];
/** Which the machine takes longer for than for a hundred others: asked with SWEEP=all. */
const SLOW = /\/(opswitch\.sm_|(ld|st)matrix\.x1\.trans\+values|movmatrix\+values)/;
/** Which it takes minutes for. */
const TOO_LARGE = /^(localtrap\.sm_|ldmatrix\.trans\+)/;

export const enginesAgree: Judge = {
  name: 'the axioms and the machine find the same',
  every: (file) => (SLOW.test(file) ? Number.POSITIVE_INFINITY : fewerOfLarge(2)(file)),
  share: WHOLE,
  judge(test, count) {
    const name = basename(test.file, '.litmus');
    if (TOO_LARGE.test(name)) return;
    const engines = test.crossCheck();
    expect(engines.needLoadBuffering.length > 0, 'it needs load buffering across synchronization').toBe(
      NEED_LOAD_BUFFERING.includes(name),
    );
    const [, why] = NOT_BY_MACHINE.find(([names]) => names.test(name)) ?? [];
    if (engines.undecided !== undefined && why !== undefined) {
      expect(JSON.stringify(engines.undecided)).toMatch(why);
      count('left open by the machine');
      return;
    }
    expect(complaint(engines)).toBe('agree');
    count('compared');
  },
};
