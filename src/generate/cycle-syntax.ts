import { FAMILIES, FAMILY_TITLES } from './families.js';

/** How cycles are written, for those who know diy. */
export const CYCLE_SYNTAX = `A cycle is a list of edges, as for diy. Edges to another thread:
  Rfe Fre Coe (or Wse)      reads-from, from-reads, coherence
  GIVE>TAKE dWR             a hand-over: GIVE is the last thing of one thread, TAKE the first of the next
Edges within a thread; s or d: same or different location, then the directions of the two events:
  PodWR PosRR               program order alone; Rfi, Fri, Coi (Wsi) are PosWR, PosRW, PosWW
  Fence.sc.gpu dWR          a fence between (sc, acq_rel, acquire, release; cta, cluster, gpu, sys); several: A-B dWR
  Fence.alias dWR           proxy fences: fence.alias, fence.alias.rel.sys, fence.async, fence.async.shared.cta, ...
  bar.sync dWR              the barrier of the CTA
  branch dRR                past the thread's other accesses, unless the read brought the value of the outcome
  DpAddrdR DpDatadW DpCtrldW  dependencies on the load before
  Amo.exch.acq_rel.gpu      an atomic operation (exch, add, cas), both read and write; Rmw is Amo.exch.rlx.gpu
Between two edges may stand what the event there is:
  Weak Vol Rlx.gpu Acq.cta Rel.sys       a load or a store (default: --order)
  exch.rlx.gpu add.acq.gpu cas.. red..   an atomic operation as a write; add also as a read (of 0)
  st.async.rel.gpu red.async.rel.sys     an asynchronous release
  cp.async.wait_all g2s.wait s2g.wait_group.0 s2s st.async red.async reduce.s2g ...
                                         a copy to the location (write) or from it (read), and how its end is awaited
  Nop                                    between two hand-overs: no access
  ....alias                              any of them, through the alias of the location
Hand-overs, with fences before and after as in Fence.acq_rel.cta-arrive.rlx.cta>spin.try_wait.acq.cta sWR:
  arrive.rel.cta arrive_drop.. arrive.2.. arrive.expect_tx..
    > spin.try_wait.acq.cta try_wait.. spin.test_wait.. spin.token..
  tx (expected before the copy; tx.late, tx.taker, tx.short) or cp.async.arrive[.noinc], after a copy > the same waits
  bar.sync bar.arrive > bar.sync; cbar.rel cbar.rlx > cbar.rel cbar.rlx (barrier.cluster)
Families:
${[...FAMILIES]
  .reverse()
  .map((family) => `  ${family.padEnd(9)} ${FAMILY_TITLES[family]}`)
  .join('\n')}
Example: ptx-litmus gen 'PodWW Rel.gpu Rfe Acq.cta PodRR Fre' --place two-ctas`;
