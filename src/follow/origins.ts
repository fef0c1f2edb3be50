import { WINDOWS } from '../program/locations.js';
import { at, type LaneValue, lift, same, select } from './lane-value.js';

/**
 * Of registers whose values are not known: the locations that an address in them may lie in, by where these begin, each
 * lane by lane. A register that is not there may hold any address.
 */
export type Origins = ReadonlyMap<number, readonly LaneValue[]>;

/** The location in which an address lies, by where it begins. */
export type BaseOf = (address: bigint) => bigint | undefined;

/** With more locations than that nothing is known. */
const MOST_ORIGINS = 8;

export const isKnownToAll = (value: LaneValue): boolean =>
  typeof value === 'object' ? !value.includes(undefined) : value !== undefined;

/** Where a known value may point to: into no location, if it is no address. */
export function originsOfKnown(value: LaneValue, lanes: number, baseOf: BaseOf): readonly LaneValue[] {
  const base = lift(lanes, [value], ([address = 0n]) => (address < WINDOWS.global ? undefined : baseOf(address)));
  return base === undefined ? [] : [base];
}

/** Where what is computed of some operands may point to; `isChoice`: it is one of those after the first. */
export function originsOfResult(
  operands: readonly (readonly LaneValue[] | undefined)[],
  isChoice: boolean,
): readonly LaneValue[] | undefined {
  const chosen = isChoice ? operands.slice(1) : operands;
  if (isChoice && chosen.includes(undefined)) return undefined;
  const all = united(chosen.flatMap((list) => list ?? []));
  return (all.length === 0 && !isChoice) || all.length > MOST_ORIGINS ? undefined : all;
}

function united(values: readonly LaneValue[]): readonly LaneValue[] {
  return values.filter((value, i) => !values.slice(0, i).some((other) => same(value, other)));
}

/** Where it may point to what may be any of some. */
export function anyOrigins(lists: readonly (readonly LaneValue[] | undefined)[]): readonly LaneValue[] | undefined {
  const all = united(lists.flatMap((list) => list ?? []));
  return lists.includes(undefined) || all.length > MOST_ORIGINS ? undefined : all;
}

export const sameOrigins = (a: Origins, b: Origins, registers: readonly number[]): boolean =>
  registers.every((register) => {
    const [one, other] = [a.get(register), b.get(register)];
    if (one === undefined || other === undefined) return one === other;
    return one.length === other.length && one.every((value, i) => same(value, other[i]));
  });

/** Those of some of the lanes. */
export const selectedOrigins = (origins: Origins, lanes: readonly number[]): Origins =>
  new Map([...origins].map(([register, list]) => [register, list.map((value) => select(value, lanes))]));

/** Where one lane may point to; undefined: anywhere. */
export const originsAt = (list: readonly LaneValue[] | undefined, lane: number): readonly bigint[] | undefined =>
  list?.flatMap((value) => at(value, lane) ?? []);
