/** The scopes of the PTX memory model (PTX ISA 8.5, Table 21), from small to large. */
export const SCOPES = ['cta', 'cluster', 'gpu', 'sys'] as const;
export type Scope = (typeof SCOPES)[number];

/** Where a thread runs. CTA, cluster and warp are unique keys: the same number on another GPU is another one. */
export interface Placement {
  readonly gpu: number;
  readonly cluster: string;
  readonly cta: string;
  /** The number that the test gave the CTA, as `%ctaid` and `@ cta n` name it. */
  readonly ctaNumber: number;
  readonly warp: string;
}

/** Whether the scope, taken at thread `a`, contains thread `b` (PTX ISA 8.5). */
export function scopeIncludes(scope: Scope, a: Placement, b: Placement): boolean {
  switch (scope) {
    case 'cta':
      return a.cta === b.cta;
    case 'cluster':
      return a.cluster === b.cluster;
    case 'gpu':
      return a.gpu === b.gpu;
    case 'sys':
      return true;
  }
}
