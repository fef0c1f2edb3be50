import type { EventStructure } from './events.js';

/**
 * The answer to a clusterlaunchcontrol.try_cancel that succeeds, as this tool lays it out (it is opaque in PTX): bit 0
 * is set, and the words after the first are the coordinates of a CTA that has not started, hence appears nowhere in the
 * test; no two requests get the same one.
 */
export function responseOf(structure: EventStructure, issue: number, half: number): bigint {
  const requests = structure.events
    .filter((event) => event.kind === 'issue' && isRequest(structure, event.thread, event.node))
    .map(({ id }) => id);
  const last = Math.max(...structure.program.threads.map(({ placement }) => placement.ctaNumber));
  const x = BigInt(last + 1 + requests.indexOf(issue));
  return half === 0 ? 1n | (x << 32n) : 0n;
}

function isRequest(structure: EventStructure, thread: number, node: number): boolean {
  const operation = structure.threads[thread]?.nodes[node]?.statement.operation;
  return operation?.kind === 'async' && operation.source.kind === 'response';
}
