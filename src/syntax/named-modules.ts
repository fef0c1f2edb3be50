const LAUNCH = /(?<![\w$%])launch\s+[\w$%]+\s*"([^"\n]*)"(?:\s*nvcc\s*"([^"\n]*)")?/g;

/** The paths of the modules that the launches of a text name, each once; also where the text cannot be read. */
export const namedModules = (text: string): readonly string[] => [
  ...new Set([...text.matchAll(LAUNCH)].map(([, path = '']) => path)),
];

/** By the path of a program: what the launches of a text give nvcc for it, each once. */
export function nvccOfPrograms(text: string): ReadonlyMap<string, readonly string[]> {
  const given = new Map<string, Set<string>>();
  for (const [, path = '', nvcc] of text.matchAll(LAUNCH)) {
    const own = given.get(path) ?? new Set();
    given.set(path, nvcc === undefined ? own : own.add(nvcc));
  }
  return new Map([...given].map(([path, all]) => [path, [...all]]));
}
