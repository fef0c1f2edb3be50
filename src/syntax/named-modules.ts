const LAUNCH = /(?<![\w$%])launch\s+[\w$%]+\s*"([^"\n]*)"/g;

/** The paths of the modules that the launches of a text name, each once; also where the text cannot be read. */
export const namedModules = (text: string): readonly string[] => [
  ...new Set([...text.matchAll(LAUNCH)].map(([, path = '']) => path)),
];
