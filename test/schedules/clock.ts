/**
 * Vector clocks. A component is a thread, one of its streams of asynchronous copies, or a copy of its own; components
 * that a clock does not reach yet are 0.
 */
export type Clock = Int32Array<ArrayBuffer>;

export function knows(clock: Clock, component: number, epoch: number): boolean {
  return component < clock.length && clock[component]! >= epoch;
}

/** The clock with all that the other knows: the same array, or a longer one. */
export function joinInto(clock: Clock, other: Clock): Clock {
  let into = clock;
  if (other.length > clock.length) {
    into = new Int32Array(other.length);
    into.set(clock);
  }
  for (let i = 0; i < other.length; i++) if (other[i]! > into[i]!) into[i] = other[i]!;
  return into;
}

export function withComponent(clock: Clock, component: number, epoch: number): Clock {
  let into = clock;
  if (component >= clock.length) {
    into = new Int32Array(component + 16);
    into.set(clock);
  }
  if (into[component]! < epoch) into[component] = epoch;
  return into;
}

/**
 * What a `fence.proxy.async` has covered, by the space that it was for: the async proxy may go by that. At 0 all
 * spaces, at 1 global memory, at 2 + n the shared memory of CTA n. The clocks in it are never changed.
 */
export type Covered = readonly (Clock | undefined)[];

export const COVERS_ALL = 0;
export const COVERS_GLOBAL = 1;
export const COVERS_SHARED = 2;

export function joinCovered(covered: Covered, other: Covered): Covered {
  if (other.length === 0 || covered === other) return covered;
  let into: (Clock | undefined)[] | undefined;
  for (let i = 0; i < other.length; i++) {
    const theirs = other[i];
    const ours = covered[i];
    if (theirs === undefined || theirs === ours) continue;
    into ??= [...covered];
    into[i] = ours === undefined ? theirs : joinInto(ours.slice(), theirs);
  }
  return into ?? covered;
}

export function coveredBy(covered: Covered, space: number, clock: Clock): Covered {
  const into = [...covered];
  const before = into[space];
  into[space] = before === undefined ? clock.slice() : joinInto(clock.slice(), before);
  return into;
}

export function isCovered(covered: Covered, space: number, component: number, epoch: number): boolean {
  const all = covered[COVERS_ALL];
  if (all !== undefined && knows(all, component, epoch)) return true;
  const one = covered[space];
  return one !== undefined && knows(one, component, epoch);
}
