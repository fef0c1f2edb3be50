import type { ModuleEntry } from '../syntax/module-ast.js';
import { bufferNotes } from './buffer-notes.js';
import { declareBuffer } from './declare-buffer.js';
import { elementType } from './element-type.js';
import { moduleState } from './module-state.js';
import type { FoundKernel, Modules } from './modules.js';
import { LARGEST_LOCATION, type PlacedBuffer, placeBuffers, placeOf } from './place-buffers.js';
import type { RecordedLaunch, RecordedParameter, RecordedPointer, Recording, Size } from './recording.js';
import { declareMap } from './tensor-maps.js';
import { writeArgument } from './write-argument.js';

/** Why no test of a launch is written. */
export interface Refused {
  readonly kind: 'no-ptx' | 'not-said' | 'not-read';
  readonly reason: string;
}

/** A kernel test of a launch. */
export interface KernelTest extends UnnamedTest {
  readonly name: string;
}

export interface UnnamedTest {
  readonly sentence: string;
  readonly declarations: readonly string[];
  readonly launches: readonly LaunchText[];
  /** What the test does not say, though the launch has it. */
  readonly notes: readonly string[];
}

export interface LaunchText {
  readonly name: string;
  readonly module: string;
  readonly entry: string;
  readonly arguments: readonly string[];
  readonly grid: Size;
  readonly block: Size;
  readonly cluster: Size | undefined;
  /** Other words of its place. */
  readonly more: readonly string[];
}

/** Attributes that a test says, or that say nothing of what threads may do (cuda.h, CUlaunchAttributeID). */
const SAID: ReadonlySet<number> = new Set([1, 2, 3, 4, 5, 6, 8, 9, 14, 16]);
const OTHER_ATTRIBUTES: Readonly<Record<number, string>> = {
  7: 'a programmatic event',
  10: 'a memory synchronization domain',
  11: 'a preferred cluster dimension',
  12: 'a launch completion event',
  13: 'a kernel node that the device may update',
};

/** Writes a test of a launch, with the launch before it if it depends on that. */
export function kernelTest(launch: RecordedLaunch, recording: Recording, modules: Modules): UnnamedTest | Refused {
  const own = readLaunch(launch, launch.parameters, modules);
  if ('reason' in own) return own;
  const notes: string[] = [];
  for (const attribute of launch.attributes)
    if (!SAID.has(attribute))
      notes.push(
        `the launch has ${OTHER_ATTRIBUTES[attribute] ?? `attribute ${attribute}`}, which the test does not say`,
      );
  const before = launch.isDependent ? previousOf(launch, recording, modules) : undefined;
  if (before !== undefined && 'reason' in before)
    notes.push(`the launch before it in its stream, on which it depends, is not in the test: ${before.reason}`);
  const both = before === undefined || 'reason' in before ? undefined : [before, own];
  const written = write(both ?? [own], recording, launch);
  if (!('reason' in written))
    return { ...written, notes: [...notes, ...(both?.slice(0, 1) ?? []).flatMap(dependenceNotes), ...written.notes] };
  if (both === undefined) return written;
  const alone = write([own], recording, launch);
  const why = `the launch before it in its stream, on which it depends, is not in the test: ${written.reason}`;
  return 'reason' in alone ? alone : { ...alone, notes: [...notes, why, ...alone.notes] };
}

/** What may make that two launches overlap more, or less, than they do in the test. */
const dependenceNotes = ({ launch: before }: ReadLaunch): readonly string[] => [
  'copies and waits between the two launches are not recorded: behind one of these they would not overlap',
  ...(before.isDependent
    ? ['the first of the two depends on a launch before it, which is not in the test: all three may overlap']
    : []),
];

/** A launch with its kernel. */
interface ReadLaunch {
  readonly launch: RecordedLaunch;
  readonly parameters: readonly RecordedParameter[];
  readonly kernel: Extract<FoundKernel, { readonly entry: unknown }>;
}

function readLaunch(
  launch: RecordedLaunch,
  parameters: readonly RecordedParameter[],
  modules: Modules,
): ReadLaunch | Refused {
  const kernel = modules.kernelOf(launch);
  if (!('entry' in kernel)) return kernel;
  if (launch.unread === 'extra')
    return { kind: 'not-read', reason: 'its parameters were handed over as one buffer (extra), which is not read' };
  if (launch.unread !== undefined)
    return { kind: 'not-read', reason: 'the driver does not say what parameters it has' };
  const [expected, found] = [kernel.entry.parameters.length, parameters.length];
  return expected === found
    ? { launch, parameters, kernel }
    : { kind: 'not-said', reason: `the kernel has ${expected} parameters in ${kernel.path}, and the launch ${found}` };
}

function previousOf(
  { previous, isCaptured }: RecordedLaunch,
  { launches }: Recording,
  modules: Modules,
): ReadLaunch | Refused {
  const before = launches.find(({ id }) => id === previous?.id);
  if (previous === undefined || before === undefined)
    return { kind: 'not-said', reason: 'none is known that came before' };
  if (before.isCaptured !== isCaptured)
    return { kind: 'not-said', reason: 'one of the two was captured into a graph, which does not hold the other' };
  return readLaunch(before, previous.parameters, modules);
}

