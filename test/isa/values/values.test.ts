import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BitDomain, type Bits, constantOf } from '../../../src/axiomatic/formula/bits.js';
import { type Formula, FormulaBuilder } from '../../../src/axiomatic/formula/formula.js';
import type { EventStructure } from '../../../src/events/events.js';
import { evaluateFloat } from '../../../src/program/float-function.js';
import { buildEvents } from '../../../src/semantics/build-events.js';
import { CONCRETE_VALUES, type ConcreteValue } from '../../../src/semantics/concrete-values.js';
import { interpretThread } from '../../../src/semantics/interpret.js';
import type { ValueDomain } from '../../../src/semantics/value-domain.js';
import { programOf } from '../../support.js';

/** A form of an instruction with inputs and outputs, from tables that programs of their own computed (make_*.py). */
interface FormCases {
  readonly form: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly cases: readonly {
    readonly line: string;
    readonly given: readonly bigint[];
    readonly expected: readonly bigint[];
  }[];
}

const hexadecimal = (list: string): readonly bigint[] =>
  list
    .trim()
    .split(',')
    .map((digits) => BigInt(`0x${digits}`));

function readTable(name: string): ReadonlyMap<string, readonly FormCases[]> {
  const families = new Map<string, FormCases[]>();
  let forms: FormCases[] = [];
  let cases: FormCases['cases'][number][] = [];
  for (const line of readFileSync(join(import.meta.dirname, name), 'utf8').split('\n')) {
    if (line.startsWith('#')) {
      forms = [];
      families.set(line.slice('# family '.length), forms);
    } else if (line.startsWith('=')) {
      const [form = '', registers = ''] =
        line.slice(1).split('|').length === 2 ? line.slice(1).split('|') : splitLast(line.slice(1));
      const [inputs = '', outputs = ''] = registers.split('->');
      cases = [];
      forms.push({
        form: form.trim(),
        inputs: inputs.trim().split(/\s+/),
        outputs: outputs.trim().split(/\s+/),
        cases,
      });
    } else if (line !== '') {
      const [given = '', expected = ''] = line.split('->');
      cases.push({ line, given: hexadecimal(given), expected: hexadecimal(expected) });
    }
  }
  return families;
}

/** A bar may also stand between two predicates. */
function splitLast(text: string): readonly [string, string] {
  const at = text.lastIndexOf('|');
  return [text.slice(0, at), text.slice(at + 1)];
}

const split = (register: string): readonly [string, string] => {
  const [name = '', type = ''] = register.split(':');
  return [name, type];
};

function structureOf({ form, inputs, outputs }: FormCases): EventStructure {
  const registers = [...new Set([...inputs, ...outputs])].map(split);
  const declared = registers.map(([name, type]) => `.reg .${type} %${name};`).join(' ');
  const program = programOf(`PTX form\n{ x = 0; }\nP0 { ${declared} ${form} }\nexists (x == 0)\n`);
  const structure = buildEvents(program, { bound: 1, spinRounds: 1, failingCasWrites: false });
  if ('kind' in structure) throw new Error('too large');
  return structure;
}

/** The registers at the end of a thread that starts with these inputs. */
function run<V, C>(
  structure: EventStructure,
  domain: ValueDomain<V, C>,
  { inputs, outputs }: FormCases,
  given: readonly bigint[],
  bitsOf: (value: V) => bigint,
): readonly bigint[] {
  const [thread] = structure.program.threads;
  if (thread === undefined) throw new Error('no thread');
  const registers = new Map(thread.registers);
  inputs.forEach((input, i) => {
    const [name] = split(input);
    const register = registers.get(name);
    if (register !== undefined) registers.set(name, { ...register, initial: given[i] ?? 0n });
  });
  const never = (): V => domain.constant(0n, 1);
  const { registers: after } = interpretThread(
    { ...structure, program: { ...structure.program, threads: [{ ...thread, registers }] } },
    0,
    domain,
    {
      ...{ read: never, barrierResult: never, mbarrierResult: never, unspecified: never },
      open: (_, width, of, operands) => {
        const result = of === undefined ? undefined : evaluateFloat(of, operands.map(bitsOf));
        return domain.constant(result ?? 0xbadn & ((1n << BigInt(width)) - 1n), width);
      },
      either: (_, [first]) => first,
      passes: () => domain.yes,
    },
  );
  return outputs.map((output) => {
    const value = after.get(split(output)[0]);
    return value === undefined ? -1n : bitsOf(value);
  });
}

const hex = (values: readonly bigint[]): string => values.map((value) => value.toString(16)).join(',');

/** The cases in which a domain gives something else than the table. */
function differences<V, C>(
  table: readonly FormCases[],
  domain: ValueDomain<V, C>,
  bitsOf: (value: V) => bigint,
): readonly string[] {
  return table.flatMap((form) => {
    const structure = structureOf(form);
    return form.cases.flatMap(({ line, given, expected }) => {
      const found = run(structure, domain, form, given, bitsOf);
      return hex(found) === hex(expected) ? [] : [`${form.form} ${line}: ${hex(found)}`];
    });
  });
}

const NUMBERS = (value: ConcreteValue): bigint => value.bits;

describe('integer instructions compute what a table made elsewhere says', () => {
  const circuits = new BitDomain(new FormulaBuilder());
  it.each([...readTable('integer-cases.txt')])('%s', (_, table) => {
    expect(table.flatMap(({ cases }) => cases).length).toBeGreaterThanOrEqual(200);
    expect(differences(table, CONCRETE_VALUES, NUMBERS)).toEqual([]);
    expect(differences<Bits, Formula>(table, circuits, (bits) => constantOf(bits) ?? -1n)).toEqual([]);
  });
});

describe('floating-point instructions compute what a table made elsewhere says', () => {
  it.each([...readTable('float-cases.txt')])('%s', (_, table) => {
    expect(table.flatMap(({ cases }) => cases).length).toBeGreaterThanOrEqual(200);
    expect(differences(table, CONCRETE_VALUES, NUMBERS)).toEqual([]);
  });
});
