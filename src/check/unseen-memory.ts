import { citation } from '../diagnostics/source.js';
import type { LaunchFacts } from '../program/program.js';
import { providedAlso } from './provided.js';
import type { TestResult } from './result.js';

/**
 * What is met, with what it takes textures and surfaces to be that the test does not show: the memory consistency model
 * leaves them out (PTX ISA 8.1.1), and what is read there while it is written is undefined. So are accesses of users to
 * reserved shared memory (PTX ISA, %reserved_smem_offset_begin), where cooperative groups have barriers.
 */
export function providedUnseen(result: TestResult): TestResult {
  const unseen = result.program.launches.flatMap((launch) => launch.unseen);
  if (unseen.length === 0) return result;
  const [textures, surfaces, reserved] = (['texture', 'surface', 'reserved'] as const).map((kind) =>
    placesIn(unseen.filter((one) => one.kind === kind)),
  );
  const held = <T extends { readonly provided?: string }>(one: T, isOfAll: boolean): T => {
    const all = [
      ...(textures === undefined || !isOfAll ? [] : [`if nobody writes the textures of ${textures} meanwhile`]),
      ...(surfaces === undefined
        ? []
        : [`if the surfaces of ${surfaces} are memory of their own, as large as what is accessed`]),
    ];
    if (reserved !== undefined && isOfAll)
      all.push(`if ${reserved} may use reserved shared memory, as cooperative groups do`);
    return providedAlso(one, all);
  };
  return {
    ...result,
    conditions: result.conditions.map((one) => (one.expectation === 'met' ? held(one, true) : one)),
    expectations: result.expectations.map((one) =>
      // What is read in a texture is open anyway: of all findings only this one may come of a write.
      one.outcome === 'met' ? held(one, one.expectation.finding === 'undefined') : one,
    ),
  };
}

const MOST_NAMED = 3;

function placesIn(unseen: LaunchFacts['unseen']): string | undefined {
  const places = [...new Set(unseen.map(({ span }) => citation(span)))];
  const named = places.slice(0, MOST_NAMED).join(', ');
  return places.length === 0 ? undefined : places.length > MOST_NAMED ? `${named} and others` : named;
}
