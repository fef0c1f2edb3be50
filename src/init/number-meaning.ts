import { numberOfBits } from '../program/float-format.js';
import type { OperandSyntax } from '../syntax/litmus-ast.js';
import { type DataFlow, isAccess, type Step, widthIn } from './data-flow.js';

/** Steps that hand a number on as it is. */
const HANDS_ON: ReadonlySet<string> = new Set(['mov', 'cvt', 'copy']);

const equals = (step: Step): boolean =>
  step.mnemonic === 'setp' && (step.words.has('eq') || step.words.has('ne')) && !step.words.has('f32');

/** The registers to which some registers are handed on by steps of some mnemonics, with themselves. */
function handedOn(flow: DataFlow, from: readonly string[], by: (step: Step) => boolean): ReadonlySet<string> {
  const known = new Set(from);
  for (const name of known)
    for (const step of flow.readersOf(name))
      if (by(step) && !isAccess(step)) for (const target of step.targets) known.add(target);
  return known;
}

const names = ({ sources }: Step): readonly string[] =>
  sources.flatMap((one) => (one.kind === 'name' ? [one.name] : []));

/** Whether a number is compared for equality with what is 0 or 1, such as the result of another comparison. */
export function isFlag(flow: DataFlow, registers: readonly string[]): boolean {
  const own = handedOn(flow, registers, ({ mnemonic }) => HANDS_ON.has(mnemonic) || mnemonic === 'xor');
  return [...own].some((name) =>
    flow
      .readersOf(name)
      .some(
        (step) =>
          (equals(step) || step.mnemonic === 'xor') &&
          names(step).some((other) => !own.has(other) && isZeroOrOne(flow, other)),
      ),
  );
}

/** Whether a register only has what a comparison comes to, as a number. */
function isZeroOrOne(flow: DataFlow, name: string): boolean {
  const writing = flow.writersOf(name);
  return (
    writing.length > 0 &&
    writing.every(({ mnemonic, sources: [yes, no] }) => {
      if (mnemonic !== 'selp' || yes?.kind !== 'number' || no?.kind !== 'number') return false;
      return [yes.value, no.value].every((one) => one === 0n || one === 1n);
    })
  );
}

/** Whether a loop doubles, or halves, what begins with a number, or what is compared with it. */
export function isDoubled(flow: DataFlow, registers: readonly string[]): boolean {
  const doubled = new Set(flow.steps.flatMap((step) => (doubles(step) ? [...roundOf(flow, step)] : [])));
  if (doubled.size === 0) return false;
  const same = handedOn(flow, registers, ({ mnemonic }) => HANDS_ON.has(mnemonic));
  const isBound = flow.steps.some(
    (step) =>
      step.mnemonic === 'setp' &&
      names(step).some((name) => same.has(name)) &&
      names(step).some((name) => doubled.has(name) && !same.has(name)),
  );
  const shifted = handedOn(flow, registers, (step) => HANDS_ON.has(step.mnemonic) || doubles(step));
  return isBound || [...shifted].some((name) => doubled.has(name));
}

/** Whether a step doubles what it takes, or halves it. */
function doubles({ mnemonic, sources: [one, other] }: Step): boolean {
  if (mnemonic === 'shl' || mnemonic === 'shr') return other?.kind === 'number' && other.value === 1n;
  return mnemonic === 'add' && one?.kind === 'name' && other?.kind === 'name' && one.name === other.name;
}

/** The registers by which what a step makes comes back to it; none if it does not. */
function roundOf(flow: DataFlow, step: Step): ReadonlySet<string> {
  const made = handedOn(flow, step.targets, ({ mnemonic }) => HANDS_ON.has(mnemonic));
  return names(step).some((name) => made.has(name)) ? made : new Set();
}

/** The constants that what is in some registers is compared with; of floating-point numbers the whole ones below. */
export function comparedWith(flow: DataFlow, registers: readonly string[]): readonly number[] {
  const own = handedOn(flow, registers, ({ mnemonic }) => HANDS_ON.has(mnemonic));
  const reading = new Set([...own].flatMap((name) => flow.readersOf(name)));
  return [...reading].flatMap((step) => {
    const width = widthIn(step.words);
    if (step.mnemonic === 'setp') return step.sources.slice(0, 2).flatMap((one) => constantIn(flow, one, width) ?? []);
    // A sign is asked for by its bit.
    const [, by] = step.sources;
    return step.mnemonic === 'shr' && by?.kind === 'number' && Number(by.value) === width - 1 ? [0] : [];
  });
}

/** The number that an operand is, by itself or by a move; of bits in their type. */
export function constantIn(flow: DataFlow, one: OperandSyntax, width: number): number | undefined {
  if (one.kind === 'name') {
    const [step, ...others] = flow.writersOf(one.name);
    const [from] = step?.sources ?? [];
    const isMoved = step?.mnemonic === 'mov' && others.length === 0 && from?.kind === 'number';
    return isMoved ? constantIn(flow, from, width) : undefined;
  }
  if (one.kind !== 'number') return undefined;
  if (one.fraction !== undefined) return Math.floor(one.fraction);
  if (one.floatWidth !== undefined) return Math.floor(numberOfBits(one.value, one.floatWidth));
  return Number(BigInt.asIntN(width, one.value));
}
