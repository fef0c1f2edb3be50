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
export const DISTANCES = ['cta', 'cluster', 'gpu', 'sys'] as const;
export type Distance = (typeof DISTANCES)[number];

const COUNT_WORDS = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'];
const SEPARATORS = { cta: '', cluster: '.', gpu: '_', sys: '__' } as const satisfies Record<Distance, string>;

/** The place of one more thread, at a distance from thread `from`. */
export function placeNext(places: Places, from: number, distance: Distance): Place {
  const next = (key: keyof Place): number => places.reduce((most, place) => Math.max(most, place[key] + 1), 0);
  const near = places[from];
  if (near === undefined) return { cta: next('cta'), cluster: next('cluster'), gpu: next('gpu') };
  switch (distance) {
    case 'cta':
      return near;
    case 'cluster':
      return { ...near, cta: next('cta') };
    case 'gpu':
      return { ...near, cta: next('cta'), cluster: next('cluster') };
    case 'sys':
      return { cta: next('cta'), cluster: next('cluster'), gpu: next('gpu') };
  }
}

/** All threads at one distance from each other. */
export function uniformPlaces(threads: number, distance: Distance): Places {
  const places: Place[] = [];
  for (let i = 0; i < threads; i++) places.push(placeNext(places, 0, distance));
  return places;
}

/** The places renumbered in the order of the threads, so that equal arrangements are equal. */
export function renumber(places: Places): Places {
  const ranks = (key: keyof Place): ReadonlyMap<number, number> =>
    new Map([...new Set(places.map((place) => place[key]))].map((value, rank) => [value, rank]));
  const [cta, cluster, gpu] = [ranks('cta'), ranks('cluster'), ranks('gpu')];
  return places.map((place) => ({
    cta: cta.get(place.cta) ?? 0,
    cluster: cluster.get(place.cluster) ?? 0,
    gpu: gpu.get(place.gpu) ?? 0,
  }));
}

/** The notation above. */
export function printPlaces(places: Places): string {
  const groups = (threads: readonly number[], key: keyof Place): readonly (readonly number[])[] => {
    const values = [...new Set(threads.map((thread) => places[thread]?.[key]))];
    return values.map((value) => threads.filter((thread) => places[thread]?.[key] === value));
  };
  return groups([...places.keys()], 'gpu')
    .map((gpu) =>
      groups(gpu, 'cluster')
        .map((cluster) =>
          groups(cluster, 'cta')
            .map((cta) => cta.join(SEPARATORS.cta))
            .join(SEPARATORS.cluster),
        )
        .join(SEPARATORS.gpu),
    )
    .join(SEPARATORS.sys);
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
  const is = (distance: Distance): boolean => printPlaces(uniformPlaces(count, distance)) === text;
  const words = COUNT_WORDS[count] ?? String(count);
  if (is('cta')) return 'same-cta';
  if (is('cluster')) return 'one-cluster';
  if (is('gpu')) return `${words}-ctas`;
  if (is('sys')) return `${words}-gpus`;
  return text;
}
