import type { Poll } from '../flow/polls.js';
import { initialValue, type Manner } from '../program/locations.js';
import type { Atomic, Load } from '../program/operation.js';
import type { EarlierRound } from './earlier-rounds.js';
import { placeBy } from './lane-place.js';
import type { MemoryImage, Place } from './memory-image.js';
import { heldBy, Others } from './others-of-wait.js';
import type { Held, Word } from './region-walk.js';
import { wordOf } from './trace.js';
import type { Turn } from './turn.js';
import type { PollStep } from './wait-steps.js';
import { Waiting } from './waiting.js';
import type { WordValues } from './word-values.js';

/** Where a lane looks first, and how: so it does all along. */
interface Look {
  readonly place: Place;
  readonly manner: Manner;
}

/** How a wait ends, by what is found, and by what an atomic has found that it depends on. */
export interface Round {
  readonly after: number | undefined;
  /** Where it is left to if memory stays as it is; undefined: that is open. */
  readonly exit: () => number | 'again' | undefined;
  readonly ends: PollStep['ends'];
  /** The others of its CTA, none of whom may end it. */
  readonly others: Others;
  readonly earlier: () => EarlierRound;
}

/** What is in memory, and what the run has written there when it is over. */
interface Words {
  readonly image: MemoryImage;
  readonly written: WordValues;
}

/** How the wait of a lane ends that has come to its first look. */
export function roundOf({ image, written: words }: Words, turn: Turn, poll: Poll, lane: number, own: Look): Round {
  const { warp, at: here } = turn;
  const { held, derived, after } = heldBy(warp, poll, lane);
  const places = new Map<Word, Place>();
  const wordAt = (access: Load | Atomic, registers: Held, element: number): Word | undefined => {
    const isOwn = access === poll.access || poll.region.looks.size === 1;
    const whole = isOwn ? undefined : placeBy(image, warp.accessors[lane], access, registers, own.manner);
    const place = isOwn ? own.place : whole && elementOf(whole, access, element);
    if (place === undefined || access.type.width !== poll.access.type.width) return undefined;
    const word = wordOf(place.piece, place.offset);
    places.set(word, place);
    return word;
  };
  const waiting = new Waiting(warp.code, poll, here, held, wordAt);
  const bytes = poll.access.type.width / 8;
  const atPlace = <T>(of: (place: Place) => T) => {
    return (word: Word): T | undefined => {
      const place = places.get(word);
      return place && of(place);
    };
  };
  const now = atPlace(({ piece, offset }) => image.find(piece, offset, bytes));
  const seen = new Map<Word, Set<bigint>>();
  const current = (word: Word): bigint | undefined => {
    const value = now(word);
    if (value !== undefined) seen.set(word, (seen.get(word) ?? new Set()).add(value));
    return value;
  };
  const exit = (): number | 'again' | undefined => {
    if (after === 'several') return undefined;
    const end = waiting.ending(current);
    // Who waits for a change, and not for a value, may go on in other executions.
    return end === 'again' && !waiting.isWait((word) => [...(seen.get(word) ?? [])]) ? undefined : end;
  };
  const written = atPlace((place) => words.at(place, bytes));
  waiting.isWritten = (word) => atPlace((place) => words.isWritten(place, bytes))(word) ?? true;
  const byResult = new Map<bigint, Waiting>();
  const others = new Others(poll, waiting.walk, waiting.start, waiting.relied);
  const ends: PollStep['ends'] = (value, result) => {
    const isTold = !poll.region.tells || others.ends(value) !== undefined;
    if (result === undefined || derived.size === 0) return isTold ? waiting.ends(value, written) : undefined;
    if (poll.region.tells) return undefined;
    const registers = (): Held => new Map([...held, ...[...derived].map(([name, of]) => [name, of(result)] as const)]);
    const own = byResult.get(result) ?? new Waiting(warp.code, poll, here, registers(), wordAt);
    byResult.set(result, own);
    return own.ends(value, written);
  };
  const initial = atPlace(({ piece, offset }) => initialValue(piece.object, offset, bytes));
  const earlier = (): EarlierRound => {
    const looks = waiting.firstRound(initial).map((look) => ({ at: look.at, word: waiting.walk.wordAt(look) ?? '' }));
    const isOfRun = looks.every(({ word }) => places.has(word) && now(word) === initial(word));
    const placed = looks.map(({ at, word }) => ({ at, place: places.get(word) }));
    return { looks: placed, isOfRun, found: image.find(own.place.piece, own.place.offset, bytes), others };
  };
  return { after: after === 'several' ? undefined : after, exit, ends, others, earlier };
}

/** An element of a vector. */
export const elementOf = (whole: Place, { type }: Load | Atomic, element: number): Place => ({
  ...whole,
  offset: whole.offset + element * (type.width / 8),
});
