import type { Size } from './recording.js';

export type Json = Readonly<Record<string, unknown>>;

export const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Reads the members of an object of JSON; one that is missing or of another type is told, once an object. */
export class Member {
  isWrong = false;

  constructor(
    private readonly object: Json,
    private readonly told: (what: string) => void,
    private readonly parent?: Member,
  ) {}

  has(name: string): boolean {
    return this.object[name] !== undefined && this.object[name] !== false && this.object[name] !== null;
  }

  text(name: string): string {
    const value = this.object[name];
    return typeof value === 'string' ? value : this.wrong(name, 'a text', '');
  }

  number(name: string): number {
    const value = this.object[name];
    return Number.isSafeInteger(value) ? Number(value) : this.wrong(name, 'a whole number', 0);
  }

  numbers(name: string): readonly number[] {
    const value = this.object[name];
    const isList = Array.isArray(value) && value.every((one) => Number.isSafeInteger(one));
    return isList ? (value as readonly number[]) : this.wrong(name, 'a list of whole numbers', []);
  }

  size(name: string): Size {
    const [x, y, z, ...more] = this.numbers(name);
    return x === undefined || y === undefined || z === undefined || more.length > 0
      ? this.wrong(name, 'three numbers', [1, 1, 1])
      : [x, y, z];
  }

  address(name: string): bigint {
    const value = this.object[name];
    return typeof value === 'string' && /^0x[0-9a-f]{1,16}$/.test(value)
      ? BigInt(value)
      : this.wrong(name, 'an address, such as "0x7f00"', 0n);
  }

  /** Bytes in hexadecimal digits. */
  bytes(name: string, length?: number): Uint8Array {
    const value = this.object[name];
    if (typeof value !== 'string' || !/^([0-9a-f]{2})*$/.test(value))
      return this.wrong(name, 'bytes in hexadecimal digits', new Uint8Array());
    const bytes = Uint8Array.from({ length: value.length / 2 }, (_, i) =>
      Number.parseInt(value.slice(2 * i, 2 * i + 2), 16),
    );
    return length === undefined || bytes.length === length ? bytes : this.wrong(name, `${length} bytes`, bytes);
  }

  member(name: string): Member {
    const value = this.object[name];
    return new Member(isRecord(value) ? value : this.wrong(name, 'an object', {}), this.told, this);
  }

  members(name: string): readonly Member[] {
    const value = this.object[name];
    const isList = Array.isArray(value) && value.every(isRecord);
    const list = isList ? (value as readonly Json[]) : this.wrong<readonly Json[]>(name, 'a list of objects', []);
    return list.map((one) => new Member(one, this.told, this));
  }

  private wrong<T>(name: string, expected: string, instead: T): T {
    const isFirst = !this.isWrong;
    for (let one: Member | undefined = this; one !== undefined; one = one.parent) one.isWrong = true;
    if (isFirst) this.told(`"${name}" is not ${expected}: the line is left out`);
    return instead;
  }
}
