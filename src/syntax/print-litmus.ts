import type { Clause, Proposition, Term } from './condition-ast.js';
import type {
  Declaration,
  FunctionSyntax,
  Initial,
  InstructionSyntax,
  Level,
  ListedValue,
  LitmusFile,
  OperandSyntax,
  Statement,
  TensorShape,
  ThreadSyntax,
  VariableSyntax,
} from './litmus-ast.js';
import { opcodeOf } from './opcode.js';
import { printDecimal } from './print-decimal.js';
import { printLaunch } from './print-launch.js';
import { shownThreadName } from './thread-name.js';

/**
 * A litmus test in the native format; reading it gives the same test. Bodies keep their layout, which may matter to
 * what they mean.
 */
export function printLitmus(file: LitmusFile): string {
  const lines = [
    `PTX ${file.name}`,
    ...file.descriptions.map((text) => `"${text}"`),
    '{',
    ...file.declarations.filter((one) => !isAlias(one)).map((one) => `  ${printDeclaration(one)};`),
    '}',
    ...file.functions.flatMap(printFunction),
    ...file.declarations.filter(isAlias).map((one) => `${printDeclaration(one)};`),
    ...file.launches.flatMap(printLaunch),
  ];
  if (file.layout === 'columns') lines.push(...printColumns(file.threads));
  else
    for (const thread of file.threads)
      lines.push(`${printHeader(thread)} {`, ...thread.statements.map(printStatement), '}');
  lines.push(...file.clauses.map(printClause));
  return `${lines.join('\n')}\n`;
}

const isAlias = ({ kind }: Declaration): boolean => kind === 'variable-alias';

function printFunction({ name, results, parameters, statements }: FunctionSyntax): readonly string[] {
  const list = (variables: readonly VariableSyntax[]): string => `(${variables.map(printVariable).join(', ')})`;
  const header = `.func ${results.length === 0 ? '' : `${list(results)} `}${name} ${list(parameters)}`;
  return statements === undefined ? [`${header};`] : [`${header} {`, ...statements.map(printStatement), '}'];
}

function printVariable({ directives, name, elements, initial }: Omit<VariableSyntax, 'kind'>): string {
  const space = directives
    .map((one) => `.${one.name} ${one.argument === undefined ? '' : `${one.argument} `}`)
    .join('');
  const size = elements === undefined ? '' : `[${elements === 0 ? '' : elements}]`;
  return `${space}${name}${size}${initial === undefined ? '' : ` = ${printInitial(initial)}`}`;
}

const printHeader = ({ name, levels }: ThreadSyntax): string => `${shownThreadName(name)}${printPlace(levels)}`;

function printPlace(levels: readonly Level[]): string {
  const place = levels.map(({ level, number }) => (level === 'host' ? level : `${level} ${number}`)).join(', ');
  return place === '' ? '' : ` @ ${place}`;
}

function printColumns(threads: readonly ThreadSyntax[]): readonly string[] {
  const cells = threads.map(({ statements }) =>
    statements.flatMap((one) => {
      const lines =
        one.kind === 'instruction' ? [...printUsedBytes(one), printInstruction(one)] : [printStatement(one)];
      return lines.map((line) => line.trim().replace(/;$/, ''));
    }),
  );
  const rows = Array.from({ length: Math.max(...cells.map(({ length }) => length)) }, (_, row) =>
    cells.map((column) => column[row] ?? ''),
  );
  return [threads.map(printHeader), ...rows].map((row) => ` ${row.join(' | ')};`);
}

function printDeclaration(declaration: Declaration): string {
  switch (declaration.kind) {
    case 'register':
      return `${shownThreadName(declaration.thread)}:${declaration.register} = ${printInitial(declaration.initial)}`;
    case 'alias':
      return `${declaration.name} @ ${declaration.proxy} aliases ${declaration.aliases}`;
    case 'grid-order':
      return `grid ${declaration.grid} ${declaration.order === 'after' ? 'after' : 'dependent on'} ${declaration.on}`;
    case 'forward-progress':
      return `forward-progress ${declaration.promise}`;
    case 'descriptor': {
      const { name, location, offset, bytes } = declaration;
      return `${name} = tile(${location}${offset === 0n ? '' : `+${offset}`}, ${bytes})`;
    }
    case 'variable-alias':
      return `alias ${declaration.name} = ${declaration.variable}`;
    case 'location': {
      const { place = [], aliases } = declaration;
      return `${printVariable(declaration)}${printPlace(place)}${aliases === undefined ? '' : ` aliases ${aliases}`}`;
    }
  }
}

