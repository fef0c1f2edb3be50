import { describe, expect, it } from 'vitest';
import { placeBuffers, placeOf } from '../../src/record/place-buffers.js';
import { readRecording } from '../../src/record/read-recording.js';
import { LINES } from './raw-folder.js';

const read = (lines: string): ReturnType<typeof readRecording> =>
  readRecording({ lines, counts: undefined, sequence: undefined });

describe('raw files', () => {
  it('are a recording', () => {
    const { launches, maps, images, contents, isEnded, problems } = read(LINES);
    expect(problems).toEqual([]);
    expect(isEnded).toBe(true);
    expect([launches.length, maps.size, images.size, contents.length]).toEqual([13, 1, 2, 3]);
    expect(launches[5]?.previous?.id).toBe(4);
  });

  it('are read as far as a crash has let them be written', () => {
    const { launches, problems, isEnded } = read(LINES.slice(0, 900));
    expect(launches.length).toBe(1);
    expect(isEnded).toBe(false);
    expect(problems).toEqual(['launches.jsonl:4: the line is cut, or is no JSON: it is left out']);
  });

  it('are told where they are not as expected', () => {
    const wrong = (line: string): readonly string[] => read(`${line}\n`).problems;
    expect(wrong('[1]')).toEqual(['launches.jsonl:1: the line is cut, or is no JSON: it is left out']);
    expect(wrong('{"kind":"other"}')).toEqual(['launches.jsonl:1: "other" is no kind of line: it is left out']);
    expect(wrong('{"kind":"recorder","version":2}')).toEqual(['launches.jsonl:1: it is of version 2, and not 1']);
    expect(wrong('{"kind":"contents","launch":0,"from":"0x1","bytes":"abc"}')).toEqual([
      'launches.jsonl:1: "bytes" is not bytes in hexadecimal digits: the line is left out',
    ]);
    expect(wrong('{"kind":"problem","text":"no memory"}')).toEqual(['launches.jsonl:1: no memory']);
  });

  it('say how often what was launched, and in which order', () => {
    const counts = new DataView(new ArrayBuffer(8 * 40));
    for (const [place, count] of [
      [0, 1000],
      [2, 3],
      [4, 7],
      [5, 2_000_000],
      [16, 900],
    ] as const)
      counts.setBigUint64(8 * place, BigInt(count), true);
    const sequence = new Int32Array([1, 0, 2, 0, 1, -1, 0, 0]);
    const {
      counts: found,
      launches,
      sequence: order,
    } = readRecording({
      lines: LINES,
      counts: new Uint8Array(counts.buffer),
      sequence: new Uint8Array(sequence.buffer),
    });
    expect(found).toMatchObject({ launches: 1000, graphLaunches: 3, leftOut: 7, milliseconds: 2 });
    expect(launches[0]?.times).toBe(900);
    expect(order).toEqual([
      { stream: 0, launch: 0 },
      { stream: 1, launch: 0 },
      { stream: 0, launch: undefined },
    ]);
  });
});

describe('the locations of a launch', () => {
  const MIB = 1 << 20;
  const place = (size: number, ...offsets: readonly number[]): readonly (readonly [bigint, number])[] =>
    placeBuffers(
      offsets.map((offset) => ({ base: 0x7f0000000000n, size, offset })),
      (index) => `buf${index}`,
    ).map((one) => [one.start - 0x7f0000000000n, one.size]);

  it('are allocations, and parts of blocks up to the next pointer', () => {
    expect(place(4096, 0, 512)).toEqual([[0n, 4096]]);
    expect(place(2 * MIB, 512, 4096)).toEqual([
      [512n, 3584],
      [4096n, 2 * MIB - 4096],
    ]);
    expect(place(3 * MIB, 512, 4096)).toEqual([[0n, 3 * MIB]]);
  });

  it('begin where allocators let parts begin', () => {
    expect(place(2 * MIB, 512, 516, 4096)).toEqual([
      [512n, 3584],
      [4096n, 2 * MIB - 4096],
    ]);
    expect(place(2 * MIB, 516)).toEqual([[512n, 2 * MIB - 512]]);
    // A view of 16 bytes further.
    expect(place(2 * MIB, 512, 528)).toEqual([[512n, 2 * MIB - 512]]);
  });

  it('are never smaller than what the application may have there', () => {
    expect(place(20 * MIB, 0)).toEqual([[0n, 20 * MIB]]);
  });

  it('hold each pointer', () => {
    const pointers = [0, 100, 70_144, 70_148].map((offset) => ({ base: 0x1000000000n, size: 2 * MIB, offset }));
    const buffers = placeBuffers(pointers, (index) => `b${index}`);
    const found = pointers.map(({ base, offset }) => placeOf(buffers, base + BigInt(offset)));
    expect(found.map((one) => [one?.buffer.name, one?.offset])).toEqual([
      ['b0', 0n],
      ['b0', 100n],
      ['b1', 0n],
      ['b1', 4n],
    ]);
  });
});
