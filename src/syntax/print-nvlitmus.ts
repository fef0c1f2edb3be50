import type { Clause } from './condition-ast.js';
import type { Declaration, InstructionSyntax, LitmusFile } from './litmus-ast.js';
import { printInstruction, printProposition } from './print-litmus.js';

class Inexpressible extends Error {}

/** A litmus test in the format of NVlabs/mixedproxy; or what that format cannot say. */
export function printNvlitmus(file: LitmusFile): string | { readonly cannot: string } {
  try {
    const seen = new Map<string, string>();
    const lines = [
      `// ${file.name}`,
      ...file.descriptions.flatMap((text) => text.split('\n')).map((line) => `// ${line.trim()}`),
      ...file.declarations.flatMap(printDeclaration),
    ];
    const places = new Map<string, number>();
    for (const thread of file.threads) {
      const number = (level: string): number =>
        thread.levels.find((one) => one.level === level)?.number ??
        (level === 'gpu' ? 0 : refuse(`the place of thread ${thread.name} (give it a cta)`));
      if (thread.levels.some(({ level }) => level === 'cluster' || level === 'warp')) refuse('clusters and warps');
      const block = `d${number('gpu')}.b${number('cta')}`;
      const index = places.get(block) ?? 0;
      places.set(block, index + 1);
      lines.push('', `${block}.t${index} {`);
      for (const statement of thread.statements) {
        if (statement.kind !== 'instruction') refuse(statement.kind === 'label' ? 'labels' : 'register declarations');
        else lines.push(`  ${printSimple(statement, thread.name, seen)};`);
      }
      lines.push('}');
    }
    lines.push('', ...file.clauses.map((clause) => printClause(clause, seen)));
    return `${lines.join('\n')}\n`;
  } catch (thrown) {
    if (thrown instanceof Inexpressible) return { cannot: thrown.message };
    throw thrown;
  }
}

function refuse(what: string): never {
  throw new Inexpressible(`the format has no ${what}`);
}

const VIEWS: Readonly<Record<string, string>> = { texture: 'texref', surface: 'surfref', constant: 'constref' };

function printDeclaration(declaration: Declaration): readonly string[] {
  switch (declaration.kind) {
    case 'register':
      return declaration.initial.kind === 'number' && declaration.initial.value === 0n
        ? []
        : refuse('initial values of registers');
    case 'grid-order':
      return refuse('order of grids');
    case 'forward-progress':
      return refuse('models of forward progress');
    case 'descriptor':
      return refuse('matrix descriptors');
    case 'variable-alias':
      return refuse('variables of modules');
    case 'alias': {
      const view = VIEWS[declaration.proxy];
      return [
        view === undefined
          ? `.global ${declaration.name} physically aliases ${declaration.aliases};`
          : `.${view} ${declaration.name} virtually aliases ${declaration.aliases};`,
      ];
    }
    case 'location': {
      const { initial, directives, elements } = declaration;
      if (initial !== undefined && !(initial.kind === 'number' && initial.value === 0n))
        refuse(`initial value of ${declaration.name}`);
      if (elements !== undefined || directives.some(({ name }) => name !== 'global' && !/^[usb]32$/.test(name)))
        refuse(`locations other than .global .u32, such as ${declaration.name}`);
      return [
        declaration.aliases === undefined
          ? `.global ${declaration.name};`
          : `.global ${declaration.name} physically aliases ${declaration.aliases};`,
      ];
    }
  }
}

const MNEMONICS = /^(ld|st|atom|red|tld|suld|ldc|sust|suatom|sured|fence)$/;

function printSimple(instruction: InstructionSyntax, thread: string, seen: Map<string, string>): string {
  if (!MNEMONICS.test(instruction.mnemonic) || instruction.guard !== undefined || instruction.usedBytes !== undefined)
    refuse(`instruction such as ${printInstruction(instruction)}`);
  const qualifiers = instruction.qualifiers.filter(({ text }) => text !== 'global' && !/^[usb]32$/.test(text));
  if (qualifiers.some(({ text }) => /^([usb]\d+|v[24]|shared.*)$/.test(text)))
    refuse(`instruction such as ${printInstruction(instruction)}`);
  const [target] = instruction.operands;
  if (/^(ld|tld|suld|ldc|atom|suatom)$/.test(instruction.mnemonic) && target?.kind === 'name') {
    const owner = seen.get(target.name);
    if (owner !== undefined && owner !== thread) refuse(`register ${target.name} in two threads`);
    seen.set(target.name, thread);
  }
  const operands = instruction.operands.map((operand, i) => {
    const isAddress =
      operand.kind === 'name' &&
      i === (/^(st|red|sust|sured)$/.test(instruction.mnemonic) ? 0 : 1) &&
      !seen.has(operand.name);
    return isAddress
      ? { kind: 'address' as const, base: operand.name, percent: false, offset: operand.offset, span: operand.span }
      : operand;
  });
  return printInstruction({ ...instruction, qualifiers, operands });
}

function printClause(clause: Clause, seen: ReadonlyMap<string, string>): string {
  if (clause.kind !== 'condition' || clause.models !== undefined)
    return refuse(clause.kind === 'condition' ? 'conditions for one model' : `clause of the kind ${clause.kind}`);
  const word = {
    permit: 'permit',
    require: 'assert',
    forall: 'assert',
    exists: 'check',
    forbid: 'assert',
    '~exists': 'assert',
  }[clause.quantifier];
  const text = printProposition(clause.proposition).replace(/\bP?\w+:(\w+)/g, (whole, register: string) =>
    seen.has(register) ? register : whole,
  );
  const proposition = text.replaceAll('/\\', '&&').replaceAll('\\/', '||').replaceAll('~', 'not ');
  const negated =
    clause.quantifier === 'forbid' || clause.quantifier === '~exists' ? `not (${proposition})` : proposition;
  return `${word} (${negated}) as ${(clause.name ?? 'outcome').replace(/\W/g, '_')};`;
}