function printInitial(initial: Initial): string {
  switch (initial.kind) {
    case 'number':
      return printConstant(initial.value);
    case 'array':
      return `{${initial.values.map(printListed).join(', ')}}`;
    case 'unknown':
      return '?';
    case 'uninitialized':
      return 'uninitialized';
    case 'address':
      return printListed(initial);
    case 'copy':
      return initial.name;
    case 'tensormap':
      return `tensormap(${initial.name}, ${initial.bytes})`;
    case 'tensor-shape':
      return printShape(initial);
    case 'record':
      return '?';
    case 'mbarrier':
      return `mbarrier(${initial.count})`;
  }
}

function printShape({ type, name, dimensions, strides, box, swizzle }: TensorShape): string {
  const extents = (word: string, numbers: readonly bigint[]): string => `, ${word} {${numbers.join(', ')}}`;
  const more = `${strides.length === 0 ? '' : extents('strides', strides)}${extents('box', box)}`;
  const mode = swizzle === undefined ? '' : `, swizzle ${swizzle}`;
  return `tensormap(.${type}, ${name}${extents('dims', dimensions)}${more}${mode})`;
}

function printStatement(statement: Statement): string {
  switch (statement.kind) {
    case 'label':
      return `${statement.name}:`;
    case 'registers':
      return (
        `  .reg .${statement.type} ` +
        `${statement.names.map(({ name, count }) => `${name}${count === undefined ? '' : `<${count}>`}`).join(', ')};`
      );
    case 'block':
      return ['  {', ...statement.statements.map(printStatement), '  }'].join('\n');
    case 'variable':
      return `  ${printVariable(statement)};`;
    case 'targets':
      return `  .branchtargets ${statement.names.join(', ')};`;
    case 'note':
      return `  ${statement.span.source.text.slice(statement.span.start, statement.span.end)};`;
    case 'instruction':
      return [...printUsedBytes(statement), `${printInstruction(statement)};`].map((line) => `  ${line}`).join('\n');
  }
}

/** The pragma before a load of which some bytes are not used. */
export const printUsedBytes = ({ usedBytes }: InstructionSyntax): readonly string[] =>
  usedBytes === undefined ? [] : [`.pragma "used_bytes_mask ${usedBytes}";`];

/** An instruction in PTX syntax, without its semicolon. */
export function printInstruction(instruction: InstructionSyntax): string {
  const { guard, operands } = instruction;
  const prefix = guard === undefined ? '' : `@${guard.negated ? '!' : ''}${guard.register} `;
  const opcode = opcodeOf(instruction);
  return `${prefix}${opcode}${operands.length === 0 ? '' : ` ${operands.map(printOperand).join(', ')}`}`;
}

function printOperand(operand: OperandSyntax): string {
  const offset = (value: bigint): string => (value === 0n ? '' : value > 0n ? `+${value}` : `-${-value}`);
  switch (operand.kind) {
    case 'name':
      return `${operand.name}${offset(operand.offset)}`;
    case 'number':
      return operand.fraction === undefined ? integerOrBits(operand) : printDecimal(operand.fraction);
    case 'address':
      return `[${operand.percent ? '%' : ''}${operand.base}${offset(operand.offset)}]`;
    case 'addressOf':
      return `&${operand.name}`;
    case 'tensor': {
      const base = `${operand.percent ? '%' : ''}${operand.base}`;
      const before = [base, ...(operand.sampler === undefined ? [] : [operand.sampler])].join(', ');
      return `[${before}, {${operand.coordinates.map(printOperand).join(', ')}}]`;
    }
    case 'list':
      return `(${operand.elements.map(printOperand).join(', ')})`;
    case 'vector': {
      const beside = operand.predicate === undefined ? '' : `|${operand.predicate}`;
      return `{${operand.elements.map(printOperand).join(', ')}}${beside}`;
    }
    case 'negated':
      return `!${operand.name}`;
    case 'selected':
      return `${operand.minus ? '-' : ''}${operand.name}${operand.selector ? `.${operand.selector}` : ''}`;
    case 'pair':
      return `${operand.first ?? '_'}|${operand.second ?? '_'}`;
    case 'sink':
      return '_';
  }
}