function write(
  launches: readonly ReadLaunch[],
  { maps, contents }: Recording,
  { id, isDependent }: RecordedLaunch,
): UnnamedTest | Refused {
  const taken = new Set(launches.flatMap(({ kernel }) => kernel.module.variables.map(({ variable }) => variable.name)));
  const nameOf = (word: string): string => {
    let made = word;
    while (taken.has(made)) made += '_';
    return made;
  };
  const used = [...new Set(launches.flatMap(({ parameters }) => parameters.flatMap((one) => one.maps.map(mapOf))))];
  const known = used.map((map) => maps.get(map)).filter((one) => one !== undefined);
  const pointers: readonly RecordedPointer[] = [
    ...launches.flatMap(({ parameters }) => parameters.flatMap((one) => one.pointers)),
    ...known.flatMap(({ buffer }) => buffer ?? []),
  ];
  const buffers = placeBuffers(pointers, (index) => nameOf(`buf${index}`));
  const large = buffers.find(({ size }) => size > LARGEST_LOCATION);
  if (large !== undefined) return tooLarge(large);
  const refused = (reason: string): Refused => ({ kind: 'not-said', reason });
  if (known.length < used.length) return refused('a tensor map of it is not known');
  const mapName = (map: number): string => nameOf(`map${used.indexOf(map)}`);
  const mapped = known.map((map) => declareMap(map, mapName(map.id), buffers));
  const given = launches.map((one) =>
    one.kernel.entry.parameters.map((_, i) => argumentOf(one.kernel.entry, i, one.parameters[i], buffers, mapName)),
  );
  const wrong = [...mapped, ...given.flat()].find((one) => 'reason' in one);
  if (wrong !== undefined && 'reason' in wrong) return refused(wrong.reason);
  const states = launches.map(({ kernel }) => moduleState(kernel.module, kernel.entry));
  // What was copied before the second of two launches is what the first one has left.
  const before = launches.length > 1 ? [] : contents.filter((one) => one.launch === id);
  return {
    sentence: sentenceOf(launches, isDependent),
    declarations: [
      ...new Set(states.flatMap(({ declarations }) => declarations)),
      ...buffers.map((one) => declareBuffer(one, typesOf(one, launches, buffers), before)),
      ...mapped.flatMap((one) => ('declared' in one ? one.declared : [])),
    ],
    launches: launches.map((one, i) => launchText(one, i, launches.length, (given[i] ?? []).flatMap(textOf))),
    notes: [
      ...given.flat().flatMap((one) => ('note' in one && one.note !== undefined ? [one.note] : [])),
      ...bufferNotes(
        buffers,
        before,
        launches.map(({ kernel }) => kernel.entry),
      ),
      ...new Set(states.flatMap(({ notes }) => notes)),
    ],
  };
}

const mapOf = ({ map }: { readonly map: number }): number => map;
const textOf = (one: ReturnType<typeof writeArgument>): readonly string[] => ('text' in one ? [one.text] : []);

function argumentOf(
  entry: ModuleEntry,
  index: number,
  given: RecordedParameter | undefined,
  buffers: readonly PlacedBuffer[],
  mapName: (map: number) => string,
): ReturnType<typeof writeArgument> {
  const parameter = entry.parameters[index];
  if (given === undefined || parameter === undefined) return { text: '?' };
  return writeArgument(parameter, given, buffers, mapName, entry);
}

function tooLarge({ size, isPart }: PlacedBuffer): Refused {
  const what = isPart ? 'part of a block may have' : 'buffer of it has';
  const reason = `a ${what} ${size} bytes, and a location of a test has at most ${LARGEST_LOCATION}`;
  return { kind: 'not-said', reason };
}

/** What the kernels access a buffer as, by parameters that are one pointer. */
function typesOf(
  buffer: PlacedBuffer,
  launches: readonly ReadLaunch[],
  buffers: readonly PlacedBuffer[],
): ReadonlySet<string | undefined> {
  const types = launches.flatMap(({ kernel, parameters }) =>
    kernel.entry.parameters.flatMap((parameter, i) => {
      const pointers = parameters[i]?.pointers ?? [];
      const isHere = pointers.some((one) => placeOf(buffers, one.base + BigInt(one.offset))?.buffer === buffer);
      if (!isHere) return [];
      return [parameter.elements === undefined ? elementType(kernel.entry, parameter) : undefined];
    }),
  );
  return new Set(types);
}

function sentenceOf(launches: readonly ReadLaunch[], isDependent: boolean): string {
  const own = launches.at(-1)?.launch;
  const how = `recorded: launch ${own?.order} of the application, in stream ${own?.stream}`;
  const times = own === undefined || own.times === 1 ? '' : `, made ${own.times} times, of which this is the first`;
  const captured = own?.isCaptured === true ? ', captured into a graph' : '';
  const behind = isDependent && launches.length > 1 ? ', with the launch before it, on which it depends' : '';
  return `${how}${times}${captured}${behind}`;
}

function launchText(
  { launch, kernel }: ReadLaunch,
  index: number,
  count: number,
  given: readonly string[],
): LaunchText {
  const more = [
    ...(launch.shared > 0 ? [`shared ${launch.shared}`] : []),
    ...(launch.isCooperative ? ['cooperative'] : []),
    ...(index > 0 ? [`dependent on K${index - 1}`] : []),
  ];
  return {
    name: count === 1 ? 'K' : `K${index}`,
    module: kernel.path,
    entry: kernel.entry.name,
    arguments: given,
    grid: launch.grid,
    block: launch.block,
    cluster: launch.cluster,
    more,
  };
}
