import { Numbers } from '../program/numbers.js';
import type { BarrierOperation } from '../program/operation.js';
import type { ValueDomain } from './value-domain.js';

/** What one participant of a rendezvous gives. */
export interface Given<V, C> {
  readonly lane: number;
  readonly present: C;
  readonly value: V;
}

const WORD = 32;

/**
 * What a rendezvous returns to one of its participants (PTX ISA, barrier.red, vote.sync, match.sync, redux.sync).
 * Results of a word and a predicate have the predicate as bit 32.
 */
export function collectiveResult<V, C>(
  domain: ValueDomain<V, C>,
  { operation, width, signed, resultWidth }: NonNullable<BarrierOperation['reduction']>,
  own: { readonly lane: number; readonly value: V },
  given: readonly Given<V, C>[],
): V {
  const { yes } = domain;
  const constant = (bits: bigint, of = width): V => domain.constant(BigInt.asUintN(of, bits), of);
  const bit = (condition: C, at: number, of = resultWidth): V =>
    domain.choose(condition, constant(1n << BigInt(at), of), constant(0n, of));
  const both = (name: 'and' | 'or' | 'xor' | 'add' | 'minimum' | 'maximum', a: V, b: V, of: number): V =>
    domain.compute({ name, signed, width: of, resultWidth: of }, [a, b]);
  const fold = (name: 'and' | 'or' | 'xor' | 'add' | 'minimum' | 'maximum', neutral: bigint): V =>
    given
      .map(({ present, value }) => domain.choose(present, value, constant(neutral)))
      .reduce((x, y) => both(name, x, y, width), constant(neutral));
  const union = (parts: readonly V[]): V =>
    parts.reduce((x, y) => both('or', x, y, resultWidth), constant(0n, resultWidth));
  const same = (value: V): C => domain.truth(new Numbers(domain, width).equal(value, own.value));
  /** All that are present give the same. */
  const uniform = (): C =>
    given
      .map(({ present, value }) => domain.or(domain.not(present), same(value)))
      .reduce((x, y) => domain.and(x, y), yes);
  const largest = (1n << BigInt(width - 1)) - 1n;
  switch (operation) {
    case 'popc':
      return given
        .map(({ present, value }) => bit(domain.and(present, domain.truth(value)), 0))
        .reduce((x, y) => both('add', x, y, WORD), constant(0n, WORD));
    case 'and':
      return fold('and', -1n);
    case 'or':
    case 'xor':
    case 'add':
      return fold(operation, 0n);
    case 'minimum':
      return fold('minimum', signed ? largest : -1n);
    case 'maximum':
      return fold('maximum', signed ? -largest - 1n : 0n);
    case 'uniform':
      return bit(uniform(), 0);
    case 'ballot':
      return union(given.map(({ lane, present, value }) => bit(domain.and(present, domain.truth(value)), lane)));
    case 'match-any':
      return union(given.map(({ lane, present, value }) => bit(domain.and(present, same(value)), lane)));
    case 'match-all': {
      const agree = uniform();
      return union([bit(agree, WORD), ...given.map(({ lane, present }) => bit(domain.and(agree, present), lane))]);
    }
    case 'shuffle-up':
    case 'shuffle-down':
    case 'shuffle-bfly':
    case 'shuffle-idx':
    case 'collective':
      return union(wordsAskedFor(domain, own.value, given, width, resultWidth));
    // Open, within limits (elections.ts).
    case 'elect':
    case 'active':
    case 'converge':
      return own.value;
  }
}

/**
 * Given are a word and above it the lane that is asked for; returned is that lane's word, and above it a 1. Of the
 * others nothing.
 */
function wordsAskedFor<V, C>(
  domain: ValueDomain<V, C>,
  own: V,
  given: readonly Given<V, C>[],
  width: number,
  resultWidth: number,
): readonly V[] {
  const [lanes, results] = [new Numbers(domain, 8), new Numbers(domain, resultWidth)];
  const asked = domain.resize(new Numbers(domain, width).shiftRightBy(own, WORD), lanes.width, false);
  return given.map(({ lane, present, value }) => {
    const word = domain.resize(domain.resize(value, WORD, false), resultWidth, false);
    const found = results.or(word, results.number(1n << BigInt(WORD)));
    const isAsked = domain.truth(lanes.equal(asked, lanes.number(lane)));
    return domain.choose(domain.and(present, isAsked), found, results.number(0));
  });
}
