import type { Piece } from './memory-image.js';
import type { LaunchCode } from './setting.js';

/** The CTAs that are followed, by their clusters among all that are followed, and their ranks there. */
export class ClusterCtas {
  private readonly ctas = new Map<number, number[]>();
  /** By the name of a CTA in its launch: its rank. */
  private readonly ranks: ReadonlyMap<string, number>;

  constructor(launches: readonly LaunchCode[]) {
    this.ranks = new Map(launches.flatMap(({ ranks }) => ranks.map(({ placement: { cta } }, rank) => [cta, rank])));
  }

  add(cluster: number, rank: number, cta: number): void {
    const own = this.ctas.get(cluster) ?? [];
    this.ctas.set(cluster, own);
    own[rank] = cta;
  }

  of(cluster: number): readonly number[] {
    return this.ctas.get(cluster) ?? [];
  }

  /** By CTA: the one whose rank differs in the last bit (PTX ISA 9.7.18.5). */
  peers(): ReadonlyMap<number, number> {
    const all = [...this.ctas.values()].flatMap((ctas) =>
      ctas.flatMap((cta, rank) => {
        const peer = ctas[rank ^ 1];
        return peer === undefined ? [] : [[cta, peer] as const];
      }),
    );
    return new Map(all);
  }

  /** The CTA in whose shared memory a piece is. */
  ownerOf({ object, owner }: Piece): number | undefined {
    const rank = object.cta === undefined ? undefined : this.ranks.get(object.cta);
    return rank === undefined ? undefined : this.of(owner)[rank];
  }
}
