import type { BundleFile } from './bundle.js';
import type { ExportedLaunch, ExportedLaunches, LaunchArgument } from './export-launches.js';
import type { LaunchBuffer, LaunchMap } from './launch-memory.js';

/** The modules of kernel tests, each once, and what launches them: a line for each fact (runner/launch.cu reads it). */
export function launchFiles(tests: readonly ExportedLaunches[]): readonly BundleFile[] {
  const modules = new Map(
    tests.flatMap(({ launches }) => launches.map(({ module }) => [module.path, module] as const)),
  );
  const names = new Map([...modules.keys()].map((path, i) => [path, nameOf(path, i)]));
  const cubin = (path: string): string => `${names.get(path)}.cubin`;
  if (tests.length === 0) return [];
  return [
    ...[...modules].map(([path, { text }]): BundleFile => [`${names.get(path)}.ptx`, text]),
    ['launches.txt', `${tests.map((test) => manifestOf(test, cubin)).join('\n')}\n`],
  ];
}

/** Modules of different folders may have one name. */
function nameOf(path: string, i: number): string {
  const base = path.replace(/^.*\//, '').replace(/\.ptx$/, '');
  return `launches/${String(i).padStart(2, '0')}-${base.replace(/[^\w.-]/g, '_')}`;
}

type CubinOf = (path: string) => string;

function manifestOf(
  { name, expects, hang, notes, buffers, maps, launches, observed }: ExportedLaunches,
  cubin: CubinOf,
): string {
  return [
    `test ${name.replace(/\s+/g, '_')}`,
    ['expects', ...expects].join(' '),
    `hang ${hang}`,
    ...notes.map((note) => `note ${note}`),
    ...buffers.flatMap((one) => bufferLines(one, cubin)),
    ...buffers.flatMap(({ name: of, pointers }) =>
      pointers.map(({ at, buffer, offset }) => `pointer ${of} ${at} ${buffer} ${offset}`),
    ),
    ...maps.map(mapLine),
    ...launches.flatMap((one) => launchLines(one, cubin)),
    ...observed.map((one) => `observe ${one.name} ${one.bytes}`),
  ].join('\n');
}

function bufferLines(
  { name, size, alignment, variableOf, isUninitialized, runs }: LaunchBuffer,
  cubin: CubinOf,
): readonly string[] {
  return [
    variableOf === undefined ? `buffer ${name} ${size} ${alignment}` : `variable ${name} ${size} ${cubin(variableOf)}`,
    ...(isUninitialized ? [`uninitialized ${name}`] : []),
    ...runs.map(({ at, bytes, values }) =>
      values === undefined
        ? `unknown ${name} ${at} ${bytes}`
        : `bytes ${name} ${at} ${Buffer.from(values).toString('hex')}`,
    ),
  ];
}

const mapLine = ({ name, type, tensor, dimensions, strides, box, swizzle }: LaunchMap): string =>
  ['map', name, type, tensor, swizzle, dimensions.length, ...dimensions, ...strides, ...box].join(' ');

function launchLines(launch: ExportedLaunch, cubin: CubinOf): readonly string[] {
  const { name, module, entry, shape, sharedBytes, cooperative, stream, isDependent, after } = launch;
  const flags = [sharedBytes, cooperative ? 1 : 0, stream, isDependent ? 1 : 0];
  return [
    `launch ${name} ${cubin(module.path)} ${entry}`,
    `shape ${[...shape.grid, ...shape.block, ...shape.cluster, ...flags].join(' ')}`,
    ...after.map((one) => `after ${one}`),
    ...launch.arguments.flatMap(argumentLines),
  ];
}

function argumentLines({ size, fields }: LaunchArgument): readonly string[] {
  return [
    `argument ${size}`,
    ...fields.map((field) => {
      switch (field.kind) {
        case 'number':
          return `value ${field.at} ${littleEndian(field.value, field.bytes)}`;
        case 'address':
          return `address ${field.at} ${field.name} ${field.offset}`;
        case 'map':
          return `descriptor ${field.at} ${field.name}`;
      }
    }),
  ];
}

const littleEndian = (value: bigint, bytes: number): string =>
  Array.from({ length: bytes }, (_, i) =>
    Number((value >> BigInt(8 * i)) & 0xffn)
      .toString(16)
      .padStart(2, '0'),
  ).join('');
