import type { ExportedTest } from './export-test.js';

/** A file of a bundle, by its path in it. */
export type BundleFile = readonly [path: string, text: string];

/** The modules of tests, and what the runner must know of them, a line for each fact (runner/run.cu reads it). */
export function bundleFiles(tests: readonly ExportedTest[]): readonly BundleFile[] {
  const names = tests.map((_, i) => `tests/${String(i).padStart(4, '0')}`);
  const manifest = tests.map((test, i) => manifestOf(test, names[i] ?? ''));
  return [
    ...tests.map(({ module }, i): BundleFile => [`${names[i]}.ptx`, module]),
    ['manifest.txt', `${manifest.join('\n')}\n`],
  ];
}

function manifestOf(test: ExportedTest, module: string): string {
  const { name, entry, ctas, block, cluster, threads, lanes, words, image, observed } = test;
  const hex = Buffer.from(image).toString('hex');
  return [
    `test ${name.replace(/\s+/g, '_')}`,
    `module ${module}.cubin ${entry}`,
    `shape ${ctas} ${block} ${cluster} ${threads} ${words} ${lanes}`,
    `memory ${image.length} ${hex}`,
    ...observed.map((one) =>
      one.from === 'word'
        ? `observe ${one.name} w ${one.word} ${one.bytes}`
        : `observe ${one.name} m ${one.offset} ${one.bytes}`,
    ),
  ].join('\n');
}
