import { isEveryRun, type OpenConflict, type WholeFinding, type WholeRun } from '../order/whole-run.js';

/**
 * What following says of a launch in which lanes exchange values: where that orders memory under the model, with that;
 * else, of what goes wrong, whether it would not if it did (docs/decisions/warp-barrier.md).
 */
export function withExchanges(
  run: WholeRun,
  areOrdered: () => boolean,
  /** What following says where they do. */
  ordered: () => WholeRun | undefined,
): WholeRun {
  if (!run.exchanges || isEveryRun(run)) return run;
  const isWrong = run.findings.length > 0 || run.conflicts.some(({ isCertain }) => isCertain);
  if (areOrdered()) return ordered() ?? run;
  const other = isWrong ? ordered() : undefined;
  if (other === undefined || other.open !== undefined) return run;
  const findings = new Set(other.findings.map(nameOf));
  const conflicts = new Set(other.conflicts.map(linesOf));
  return {
    ...run,
    findings: run.findings.map((one) => ({ ...one, isByLetter: !findings.has(nameOf(one)) })),
    conflicts: run.conflicts.map((one) => ({ ...one, isByLetter: !conflicts.has(linesOf(one)) })),
  };
}

const nameOf = ({ rule, thread: { span } }: WholeFinding): string => `${rule} ${span.source.path} ${span.start}`;

const linesOf = ({ threads }: OpenConflict): string =>
  threads
    .map(({ span }) => `${span.source.path} ${span.start}`)
    .sort()
    .join();
