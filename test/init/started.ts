import { renderDiagnostics } from '../../src/diagnostics/render.js';
import { type FoundLaunch, findLaunch, type Starter, starterOf } from '../../src/init/starter.js';
import { parseModule } from '../../src/syntax/parse-module.js';

/** So many launches, however long they take: equal runs find the same. */
export const LIMITS = {
  ...{ remaining: () => 1, budget: () => () => undefined },
  ...{ mostTrials: 60, mostWork: 400_000, allWork: 4_000_000 },
};

/** The launch that is found for a kernel of some instructions; `more` stands before it. */
export function found(
  body: string,
  parameters: string,
  { more = '', program, limits = LIMITS }: { more?: string; program?: string; limits?: typeof LIMITS } = {},
): FoundLaunch {
  const head = '.version 9.0\n.target sm_90a\n.address_size 64';
  const text = `${head}\n${more}\n.visible .entry k(${parameters})\n{\n${body}\n}\n`;
  const { value, diagnostics } = parseModule({ path: 'k.ptx', text });
  const [entry] = value?.entries ?? [];
  if (value === undefined || entry === undefined) throw new Error(renderDiagnostics(diagnostics));
  const source = { module: value, entry, path: 'k.ptx', program, nvcc: undefined, name: 'k' };
  return findLaunch(source, limits);
}

/** The test that is written of it. */
export const started = (...given: Parameters<typeof found>): Starter => starterOf(found(...given));
