import { groupBy } from '../program/group-by.js';
import { SCOPES, type Scope } from '../program/placement.js';

/**
 * Where the threads of a test run. Written `01.2_3__4`: threads of one CTA stand together, `.` separates the CTAs of a
 * cluster, `_` the clusters of a GPU, `__` the GPUs. The plain cases have the names of litmus/README.md.
 */
export interface Place {
  readonly cta: number;
  readonly cluster: number;
  readonly gpu: number;
}

/** The place of each thread. CTAs and clusters are numbered over all GPUs, in the order of the threads. */
export type Places = readonly Place[];

/** How far a thread is from the closest thread before it. */
export const DISTANCES = SCOPES;
export type Distance = Scope;

const COUNT_WORDS = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'];
/** Between the GPUs, the clusters of one, the CTAs of one. */
const SEPARATORS = [
  ['gpu', '__'],
  ['cluster', '_'],
  ['cta', '.'],
] as const;

/** The place of one more thread, at a distance from thread `from`. */
export function placeNext(places: Places, from: number, distance: Distance): Place {
  const next = (key: keyof Place): number => places.reduce((most, place) => Math.max(most, place[key] + 1), 0);
  const near = places[from];
  const at = (key: keyof Place): number =>
    near === undefined || DISTANCES.indexOf(key) < DISTANCES.indexOf(distance) ? next(key) : near[key];
  return { cta: at('cta'), cluster: at('cluster'), gpu: at('gpu') };
}

/** All threads at one distance from each other. */
export function uniformPlaces(threads: number, distance: Distance): Places {
  const places: Place[] = [];
  for (let i = 0; i < threads; i++) places.push(placeNext(places, 0, distance));
  return places;
}

/** The places renumbered in the order of the threads, so that equal arrangements are equal. */
export function renumber(places: Places): Places {
  const rank = (key: keyof Place): ((place: Place) => number) => {
    const values = [...new Set(places.map((place) => place[key]))];
    return (place) => values.indexOf(place[key]);
  };
  const [cta, cluster, gpu] = [rank('cta'), rank('cluster'), rank('gpu')];
  return places.map((place) => ({ cta: cta(place), cluster: cluster(place), gpu: gpu(place) }));
}

/** The notation above. */
export function printPlaces(places: Places): string {
  const print = (threads: readonly number[], [level, ...inner]: readonly (typeof SEPARATORS)[number][]): string => {
    if (level === undefined) return threads.join('');
    const [key, separator] = level;
    const groups = [...groupBy(threads, (thread) => places[thread]?.[key]).values()];
    return groups.map((group) => print(group, inner)).join(separator);
  };
  return print([...places.keys()], SEPARATORS);
}

/** The notation or a name read back, for a number of threads; undefined if it is none, or not of these threads. */
export function parsePlaces(text: string, threads: number): Places | undefined {
  const named = DISTANCES.map((distance) => uniformPlaces(threads, distance)).find(
    (places) => namePlaces(places) === text,
  );
  if (named !== undefined) return named;
  const places: Place[] = [];
  let cta = 0;
  let cluster = 0;
  for (const [gpu, clusters] of text.split('__').entries()) {
    for (const ctas of clusters.split('_')) {
      for (const members of ctas.split('.')) {
        for (const digit of members) places[Number(digit)] = { cta, cluster, gpu };
        cta++;
      }
      cluster++;
    }
  }
  const complete =
    places.length === threads && Object.keys(places).length === threads && text.replace(/[._]/g, '').length === threads;
  return complete && !/[^0-9._]/.test(text) ? renumber(places) : undefined;
}

/** The name of an arrangement: `same-cta`, `one-cluster`, `two-ctas`, `two-gpus`, or the notation. */
export function namePlaces(places: Places): string {
  const count = places.length;
  const text = printPlaces(places);
  const words = COUNT_WORDS[count] ?? String(count);
  const names = { cta: 'same-cta', cluster: 'one-cluster', gpu: `${words}-ctas`, sys: `${words}-gpus` };
  const distance = DISTANCES.find((one) => printPlaces(uniformPlaces(count, one)) === text);
  return distance === undefined ? text : names[distance];
}
