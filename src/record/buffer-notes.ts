import type { ModuleEntry } from '../syntax/module-ast.js';
import type { PlacedBuffer } from './place-buffers.js';
import type { RecordedContents } from './recording.js';

/** What the declarations of buffers do not say of the memory of the launch. */
export function bufferNotes(
  buffers: readonly PlacedBuffer[],
  contents: readonly RecordedContents[],
  entries: readonly ModuleEntry[],
): readonly string[] {
  const parts = buffers.filter(({ isPart }) => isPart).map(({ name }) => name);
  const tables = buffers.filter((one) => holdsAddresses(one, contents));
  const compares = entries.some(({ body: { source, start, end } }) => COMPARES.test(source.text.slice(start, end)));
  return [
    ...(parts.length === 0 ? [] : [partsNote(parts)]),
    ...tables.map(({ name }) => `${name} holds addresses, which a test cannot say: what is in it is left open`),
    ...(compares ? touching(buffers) : []),
  ];
}

const partsNote = (names: readonly string[]): string =>
  `${listed(names)} ${names.length === 1 ? 'is a part' : 'are parts'} of blocks of an allocator, up to the next ` +
  'pointer or the end of the block: where they end in the application, and how far apart they lie, is not known';

/** Instructions that may hold two addresses against each other. */
const COMPARES = /\b(?:setp?|sub|min|max)(?:\.\w+)*\.[usb]64\b/;

/** The end of one allocation is the beginning of the next: of a pointer there it is not known which is meant. */
function touching(buffers: readonly PlacedBuffer[]): readonly string[] {
  return buffers.flatMap((next) =>
    buffers
      .filter((one) => !one.isPart && !next.isPart && one.start + BigInt(one.size) === next.start)
      .map((one) => `${next.name} begins where ${one.name} ends: a pointer there is taken for one to ${next.name}`),
  );
}

/** Whether what was recorded of a buffer has addresses in it: as numbers they would lead nowhere. */
export const holdsAddresses = ({ start, size }: PlacedBuffer, contents: readonly RecordedContents[]): boolean =>
  contents.some(({ from, addresses }) =>
    addresses.some((at) => from + BigInt(at) >= start && from + BigInt(at) < start + BigInt(size)),
  );

const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
