import { textOf } from '../diagnostics/source.js';
import type { ArgumentSyntax, Dimensions, LaunchSyntax, PlaceClause, RunClause, Selection } from './launch-ast.js';

/** A launch as a kernel test has it, in lines. */
export function printLaunch({
  name,
  path,
  nvcc,
  entry,
  arguments: given,
  place,
  runs,
}: LaunchSyntax): readonly string[] {
  const kernel = entry === undefined ? '' : ` :: ${entry}`;
  const compiled = nvcc === undefined ? '' : ` nvcc "${nvcc}"`;
  const header = `launch ${name} "${path}"${compiled}${kernel} (${given.map(printArgument).join(', ')})`;
  const places = `  @ ${place.map(printPlace).join(', ')}`;
  return runs.length === 0
    ? [header, places]
    : [header, `${places} {`, ...runs.map((run) => `  ${printRun(run)};`), '}'];
}

function printArgument(argument: ArgumentSyntax): string {
  switch (argument.kind) {
    case 'unknown':
      return '?';
    case 'varied':
      return textOf(argument.span);
    case 'fields':
      return `{${argument.fields.map(printArgument).join(', ')}}`;
    case 'location':
      return `&${argument.name}${argument.offset === 0n ? '' : `+${argument.offset}`}`;
    case 'number': {
      const { value, type } = argument;
      const number = typeof value === 'number' && Number.isInteger(value) ? value.toFixed(1) : String(value);
      return type === undefined ? number : `${type} ${number}`;
    }
  }
}

function printPlace(clause: PlaceClause): string {
  switch (clause.kind) {
    case 'varied':
      return textOf(clause.span);
    case 'grid':
    case 'block':
    case 'cluster':
      return `${clause.kind} ${printDimensions(clause.size)}`;
    case 'shared':
    case 'gpu':
      return `${clause.kind} ${clause.number}`;
    case 'cooperative':
      return clause.kind;
    case 'after':
      return `after ${clause.launch}`;
    case 'dependent':
      return `dependent on ${clause.launch}`;
  }
}

const printDimensions = ([x, y, z]: Dimensions): string => (y === 1 && z === 1 ? `${x}` : `(${x}, ${y}, ${z})`);

function printRun({ kind, exactly, threads, ctas }: RunClause): string {
  const run = exactly ? 'run exactly' : 'run';
  if (kind !== 'threads') return `${run} ${kind}`;
  return `${run} tid ${printSelections(threads)}${ctas === undefined ? '' : ` of cta ${printSelections(ctas)}`}`;
}

const printSelections = (selections: readonly Selection[]): string =>
  selections
    .map((one) =>
      one.kind === 'point'
        ? `(${one.at.join(', ')})`
        : one.from === one.to
          ? `${one.from}`
          : `${one.from}..${one.to}${one.step === 1 ? '' : ` step ${one.step}`}`,
    )
    .join(', ');
