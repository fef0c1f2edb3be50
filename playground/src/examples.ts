/** A test of `litmus/`, with the modules that it launches. */
export interface Example {
  readonly path: string;
  readonly text: string;
  readonly modules?: Readonly<Record<string, string>>;
}

/** As the build writes them: modules once, by their paths. */
interface ExampleFile {
  readonly tests: readonly {
    readonly path: string;
    readonly text: string;
    readonly modules?: Readonly<Record<string, string>>;
  }[];
  readonly modules: Readonly<Record<string, string>>;
}

/** By topic, which is a folder of `litmus/`. */
export async function loadExamples(): Promise<ReadonlyMap<string, readonly Example[]>> {
  const topics = new Map<string, Example[]>();
  const response = await fetch('examples.json').catch(() => undefined);
  if (response?.ok !== true) return topics;
  const { tests, modules } = (await response.json()) as ExampleFile;
  for (const { path, text, modules: named } of tests) {
    const topic = path.split('/')[0] ?? '';
    const texts = Object.entries(named ?? {}).map(([name, at]) => [name, modules[at] ?? '']);
    const example = { path, text, ...(named !== undefined && { modules: Object.fromEntries(texts) }) };
    topics.set(topic, [...(topics.get(topic) ?? []), example]);
  }
  return topics;
}
