import type { PlannedLocation } from './memory-plan.js';
import type { Place, Places } from './places.js';
import { ThreadWriter } from './thread-writer.js';
import type { Box } from './write-access.js';

/** The memory and the threads of a test as they grow. */
export class TestWriter {
  readonly threads: readonly ThreadWriter[];
  /** What a copy brought, that the next thread reads once it is told. */
  handedBox: Box | undefined;
  readonly #declarations = new Map<string, string>();
  readonly #homes = new Map<string, number>();
  #boxes = 0;

  constructor(places: Places) {
    this.threads = places.map((place, i) => new ThreadWriter(`P${i}`, place));
  }

  get declarations(): readonly string[] {
    return [...this.#declarations.values()];
  }

  location({ name, home, tile, aliased }: PlannedLocation): void {
    this.#declare(name, home, tile ? 16 : 4, 0);
    const alias = aliasOf(name);
    if (aliased) this.#declarations.set(alias, `.global ${typed(alias, tile ? 16 : 4)} aliases ${name};`);
  }

  /** An mbarrier of that many arrivals. */
  object(name: string, home: number, arrivals: number): void {
    this.#homes.set(name, home);
    this.#declarations.set(name, `.shared .b64 ${name} = mbarrier(${arrivals}) @ cta ${home};`);
  }

  homeOf(object: string): number | undefined {
    return this.#homes.get(object);
  }

  /** A place for a copy to write to, which nothing else writes. */
  box(home: number | undefined, bytes: number): string {
    const name = `t${this.#boxes++}`;
    this.#declare(name, home, bytes, 0);
    return name;
  }

  /** A place with a value for a copy to read, which nothing writes. */
  constant(value: number, home: number | undefined, bytes: number): string {
    const name = home === undefined ? `src${value}` : `src${value}_cta${home}`;
    // The same value may feed a copy of one word and one of a tile.
    const sized = bytes === 16 ? `${name}_tile` : name;
    this.#declare(sized, home, bytes, value);
    return sized;
  }

  #declare(name: string, home: number | undefined, bytes: number, value: number): void {
    const initial = bytes === 16 ? `{${[value, value, value, value].join(', ')}}` : `${value}`;
    const [space, place] = home === undefined ? ['.global', ''] : ['.shared', ` @ cta ${home}`];
    this.#declarations.set(name, `${space} ${typed(name, bytes)} = ${initial}${place};`);
  }
}

/** A word, or a tile of 16 bytes. */
const typed = (name: string, bytes: number): string => (bytes === 16 ? `.align 16 .u32 ${name}[4]` : `.u32 ${name}`);

/** The second name of a location. */
export const aliasOf = (location: string): string => `${location}_alias`;

export const printPlace = ({ cta, cluster, gpu }: Place): string => `cta ${cta}, cluster ${cluster}, gpu ${gpu}`;
