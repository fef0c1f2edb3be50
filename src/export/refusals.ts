import { Inexpressible } from '../convert/written-thread.js';
import { registersRead, registersWritten } from '../program/operands.js';
import type { Program } from '../program/program.js';
import type { LitmusFile } from '../syntax/litmus-ast.js';

/** What a run cannot be asked, or cannot end. */
export function refuse(file: LitmusFile, program: Program): void {
  if (file.launches.length > 0) throw new Inexpressible('it launches kernels');
  if (program.threads.some(({ placement }) => placement.gpu === undefined))
    throw new Inexpressible('it has threads of the host');
  if (program.observed.length === 0) throw new Inexpressible('it asks for no value of a final state');
  const deadlocks = program.expectations.some(({ finding, isDenied }) => finding === 'deadlock' && !isDenied);
  if (deadlocks) throw new Inexpressible('it expects a deadlock');
  if (program.expectations.some(({ finding, isDenied }) => finding === 'undefined' && !isDenied))
    throw new Inexpressible('it expects undefined behavior');
  refuseHangs(program);
  refuseUnbranched(program);
  if (/\bmultimem\./.test(file.source.text)) throw new Inexpressible('multimem: an address for several GPUs');
  if (program.filter !== undefined) throw new Inexpressible('it filters its executions');
}

/**
 * ptxas lets a load behind a wait begin before the answer is there, unless a branch needs the answer: what is seen then
 * is not the machine's doing.
 */
function refuseUnbranched({ threads }: Program): void {
  for (const { name, statements } of threads) {
    for (const { operation } of statements) {
      if (operation.kind !== 'mbarrier' || operation.action !== 'wait') continue;
      const reached = new Set([operation.target]);
      for (const { operation: other } of statements)
        if (registersRead(other).some((one) => reached.has(one)))
          for (const one of registersWritten(other)) reached.add(one);
      const isBranched = statements.some(
        ({ operation: { kind }, guard }) => kind === 'branch' && guard !== undefined && reached.has(guard.register),
      );
      if (!isBranched) throw new Inexpressible(`${name}: the answer of a wait that no branch asks for`);
    }
  }
}

/**
 * What a GPU may wait for without an end: nothing bounds the wait at a barrier, and a GPU that hangs does not let its
 * process go. Waiting loops give up by the clock.
 */
function refuseHangs({ threads }: Program): void {
  const barriers = threads.map(({ statements }) =>
    statements.flatMap(({ operation, guard }) =>
      operation.kind === 'barrier' || operation.kind === 'cluster-barrier' ? [{ barrier: operation, guard }] : [],
    ),
  );
  const isOfCta = ({ barrier }: (typeof barriers)[number][number]): boolean =>
    barrier.kind === 'barrier' && barrier.level === 'cta';
  for (const [i, { name, placement }] of threads.entries()) {
    const own = barriers[i] ?? [];
    const shares = threads.some(({ placement: other }, j) => i !== j && other.warp === placement.warp);
    if (own.some(isOfCta) && shares)
      throw new Inexpressible(`${name}: a barrier in a warp with another thread of the test, which may hang`);
    const ofCluster = own.flatMap(({ barrier }) => (barrier.kind === 'cluster-barrier' ? [barrier.action] : []));
    const balance = ofCluster.reduce((open, action) => open + (action === 'arrive' ? 1 : -1), 0);
    if (balance !== 0)
      throw new Inexpressible(`${name}: it does not wait for its last arrival at the cluster's barrier`);
    if (own.some(({ guard, barrier }) => guard !== undefined && barrier.kind === 'cluster-barrier'))
      throw new Inexpressible(`${name}: an arrival at the cluster's barrier that may not happen`);
  }
}

/** Whether some instruction of a test may keep its thread waiting, other than in a loop. */
export const mayBlock = ({ threads }: Program): boolean =>
  threads.some(({ statements }) =>
    statements.some(({ operation: { kind } }) => kind === 'barrier' || kind === 'cluster-barrier'),
  );
