import { isRecord, type Json, Member } from './json-member.js';
import type {
  RecordedContents,
  RecordedCounts,
  RecordedImage,
  RecordedLaunch,
  RecordedMap,
  RecordedParameter,
  RecordedPointer,
  Recording,
} from './recording.js';

/** The raw files of a recording. */
export interface RawFiles {
  /** launches.jsonl */
  readonly lines: string;
  /** counts.bin and sequence.bin, if they are there. */
  readonly counts: Uint8Array | undefined;
  readonly sequence: Uint8Array | undefined;
}

/** Where in counts.bin what stands, as the recorder has it. */
const COUNTS = ['launches', 'captured', 'graphLaunches', 'captures', 'leftOut', 'nanoseconds', 'graphNodes'] as const;
const OTHER_LAUNCHES = 7;
const NAMED = 16;
const VERSION = 1;

/** Reads a recording. A line that is none, such as one that a crash has cut, is told and passed over. */
export function readRecording({ lines, counts, sequence }: RawFiles): Recording {
  const launches: RecordedLaunch[] = [];
  const maps = new Map<number, RecordedMap>();
  const images = new Map<number, RecordedImage>();
  const contents: RecordedContents[] = [];
  const problems: string[] = [];
  const numbers = countsIn(counts);
  let isEnded = false;
  for (const [at, line] of lines.split('\n').entries()) {
    if (line.trim() === '') continue;
    const told = (what: string): void => void problems.push(`launches.jsonl:${at + 1}: ${what}`);
    const read = parsed(line);
    if (read === undefined) {
      told('the line is cut, or is no JSON: it is left out');
      continue;
    }
    const member = new Member(read, told);
    const kind = member.text('kind');
    if (kind === 'launch') keep(launches, launchOf(member, numbers), member);
    else if (kind === 'map') keepById(maps, mapOf(member), member);
    else if (kind === 'image') keepById(images, imageOf(member), member);
    else if (kind === 'contents') keep(contents, contentsOf(member), member);
    else if (kind === 'end') isEnded = true;
    else if (kind === 'problem') told(member.text('text'));
    else if (kind !== 'recorder') told(`"${kind}" is no kind of line: it is left out`);
    else if (member.number('version') !== VERSION) told(`it is of version ${member.number('version')}, and not 1`);
  }
  const known = new Set<number>();
  const distinct = launches.filter(({ id }) => !known.has(id) && known.add(id));
  const all = distinct.reduce((sum, { times }) => sum + times, 0);
  const total = numbers === undefined ? { ...NOTHING, launches: all } : totalsOf(numbers);
  return { launches: distinct, maps, images, contents, counts: total, sequence: steps(sequence), isEnded, problems };
}

const NOTHING: RecordedCounts = {
  ...{ launches: 0, captured: 0, graphLaunches: 0, captures: 0, leftOut: 0, milliseconds: 0, graphNodes: 0 },
  otherLaunches: 0,
};

