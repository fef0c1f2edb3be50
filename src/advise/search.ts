import type { Choices } from './patch.js';
import type { Choice, Site } from './sites.js';

/** Whether a test with these choices is as it should be. */
export type Accepts = (choices: Choices) => boolean;

export function costOfChoices(sites: readonly Site[], choices: Choices): number {
  return sites.reduce((sum, site) => sum + (choices.get(site) ?? site.present).cost, 0);
}

/**
 * Makes choices cheaper, one site after the other, as long as the test stays as it should be: what comes out cannot be
 * made cheaper at any single site. `options` are the choices of a site, cheapest first.
 */
export function descend(
  sites: readonly Site[],
  from: Choices,
  options: (site: Site) => readonly Choice[],
  accepts: Accepts,
): Choices {
  let current = from;
  for (let changed = true; changed; ) {
    changed = false;
    for (const site of sites) {
      const now = current.get(site) ?? site.present;
      const cheaper = options(site).find((choice) => choice.cost < now.cost && accepts(with_(current, site, choice)));
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

/** Orders in which sites may be tried: each may lead to another set that cannot be made cheaper. */
export function tryingOrders(sites: readonly Site[]): readonly (readonly Site[])[] {
  const byCost = [...sites].sort((a, b) => b.present.cost - a.present.cost);
  return [byCost, sites, [...sites].reverse()];
}
