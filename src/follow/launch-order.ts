import type { LaunchCode } from './setting.js';
import type { Warp } from './warp.js';

/** A launch that has begun. */
export interface Begun {
  readonly launch: number;
  readonly code: LaunchCode;
  readonly warps: readonly Warp[];
}

/** The launches of a test, each behind those that it comes after. */
export function inOrder(launches: readonly LaunchCode[]): readonly number[] {
  const order: number[] = [];
  const visit = (launch: number): void => {
    if (order.includes(launch)) return;
    const { after, launchedBy } = startOf(launches, launch);
    for (const before of [...after, ...launchedBy]) visit(before);
    order.push(launch);
  };
  for (const launch of launches.keys()) visit(launch);
  return order;
}

/** The launches that are complete before a launch begins, and those that may have launched it before they are. */
export function startOf(
  launches: readonly LaunchCode[],
  launch: number,
): { readonly after: readonly number[]; readonly launchedBy: readonly number[] } {
  const waits = (launches[launch]?.start ?? []).flatMap(({ operation }) =>
    operation.kind === 'grid-wait' ? [operation] : [],
  );
  return {
    after: launchesOf(
      launches,
      waits.flatMap(({ complete }) => complete),
    ),
    launchedBy: launchesOf(
      launches,
      waits.flatMap(({ launchedBy }) => launchedBy),
    ),
  };
}

/** Whether a launch begins behind another one, or after each CTA of that has let it or has ended. */
export function comesAfter(launches: readonly LaunchCode[], launch: number, other: number): boolean {
  const { after, launchedBy } = startOf(launches, launch);
  return [...after, ...launchedBy].some((before) => before === other || comesAfter(launches, before, other));
}

/** Whether another launch neither comes after one nor before it. */
export const isBesideOthers = (launches: readonly LaunchCode[], launch: number): boolean =>
  [...launches.keys()].some(
    (other) => other !== launch && !comesAfter(launches, launch, other) && !comesAfter(launches, other, launch),
  );

/** Launches, by the numbers of their grids. */
export const launchesOf = (launches: readonly LaunchCode[], grids: readonly number[]): readonly number[] =>
  grids.map((grid) => launches.findIndex(({ planned }) => planned.launch.number === grid));
