import type { Observable } from '../program/program.js';
import { membersOf, NONE } from './bits.js';
import { bytesOf } from './read-and-write.js';
import type { Setting } from './setting.js';
import { INITIAL, type State } from './state.js';

/** The values of a test's observables by their names. */
export type Outcome = ReadonlyMap<string, bigint>;

/** An outcome as one string, by which outcomes are told apart. */
export function outcomeKey(outcome: Outcome): string {
  return [...outcome].map(([name, value]) => `${name}=${value}`).join(' ');
}

/** The final states of a run in which every thread is at its end; none of another. The final memory is any coherence-maximal write of each cell (D48). */
export function outcomesOf(setting: Setting, { state }: { readonly state: State }): readonly Outcome[] {
  if (!setting.structure.threads.every((_, thread) => setting.view(state, thread).run.ended === true)) return [];
  let all: readonly (readonly [string, bigint])[][] = [[]];
  for (const observable of setting.structure.program.observed) {
    const values = valuesOf(setting, state, observable);
    all = all.flatMap((chosen) => values.map((value) => [...chosen, [observable.name, value] as const]));
  }
  return all.map((entries) => new Map(entries));
}

function valuesOf(setting: Setting, state: State, observable: Observable): readonly bigint[] {
  if (observable.kind === 'register') return [setting.view(state, observable.thread).run.registers.get(observable.register)?.bits ?? 0n];
  const { object, offset } = observable;
  const end = offset + observable.type.width / 8;
  let values: readonly bigint[] = [0n];
  for (const cell of setting.cells) {
    if (cell.object !== object || cell.offset < offset || cell.offset + cell.bytes > end) continue;
    const writes = setting.writesTo(state, cell);
    const last = writes.filter((write) => !membersOf(state.after.get(write) ?? NONE).some((later) => writes.includes(later)));
    values = values.flatMap((value) => (last.length === 0 ? [INITIAL] : last).map((write) => value | (bytesOf(setting, state, write, cell) << BigInt(8 * (cell.offset - offset)))));
  }
  return [...new Set(values)];
}
