import type { Choices } from './patch.js';
import type { Choice, Site } from './sites.js';

/** Whether a test with these choices is as it should be. */
export type Accepts = (choices: Choices) => Promise<boolean>;

export function costOfChoices(sites: readonly Site[], choices: Choices): number {
  return sites.reduce((sum, site) => sum + (choices.get(site) ?? site.present).cost, 0);
}

/**
 * Makes choices cheaper, one site after the other, as long as the test stays as it should be: what comes out cannot be
 * made cheaper at any single site. `options` are the choices of a site, cheapest first.
 */
export async function descend(
  sites: readonly Site[],
  from: Choices,
  options: (site: Site) => readonly Choice[],
  accepts: Accepts,
): Promise<Choices> {
  let current = from;
  for (let changed = true; changed; ) {
    changed = false;
    for (const site of sites) {
      const now = current.get(site) ?? site.present;
      const cheaper = await firstThat(options(site), async (choice) =>
        choice.cost < now.cost ? accepts(with_(current, site, choice)) : false,
      );
      if (cheaper === undefined) continue;
      current = with_(current, site, cheaper);
      changed = true;
    }
  }
  return current;
}

export function with_(choices: Choices, site: Site, choice: Choice): Choices {
  return new Map(choices).set(site, choice);
}

/** Of each site the first other choice. */
export const firstChoices = (sites: readonly Site[]): Choices =>
  new Map(sites.flatMap((site) => site.others.slice(0, 1).map((choice) => [site, choice] as const)));

/** Takes changes back in groups, halves first, as long as the test stays as it should be. */
export async function takeBack(sites: readonly Site[], from: Choices, accepts: Accepts): Promise<Choices> {
  let current = from;
  for (let size = Math.ceil(sites.length / 2); size > 1; size = Math.ceil(size / 2))
    for (let start = 0; start < sites.length; start += size) {
      const group = sites.slice(start, start + size).filter((site) => current.get(site) !== site.present);
      const without = new Map([...current, ...group.map((site) => [site, site.present] as const)]);
      if (group.length > 1 && (await accepts(without))) current = without;
    }
  return current;
}

/** Orders in which sites may be tried: each may lead to another set that cannot be made cheaper. */
export function tryingOrders(sites: readonly Site[]): readonly (readonly Site[])[] {
  const byCost = [...sites].sort((a, b) => b.present.cost - a.present.cost);
  return [byCost, sites, [...sites].reverse()];
}

/** The first of which a question is answered with yes; those behind it are not asked. */
export async function firstThat<T>(all: Iterable<T>, holds: (one: T) => Promise<boolean>): Promise<T | undefined> {
  for (const one of all) if (await holds(one)) return one;
  return undefined;
}

/** All of which a question is answered with yes. */
export async function allThat<T>(all: Iterable<T>, holds: (one: T) => Promise<boolean>): Promise<readonly T[]> {
  const kept: T[] = [];
  for (const one of all) if (await holds(one)) kept.push(one);
  return kept;
}