function printModels(models: readonly string[] | undefined): string {
  return models === undefined ? '' : ` for ${models.join(', ')}`;
}

function printClause(clause: Clause): string {
  switch (clause.kind) {
    case 'condition': {
      const name = clause.name === undefined ? '' : ` as ${clause.name}`;
      return `${clause.quantifier} (${printProposition(clause.proposition)})${name}${printModels(clause.models)}`;
    }
    case 'expect':
      return `expect ${clause.expectation}${printModels(clause.models)}`;
    case 'allow': {
      const lines = clause.lines.map(({ file, line }) => (file === undefined ? `${line}` : `${file}:${line}`));
      const at = lines.length === 0 ? '' : ` at ${lines.join(', ')}`;
      return `allow ${clause.finding}${at} "${clause.reason}"${printModels(clause.models)}`;
    }
    case 'filter':
      return `filter (${printProposition(clause.proposition)})`;
    case 'locations':
      return `locations [${clause.terms.map((term) => `${printTerm(term)};`).join(' ')}]`;
  }
}

export function printProposition(proposition: Proposition): string {
  const inner = (one: Proposition): string =>
    one.kind === 'and' || one.kind === 'or' ? `(${printProposition(one)})` : printProposition(one);
  switch (proposition.kind) {
    case 'constant':
      return String(proposition.value);
    case 'not':
      return `~(${printProposition(proposition.operand)})`;
    case 'compare':
      return `${printTerm(proposition.left)} ${proposition.comparison} ${printTerm(proposition.right)}`;
    default:
      return proposition.operands.map(inner).join(proposition.kind === 'and' ? ' /\\ ' : ' \\/ ');
  }
}

function printTerm(term: Term): string {
  switch (term.kind) {
    case 'number':
      return term.isBits === true ? printBits(term.value) : printConstant(term.value);
    case 'register':
      return `${shownThreadName(term.thread)}:${term.register}`;
    case 'address':
    case 'location': {
      const [cta, gpu] = [
        term.cta === undefined ? '' : `@cta${term.cta}`,
        term.gpu === undefined ? '' : `@gpu${term.gpu}`,
      ];
      const place = `${term.name}${cta}${gpu}`;
      if (term.kind === 'address') return `&${place}${term.offset === 0n ? '' : `+${term.offset}`}`;
      return term.index !== undefined
        ? `${place}[${term.index}]`
        : term.offset !== undefined
          ? `[${place}+${term.offset}]`
          : place;
    }
  }
}

function printListed(value: ListedValue): string {
  if (typeof value !== 'object') return printConstant(value);
  const { name, offset, mask } = value;
  const place = `&${name}${offset === 0n ? '' : `+${offset}`}`;
  return mask === undefined ? place : `0x${mask.toString(16)}(${place})`;
}

const printBits = (value: bigint | number): string =>
  value < 0 ? `-0x${(-value).toString(16)}` : `0x${value.toString(16)}`;
const printConstant = (value: bigint | number): string =>
  typeof value === 'number' ? printDecimal(value) : String(value);

function integerOrBits({ value, floatWidth }: Extract<OperandSyntax, { kind: 'number' }>): string {
  if (floatWidth === undefined) return String(value);
  return `0${floatWidth === 32 ? 'f' : 'd'}${value
    .toString(16)
    .toUpperCase()
    .padStart(floatWidth / 4, '0')}`;
}