function parsed(line: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** What has a member that is not as it should be has been told, and is left out. */
function keep<T>(all: T[], one: T, { isWrong }: Member): void {
  if (!isWrong) all.push(one);
}

function keepById<T extends { readonly id: number }>(all: Map<number, T>, one: T, { isWrong }: Member): void {
  if (!isWrong) all.set(one.id, one);
}

function launchOf(member: Member, counts: DataView | undefined): RecordedLaunch {
  const id = member.number('id');
  const image = member.number('image');
  const unread = member.has('unread') ? member.text('unread') : undefined;
  const previous = member.has('previous') ? member.member('previous') : undefined;
  return {
    id,
    order: member.number('order'),
    stream: member.number('stream'),
    device: member.number('device'),
    call: member.text('call'),
    entry: member.text('entry'),
    image: image < 0 ? undefined : image,
    grid: member.size('grid'),
    block: member.size('block'),
    shared: member.number('shared'),
    cluster: member.has('cluster') ? member.size('cluster') : undefined,
    isCooperative: member.has('cooperative'),
    isDependent: member.has('dependent'),
    isCaptured: member.has('captured'),
    unread: unread === undefined ? undefined : unread === 'extra' ? 'extra' : 'parameters',
    attributes: member.numbers('attributes'),
    parameters: member.members('parameters').map(parameterOf),
    previous: previous && {
      id: previous.number('id'),
      parameters: previous.members('parameters').map(parameterOf),
    },
    // What is written down was launched.
    times: Math.max(1, numberAt(counts, NAMED + id)),
  };
}

const parameterOf = (member: Member): RecordedParameter => ({
  offset: member.number('offset'),
  size: member.number('size'),
  bytes: member.bytes('bytes', member.number('size')),
  pointers: member.members('pointers').map((one) => ({ ...pointerOf(one), at: one.number('at') })),
  maps: member.members('maps').map((one) => ({ at: one.number('at'), map: one.number('map') })),
});

const pointerOf = (member: Member): RecordedPointer => ({
  base: member.address('base'),
  size: member.number('size'),
  offset: member.number('offset'),
});

function mapOf(member: Member): RecordedMap {
  const isTiled = member.text('form') === 'tiled';
  const numbers = (name: string): readonly number[] => (isTiled ? member.numbers(name) : []);
  return {
    id: member.number('id'),
    form: isTiled ? 'tiled' : 'im2col',
    buffer: member.has('buffer') ? pointerOf(member.member('buffer')) : undefined,
    type: isTiled ? member.number('type') : 0,
    dims: numbers('dims'),
    strides: numbers('strides'),
    box: numbers('box'),
    elementStrides: numbers('elementStrides'),
    interleave: isTiled ? member.number('interleave') : 0,
    swizzle: isTiled ? member.number('swizzle') : 0,
  };
}

const imageOf = (member: Member): RecordedImage => ({
  id: member.number('id'),
  form: member.text('form'),
  bytes: member.number('bytes'),
  from: member.has('from') ? member.text('from') : undefined,
  problem: member.has('problem') ? member.text('problem') : undefined,
});

const contentsOf = (member: Member): RecordedContents => ({
  launch: member.number('launch'),
  from: member.address('from'),
  bytes: member.bytes('bytes'),
  addresses: member.has('addresses') ? member.numbers('addresses') : [],
});

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
const countsIn = (bytes: Uint8Array | undefined): DataView | undefined =>
  bytes === undefined || bytes.byteLength < 8 * NAMED ? undefined : viewOf(bytes);

function numberAt(view: DataView | undefined, place: number): number {
  return view === undefined || 8 * place + 8 > view.byteLength ? 0 : Number(view.getBigUint64(8 * place, true));
}

function totalsOf(view: DataView): RecordedCounts {
  const [launches = 0, captured = 0, graphLaunches = 0, captures = 0, leftOut = 0, nanoseconds = 0, graphNodes = 0] =
    COUNTS.map((_, place) => numberAt(view, place));
  const otherLaunches = numberAt(view, OTHER_LAUNCHES);
  const milliseconds = nanoseconds / 1e6;
  return { launches, captured, graphLaunches, captures, leftOut, milliseconds, graphNodes, otherLaunches };
}

/** Pairs of a stream, from 1 on, and a launch; below 0: one that is not written down. */
function steps(bytes: Uint8Array | undefined): Recording['sequence'] {
  const view = bytes === undefined ? undefined : viewOf(bytes);
  const found: { stream: number; launch: number | undefined }[] = [];
  for (let at = 0; view !== undefined && at + 8 <= view.byteLength; at += 8) {
    const stream = view.getInt32(at, true);
    if (stream === 0) break;
    const launch = view.getInt32(at + 4, true);
    found.push({ stream: stream - 1, launch: launch < 0 ? undefined : launch });
  }
  return found;
}
