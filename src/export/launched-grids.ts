import { instructionsIn } from '../convert/kernel-entry.js';
import type { KernelGrid } from '../convert/kernel-places.js';
import { Inexpressible } from '../convert/written-thread.js';
import type { GridOrder, LitmusFile } from '../syntax/litmus-ast.js';

/** A grid of a test, as it is launched. */
export interface ExportedGrid {
  readonly entry: string;
  /** Of one instance. */
  readonly ctas: number;
  readonly block: number;
  readonly cluster: number;
  /** How many CTAs may be launched as a cluster, so that its barrier lets them begin together. */
  readonly together: number;
  readonly gpu: number;
  /** Where it is launched: grids of one stream come one after the other. */
  readonly stream: number;
  /** It may begin before the one before it in its stream has ended (PTX ISA, griddepcontrol). */
  readonly isDependent: boolean;
  /** Streams that it waits for besides. */
  readonly waits: readonly number[];
}

/** Grids that nothing orders are in streams of their own. */
export function launchedGrids(file: LitmusFile, grids: readonly KernelGrid[]): readonly (KernelGrid & ExportedGrid)[] {
  const orders = file.declarations.filter((one): one is GridOrder => one.kind === 'grid-order');
  const launched: (KernelGrid & ExportedGrid)[] = [];
  for (const [i, grid] of grids.entries()) {
    const own = orders.filter((one) => one.grid === grid.number);
    const before = own.map(({ on }) => launched.find(({ number, gpu }) => number === on && gpu === grid.gpu));
    if (before.includes(undefined))
      throw new Inexpressible(`grid ${grid.number} comes after one that has no threads on its GPU`);
    const isDependent = own.some(({ order }) => order === 'dependent');
    const [first, ...others] = before.flatMap((one) => one ?? []).toSorted((a, b) => b.number - a.number);
    const isLast = first !== undefined && launched.findLast(({ stream }) => stream === first.stream) === first;
    if (isDependent && (!isLast || own.length > 1))
      throw new Inexpressible(`grid ${grid.number} is dependent on a grid that others come after too`);
    const stream = isLast ? first.stream : i;
    const waits = [...(isLast || first === undefined ? [] : [first]), ...others].map((one) => one.stream);
    launched.push({
      ...grid,
      entry: '',
      together: 1,
      stream,
      isDependent,
      waits: waits.filter((one) => one !== stream),
    });
  }
  return launched;
}

/**
 * CTAs of clusters of their own are launched as one cluster, whose barrier lets them begin together, where nothing that
 * the test executes can tell: no scope, address or barrier of a cluster.
 */
export function launchedCluster({ ctas, cluster }: KernelGrid, file: LitmusFile): number {
  const tells = file.threads.some(({ statements }) =>
    instructionsIn(statements).some(
      ({ mnemonic, qualifiers }) => mnemonic === 'mapa' || qualifiers.some(({ text }) => text.includes('cluster')),
    ),
  );
  return cluster > 1 || tells || ctas > LARGEST_CLUSTER ? cluster : ctas;
}

/** That every GPU with clusters has. */
const LARGEST_CLUSTER = 8;
