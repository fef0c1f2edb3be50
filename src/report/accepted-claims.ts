import type { ReportedAllowance, ReportedClaim, ReportedTest } from './reported-test.js';

/** Why a broken claim is accepted all the same, and who says so; undefined where it is not. */
export type AcceptClaim = (claim: ReportedClaim, test: ReportedTest) => string | undefined;

/**
 * A test with those of its broken claims taken as accepted that somebody accepts: they are told of and counted, and
 * break nothing. The answers stay as they are.
 */
export function withAcceptedClaims(test: ReportedTest, accept: AcceptClaim): ReportedTest {
  const reasons = new Map(
    test.claims.flatMap((claim) => {
      const because = claim.outcome === 'broken' ? accept(claim, test) : undefined;
      return because === undefined ? [] : [[claim, because] as const];
    }),
  );
  if (reasons.size === 0) return test;
  const claims = test.claims.map(
    (claim): ReportedClaim => (reasons.has(claim) ? { ...claim, outcome: 'accepted' } : claim),
  );
  const told = [...reasons].map(
    ([{ claim, line, column, program }, because]): ReportedAllowance => ({
      ...{ allowance: claim, because, outcome: 'found', line, column, entry: because },
      ...(program !== undefined && { program }),
    }),
  );
  const lines = told.map(({ allowance, because }) => `\n  accepted: ${allowance}: ${because}`).join('');
  return {
    ...test,
    claims,
    accepted: [...(test.accepted ?? []), ...told],
    broken: claims.some(({ outcome }) => outcome === 'broken'),
    ...(test.problem !== undefined && { problem: `${test.problem}${lines}` }),
    ...(test.full !== undefined && { full: `${test.full}${lines}` }),
    ...(test.json !== undefined && {
      json: { ...test.json, allowed: told.map(({ allowance, because }) => ({ claim: allowance, because })) },
    }),
  };
}
