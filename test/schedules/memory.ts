import type { Access } from './detector.js';
import type { Mbarrier } from './mbarrier.js';
import type { Flag } from './releases.js';
import type { Cta, Thread } from './threads.js';
import { joined, type Value } from './values.js';

export const GENERIC = 0;
export const GLOBAL = 1;
/** The executing CTA's own shared memory. */
export const SHARED = 2;
/** That of any CTA of its cluster. */
export const CLUSTER = 3;
export const CONST = 4;
export const PARAM = 5;
export const LOCAL = 6;
export type Space = 0 | 1 | 2 | 3 | 4 | 5 | 6;

/** Windows of generic addresses. Global locations lie far apart; constant ones lie among them. */
export const SHARED_BASE = 0x10000000000;
export const LOCAL_BASE = 0x20000000000;
export const PARAM_BASE = 0x30000000000;
export const GLOBAL_BASE = 0x100000000000;
const GLOBAL_STEP = 0x100000000;
/** Within a window of shared memory: how the CTAs of a cluster follow on each other, and how variables do. */
export const CTA_STEP = 0x1000000;
export const SHARED_STEP = 1024;

export function globalAddress(index: number): number {
  return GLOBAL_BASE + index * GLOBAL_STEP;
}

/** Bytes that belong together: a variable, or all parameters of a launch. */
export class Segment {
  readonly name: string;
  readonly space: Space;
  readonly size: number;
  /** Whose shared memory it is. */
  readonly cta: Cta | undefined;
  readonly bytes: Uint8Array;
  readonly view: DataView;
  /** Accesses so far, by words of 8 bytes. */
  readonly cells: (Access[] | undefined)[] = [];
  /** What strong writes have released, by words of 8 bytes. */
  readonly flags: (Flag[] | undefined)[] = [];
  hasFlags = false;
  /** The mbarriers that there are, by offset. */
  readonly mbarriers = new Map<number, Mbarrier>();

  constructor(name: string, space: Space, size: number, cta?: Cta) {
    this.name = name;
    this.space = space;
    this.size = size;
    this.cta = cta;
    this.bytes = new Uint8Array(size);
    this.view = new DataView(this.bytes.buffer);
  }

  /** Whether threads share it and may write to it. */
  get isTracked(): boolean {
    return this.space === GLOBAL || this.space === SHARED;
  }

  /** As it is kept in a register as wide as the bytes. */
  read(offset: number, size: number): Value {
    switch (size) {
      case 1:
        return this.bytes[offset]!;
      case 2:
        return this.view.getUint16(offset, true);
      case 4:
        return this.view.getInt32(offset, true);
      case 8:
        return joined(this.view.getInt32(offset, true), this.view.getInt32(offset + 4, true));
      default: {
        const low = this.view.getBigUint64(offset, true);
        const bits = low | (this.view.getBigUint64(offset + 8, true) << 64n);
        return bits <= 9007199254740991n ? Number(bits) : bits;
      }
    }
  }

  write(offset: number, size: number, value: Value): void {
    if (size === 4) this.view.setInt32(offset, value as number, true);
    else if (size === 1) this.bytes[offset] = value as number;
    else if (size === 2) this.view.setUint16(offset, value as number, true);
    else {
      const bits = BigInt(value);
      this.view.setBigUint64(offset, BigInt.asUintN(64, bits), true);
      if (size === 16) this.view.setBigUint64(offset + 8, bits >> 64n, true);
    }
  }
}

/** All memory of a run. */
export class Memory {
  readonly globals: Segment[] = [];
  /** Where in the segment the address is that was found last. */
  offset = 0;

  /** The segment that holds all of these bytes, or `undefined`; `offset` says where. */
  find(space: Space, address: number, size: number, thread: Thread): Segment | undefined {
    switch (space) {
      case GLOBAL:
      case CONST:
        return this.within(
          this.globals[Math.floor((address - GLOBAL_BASE) / GLOBAL_STEP)],
          address % GLOBAL_STEP,
          size,
        );
      case SHARED:
      case CLUSTER:
        return this.findShared(space, address, size, thread);
      case PARAM:
        return this.within(thread.launch.parameters, address, size);
      case LOCAL:
        return this.within(thread.local, address, size);
      default:
        return this.findGeneric(address, size, thread);
    }
  }

  private findGeneric(address: number, size: number, thread: Thread): Segment | undefined {
    if (address >= GLOBAL_BASE) return this.find(GLOBAL, address, size, thread);
    if (address >= PARAM_BASE) return this.find(PARAM, address - PARAM_BASE, size, thread);
    if (address >= LOCAL_BASE) return this.find(LOCAL, address - LOCAL_BASE, size, thread);
    return address >= SHARED_BASE ? this.find(CLUSTER, address - SHARED_BASE, size, thread) : undefined;
  }

  private findShared(space: Space, address: number, size: number, thread: Thread): Segment | undefined {
    const window = Math.floor(address / CTA_STEP);
    const cta = window === 0 ? thread.cta : thread.cta.cluster.ctas[window - 1];
    if (cta === undefined || (space === SHARED && cta !== thread.cta)) return undefined;
    const { pages, starts } = thread.launch.plan.shared;
    const offset = address % CTA_STEP;
    const index = pages[Math.floor(offset / SHARED_STEP)];
    if (index === undefined || index < 0) return undefined;
    return this.within(cta.shared[index], offset - starts[index]!, size);
  }

  private within(segment: Segment | undefined, offset: number, size: number): Segment | undefined {
    if (segment === undefined || offset < 0 || offset + size > segment.size) return undefined;
    this.offset = offset;
    return segment;
  }
}
