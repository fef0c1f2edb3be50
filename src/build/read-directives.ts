import { didYouMean } from '../diagnostics/nearest.js';
import type { Span } from '../diagnostics/source.js';
import { type DataType, DECLARABLE_TYPES, parseDataType } from '../program/data-type.js';
import type { StateSpace } from '../program/locations.js';
import type { LocationDeclaration } from '../syntax/litmus-ast.js';

const WORD: DataType = { kind: 'u', width: 32 };
const SPACES = ['global', 'shared', 'const', 'param', 'local'] as const satisfies readonly StateSpace[];
type DeclaredSpace = (typeof SPACES)[number];
const isSpace = (name: string): name is DeclaredSpace => (SPACES as readonly string[]).includes(name);

/** The state space and the type that the directives of a declaration name, such as `.global .align 16 .u32`. */
export function readDirectives(
  declaration: LocationDeclaration,
  refuse: (span: Span, message: string, hint?: string) => void,
): { readonly space: DeclaredSpace; readonly type: DataType; readonly alignment: number } | undefined {
  let space: DeclaredSpace = 'global';
  let type = WORD;
  let alignment = 1n;
  let good = true;
  for (const directive of declaration.directives) {
    const { name } = directive;
    const read = name === 'pred' ? undefined : parseDataType(name);
    if (isSpace(name)) space = name;
    // That a parameter is a pointer says nothing that its value does not.
    else if (name === 'ptr') continue;
    else if (read !== undefined) type = read;
    else if (name === 'align') {
      alignment = directive.argument ?? 0n;
      if (![1n, 2n, 4n, 8n, 16n, 32n, 64n, 128n, 256n, 512n, 1024n].includes(alignment)) {
        refuse(directive.span, '.align takes a power of two up to 1024');
        good = false;
      }
    } else {
      refuse(
        directive.span,
        `unknown directive .${name}`,
        didYouMean(name, [...SPACES, 'align', ...DECLARABLE_TYPES]) ??
          'expected a state space such as .global, .align N, and a type such as .u32',
      );
      good = false;
    }
    if (name !== 'align' && directive.argument !== undefined) {
      refuse(directive.span, `.${name} takes no number`);
      good = false;
    }
  }
  return good ? { space, type, alignment: Number(alignment) } : undefined;
}

/** Whether a variable of these directives that is given no value has none (PTX ISA, Initializers). */
export const beginsUninitialized = (directives: LocationDeclaration['directives']): boolean =>
  directives.some(({ name }) => name === 'shared' || name === 'local');
