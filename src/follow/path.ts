import { type LaneValue, select } from './lane-value.js';
import { type Origins, selectedOrigins } from './origins.js';
import type { Moves, SpecializedProgram } from './specialized-program.js';

/** The registers of some threads. */
export type State = LaneValue[];

/** Two ways of a branch of which it is not known which is taken, up to where they come together. */
export interface Fork {
  readonly join: number;
  readonly label: string;
  other: { readonly at: number; readonly state: State; readonly origins: Origins; readonly label: string } | undefined;
  reached: State | undefined;
  readonly ends: { readonly state: State; readonly origins: Origins; readonly moves: Moves | undefined }[];
}

/** The rounds of a loop so far. */
interface Rounds {
  /** The state at the beginning of the last of them. */
  readonly recent: readonly { readonly state: State; readonly origins: Origins; readonly label: string }[];
  /** How many forks were open when it was entered first. */
  readonly entered: number;
  /** So many rounds began while it was not known whether they are. */
  readonly uncertain: number;
  readonly all: number;
}

/** Threads that have gone the same way so far. */
export interface Path {
  /** Their places among all that lockstep. */
  lanes: readonly number[];
  at: number;
  state: State;
  forks: Fork[];
  /** Of loops, by their headers. */
  rounds: Map<number, Rounds>;
  specialized: SpecializedProgram | undefined;
  origins: Origins;
}

/** Parts threads by what they know; each part goes on by itself. */
export function parted(path: Path, by: Exclude<LaneValue, bigint | undefined>): readonly Path[] {
  const wanted = path.specialized === undefined ? [...new Set(by)] : [by[path.specialized.lane]];
  return wanted.map((value) => {
    const chosen = path.lanes.flatMap((_, lane) => (by[lane] === value ? [lane] : []));
    const part = <T extends { readonly state: State; readonly origins: Origins }>(of: T): T => ({
      ...of,
      state: of.state.map((one) => select(one, chosen)),
      origins: selectedOrigins(of.origins, chosen),
    });
    if (path.specialized !== undefined) path.specialized.lane = chosen.indexOf(path.specialized.lane);
    return {
      ...part(path),
      lanes: chosen.map((lane) => path.lanes[lane] ?? 0),
      forks: path.forks.map((fork) => ({
        ...fork,
        other: fork.other === undefined ? undefined : part(fork.other),
        reached: fork.reached?.map((one) => select(one, chosen)),
        ends: fork.ends.map(part),
      })),
      rounds:
        path.specialized === undefined
          ? new Map()
          : new Map([...path.rounds].map(([header, one]) => [header, { ...one, recent: one.recent.map(part) }])),
    };
  });
}
