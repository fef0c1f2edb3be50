import { lanesIn } from './lanes.js';

/** What is known besides of the registers of lanes that hold open values, by register and lane. */
export class LaneFacts<T> {
  private byRegister = new Map<number, readonly (T | undefined)[]>();

  get isAny(): boolean {
    return this.byRegister.size > 0;
  }

  has(register: number): boolean {
    return this.byRegister.has(register);
  }

  in(register: number, lane: number): T | undefined {
    return this.byRegister.get(register)?.[lane];
  }

  /** By lane: nothing is said of those without a fact. */
  add(register: number, facts: readonly (T | undefined)[]): void {
    const known = [...(this.byRegister.get(register) ?? [])];
    facts.forEach((fact, lane) => {
      if (fact !== undefined) known[lane] = fact;
    });
    if (known.some((fact) => fact !== undefined)) this.byRegister.set(register, known);
  }

  /** Lanes hold something else in a register. */
  drop(register: number, lanes: number): void {
    const known = this.byRegister.get(register);
    if (known === undefined) return;
    const left = [...known];
    for (const lane of lanesIn(lanes)) left[lane] = undefined;
    if (left.every((fact) => fact === undefined)) this.byRegister.delete(register);
    else this.byRegister.set(register, left);
  }

  /** The same in all registers. */
  dropAll(lanes: number): void {
    for (const register of [...this.byRegister.keys()]) this.drop(register, lanes);
  }

  /** As they are now. */
  copy(): LaneFacts<T> {
    const copy = new LaneFacts<T>();
    copy.byRegister = new Map(this.byRegister);
    return copy;
  }
}
