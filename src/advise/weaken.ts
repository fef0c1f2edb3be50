import type { Choices } from './patch.js';
import { type Accepts, allThat, costOfChoices, descend, firstThat, tryingOrders, with_ } from './search.js';
import type { Choice, Site } from './sites.js';
import { isAtMost } from './strength.js';

/** What a test can do without. */
export interface Weaker {
  /** One by one. */
  readonly alone: readonly Choices[];
  /** All together, in different ways, each cheaper than the test is. */
  readonly together: readonly Choices[];
}

/**
 * Which instructions can be weaker, or need not be there, as long as the test stays as it should be. What does not
 * alone does not with others either: weakening only lets more happen.
 */
export async function weaken(sites: readonly Site[], keeps: Accepts): Promise<Weaker> {
  const single = new Map<Site, readonly Choice[]>();
  for (const site of sites) {
    const weaker = site.others.filter((choice) => isAtMost(choice, site.present) && choice.cost < site.present.cost);
    single.set(site, await allThat(weaker, (choice) => keeps(new Map([[site, choice]]))));
  }
  const options = (site: Site): readonly Choice[] => single.get(site) ?? [];
  const alone = sites.flatMap((site) =>
    options(site)
      .slice(0, 1)
      .map((choice) => new Map([[site, choice]])),
  );
  const cost = costOfChoices(sites, new Map());
  const found: Choices[] = [];
  for (const order of tryingOrders(sites))
    found.push(await withoutFences(sites, await descend(order, new Map(), options, keeps), keeps));
  return { alone, together: found.filter((choices) => costOfChoices(sites, choices) < cost) };
}

/** A fence and a relaxed access may be one release or acquire: takes fences away where that is cheaper. */
async function withoutFences(sites: readonly Site[], from: Choices, keeps: Accepts): Promise<Choices> {
  let current = from;
  const now = (site: Site): Choice => current.get(site) ?? site.present;
  const accesses = sites.filter(({ kind }) => kind === 'access');
  for (const fence of sites.filter(({ kind }) => kind === 'fence')) {
    const none = fence.others.find(({ strength }) => strength === 'none');
    if (none === undefined || now(fence).strength === 'none' || now(fence).scope === undefined) continue;
    for (const access of accesses.filter((one) => isWith(one, fence))) {
      const without = with_(current, fence, none);
      const stronger = access.others.filter(
        (choice) =>
          isAtMost(now(access), choice) &&
          now(access).strength !== 'weak' &&
          choice.cost < now(access).cost + now(fence).cost,
      );
      const choice = await firstThat(stronger, (one) => keeps(with_(without, access, one)));
      if (choice === undefined) continue;
      current = with_(without, access, choice);
      break;
    }
  }
  return current;
}

/** Whether one thread does both; all threads of a launch come to all that it has. */
const isWith = (access: Site, fence: Site): boolean =>
  access.threads.length === 0 || access.threads.some((one) => fence.threads.includes(one));
