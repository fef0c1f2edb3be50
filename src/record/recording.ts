/** What a recorder has written of an application (docs/record.md): one folder of raw files, read. */
export interface Recording {
  readonly launches: readonly RecordedLaunch[];
  readonly maps: ReadonlyMap<number, RecordedMap>;
  readonly images: ReadonlyMap<number, RecordedImage>;
  readonly contents: readonly RecordedContents[];
  readonly counts: RecordedCounts;
  /** Launches in the order in which they were made, by stream; as many as are kept. */
  readonly sequence: readonly { readonly stream: number; readonly launch: number | undefined }[];
  /** The recorder has seen the application end by itself. */
  readonly isEnded: boolean;
  readonly problems: readonly string[];
}

/** A distinct launch: entry, shape, scalars, and which buffers are the same; the first one of its kind. */
export interface RecordedLaunch {
  readonly id: number;
  readonly order: number;
  readonly stream: number;
  readonly device: number;
  readonly call: string;
  /** As the module has it. */
  readonly entry: string;
  /** Undefined: it is not known from which image it comes. */
  readonly image: number | undefined;
  readonly grid: Size;
  readonly block: Size;
  readonly shared: number;
  readonly cluster: Size | undefined;
  readonly isCooperative: boolean;
  /** By programmatic stream serialization. */
  readonly isDependent: boolean;
  /** It was captured into a graph. */
  readonly isCaptured: boolean;
  /** Why its parameters are not known. */
  readonly unread: 'extra' | 'parameters' | undefined;
  /** Attributes of the launch, by their numbers. */
  readonly attributes: readonly number[];
  readonly parameters: readonly RecordedParameter[];
  /** Of a dependent launch: the one before it in its stream. */
  readonly previous: { readonly id: number; readonly parameters: readonly RecordedParameter[] } | undefined;
  /** How often it was made. */
  readonly times: number;
}

export type Size = readonly [number, number, number];

export interface RecordedParameter {
  readonly offset: number;
  readonly size: number;
  readonly bytes: Uint8Array;
  /** Words of it that are addresses in memory that the driver knows. */
  readonly pointers: readonly (RecordedPointer & { readonly at: number })[];
  /** 128 bytes of it that are a tensor map. */
  readonly maps: readonly { readonly at: number; readonly map: number }[];
}

/** A place in an allocation. */
export interface RecordedPointer {
  readonly base: bigint;
  readonly size: number;
  readonly offset: number;
}

/** A tensor map, by what it was encoded from; numbers are those of cuda.h. */
export interface RecordedMap {
  readonly id: number;
  readonly form: 'tiled' | 'im2col';
  /** Undefined: the driver knows no memory there. */
  readonly buffer: RecordedPointer | undefined;
  readonly type: number;
  readonly dims: readonly number[];
  readonly strides: readonly number[];
  readonly box: readonly number[];
  readonly elementStrides: readonly number[];
  readonly interleave: number;
  readonly swizzle: number;
}

export interface RecordedImage {
  readonly id: number;
  /** fatbin, cubin, ptx or unknown. */
  readonly form: string;
  readonly bytes: number;
  /** The file that it was found in. */
  readonly from: string | undefined;
  readonly problem: string | undefined;
}

/** Bytes of memory before a launch. */
export interface RecordedContents {
  readonly launch: number;
  readonly from: bigint;
  readonly bytes: Uint8Array;
  /** Where in them addresses stand. */
  readonly addresses: readonly number[];
}

/** What was counted besides. */
export interface RecordedCounts {
  readonly launches: number;
  readonly captured: number;
  readonly graphLaunches: number;
  readonly captures: number;
  /** Launches beyond the bounds of the recorder. */
  readonly leftOut: number;
  /** Time that the recorder took. */
  readonly milliseconds: number;
  /** Kernel nodes that were added to graphs by hand. */
  readonly graphNodes: number;
  /** Launches by calls that are not read. */
  readonly otherLaunches: number;
}
