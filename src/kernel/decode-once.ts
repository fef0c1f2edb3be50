import type { Placement } from '../program/placement.js';
import type { decodeKernel } from './decode-kernel.js';

type Decoded = ReturnType<typeof decodeKernel>;

/** What was decoded at a place, and what was looked at of that place. */
interface DecodedAt {
  readonly looked: ReadonlyMap<keyof Placement, unknown>;
  readonly asked: ReadonlySet<string>;
  readonly decoded: Decoded;
}

/** The kernel of one launch, decoded for its threads: once for all places that differ in nothing that is looked at. */
export class DecodedOnce {
  private readonly known: DecodedAt[] = [];

  constructor(private readonly decode: (placement: Placement, asked: ReadonlySet<string>) => Decoded) {}

  at(placement: Placement, asked: ReadonlySet<string>): Decoded {
    const same = this.known.find(
      (one) => areSame(one.asked, asked) && [...one.looked].every(([name, value]) => placement[name] === value),
    );
    if (same !== undefined) return same.decoded;
    const looked = new Map<keyof Placement, unknown>();
    const decoded = this.decode(
      toldOf(placement, (name) => looked.set(name, placement[name])),
      asked,
    );
    this.known.push({ looked, asked, decoded });
    return decoded;
  }
}

const areSame = (a: ReadonlySet<string>, b: ReadonlySet<string>): boolean =>
  a.size === b.size && [...a].every((one) => b.has(one));

/** The same place; who looks at a part of it is heard, also who copies it whole. */
const toldOf = (placement: Placement, hear: (name: keyof Placement) => void): Placement =>
  new Proxy(placement, {
    get: (of, name) => {
      hear(name as keyof Placement);
      return of[name as keyof Placement];
    },
  });
