import type { Control } from './controls.js';
import type { ExportedTest } from './export-test.js';

/** A file of a bundle, by its path in it. */
export type BundleFile = readonly [path: string, text: string];

/** The modules of tests, and what the runner must know of them, a line for each fact (runner/run.cu reads it). */
export function bundleFiles(
  tests: readonly ExportedTest[],
  controls: ReadonlyMap<ExportedTest, Control> = new Map(),
): readonly BundleFile[] {
  const names = tests.map((_, i) => `tests/${String(i).padStart(4, '0')}`);
  const manifest = tests.map((test, i) => manifestOf(test, names[i] ?? '', controls.get(test)));
  return [
    ...tests.map(({ module }, i): BundleFile => [`${names[i]}.ptx`, module]),
    ['manifest.txt', `${manifest.join('\n')}\n`],
  ];
}

function manifestOf(test: ExportedTest, module: string, control: Control | undefined): string {
  const { name, grids, threads, lanes, words, locations, tensors, observed, isRepeated, isJammed } = test;
  return [
    `test ${underscored(name)}`,
    `module ${module}.cubin`,
    ...(control === undefined ? [] : [`control ${Number(control.mustShow)} ${control.outcome}`]),
    ...grids.map(({ entry, ctas, block, cluster, together, gpu, stream, isDependent, waits }) =>
      ['grid', entry, ctas, block, cluster, together, gpu, stream, Number(isDependent), ...waits].join(' '),
    ),
    `shape ${threads} ${words} ${lanes} ${Number(isRepeated)} ${Number(isJammed)}`,
    ...locations.map(({ size, image }) => `location ${size} ${hexOf(image)}`.trimEnd()),
    ...tensors.map(({ location, offset, target, elementType, dimensions, strides, box }) => {
      const type = `${elementType.kind}${elementType.width}`;
      const shape = [dimensions.length, ...dimensions, ...strides, ...box];
      return ['tensor', location, offset, target, type, ...shape].join(' ');
    }),
    ...observed.map((one) =>
      one.from === 'word'
        ? `observe ${one.name} w ${one.word} ${one.bytes}`
        : `observe ${one.name} m ${one.offset} ${one.bytes} ${one.location}`,
    ),
  ].join('\n');
}

/** Zeros at the end are left out. */
const hexOf = (image: Uint8Array): string =>
  Buffer.from(image)
    .toString('hex')
    .replace(/(00)+$/, '');

/** As a word of a manifest or a log. */
const underscored = (name: string): string => name.replace(/\s+/g, '_');
