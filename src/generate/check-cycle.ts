import { directionsOf } from './accesses.js';
import { accessOf, at, type Cycle, isExternal, staysAtLocation } from './cycle.js';

const MOST_THREADS = 8;
export const DIRECTION_WORDS = { R: 'a read', W: 'a write' } as const;

/** Why a cycle is none that a test can be made of, whatever the placement. */
export function problemOfCycle({ events, edges }: Cycle): string | undefined {
  const threads = edges.filter(isExternal).length;
  const found = threads === 0 ? 'none' : 'one';
  if (threads < 2) return `a cycle needs two edges to another thread (Rfe, Fre, Coe or a hand-over), found ${found}`;
  if (threads > MOST_THREADS) return `a cycle of ${threads} threads; at most ${MOST_THREADS} can be placed`;
  if (!edges.some(({ kind }) => kind === 'communication'))
    return 'a cycle of hand-overs alone shows nothing: it needs one of Rfe, Fre, Coe';
  const changes = edges.filter((edge) => !staysAtLocation(edge)).length;
  if (changes === 1)
    return (
      'one edge alone changes the location (d), so the cycle does not come back to the first location: use none or ' +
      'several'
    );
  for (const [i, event] of events.entries()) {
    const [before, after] = [at(edges, i - 1), at(edges, i)];
    if (!directionsOf(accessOf(event)).includes(event.direction))
      return `${event.access} cannot be ${DIRECTION_WORDS[event.direction]}`;
    if (event.access === 'nop' && (before.kind !== 'handOver' || after.kind !== 'handOver'))
      return 'nop stands between two hand-overs, for a thread without an access of its own';
    if (event.access === 'nop' && event.alias) return 'nop has no location, so no alias';
    if (before.kind === 'atomic' && after.kind === 'atomic') return 'between two Amo edges there must be another one';
    if (before.kind === 'atomic' && event.alias !== at(events, i - 1).alias)
      return 'the two events of an Amo edge are one instruction, so both are through the alias or none';
  }
  return undefined;
}
