import type { Node } from 'ohm-js';
import grammars, { type FunctionHeaderActionDict } from '../../generated/litmus.ohm-bundle.js';
import { listOf, numberOf, optional, repeated, textOfNode } from './chunk-nodes.js';
import type { FunctionSyntax, VariableSyntax } from './litmus-ast.js';
import type { ModuleEntry, ModuleVariable } from './module-ast.js';
import { reader } from './parse-chunk.js';
import { VARIABLES, variableOf, variablesOf } from './parse-variable.js';

type FunctionHeader = Omit<FunctionSyntax, 'statements' | 'span'>;
type EntryHeader = Omit<ModuleEntry, 'body'>;
type VariableHeader = Omit<ModuleVariable, 'initial'>;

const parametersOf = (part: Node): readonly VariableSyntax[] => optional<readonly VariableSyntax[]>(part) ?? [];

const ACTIONS: FunctionHeaderActionDict<unknown> = {
  ...VARIABLES,
  Header(_linkage, _func, _attributes, results, name, parameters, _more): FunctionHeader {
    return { name: textOfNode(name), results: parametersOf(results), parameters: parametersOf(parameters) };
  },
  Entry(_linkage, _entry, name, parameters, bounds): EntryHeader {
    const read = repeated<readonly [string, readonly number[]]>(bounds);
    return { name: textOfNode(name), parameters: parametersOf(parameters), bounds: new Map(read) };
  },
  Bound(_dot, word, numbers): readonly [string, readonly number[]] {
    return [textOfNode(word), listOf(numbers, numberOf)];
  },
  ModuleVariable(linkage, space, _attribute, directives, declarators): readonly VariableHeader[] {
    const isExternal = linkage.children.some(({ sourceString }) => sourceString.startsWith('.extern'));
    return variablesOf(space, directives, declarators).map((variable) => ({ isExternal, variable }));
  },
  Parameters(_open, variables, _close): readonly VariableSyntax[] {
    return listOf(variables);
  },
  Variable(space, directives, name, dimension): VariableSyntax {
    return variableOf(space, directives, name, dimension);
  },
};

const header = <T>(rule: string, what: string) =>
  reader<T>({ grammar: grammars.FunctionHeader, rule, code: 'L0001', what: `this ${what} cannot be read` }, ACTIONS);

/** Reads `.func (.param .b32 r) f (.param .b32 a)` and the like (PTX ISA, Kernel and Function Directives). */
export const parseFunctionHeader = header<FunctionHeader>('Header', 'function');
export const parseEntryHeader = header<EntryHeader>('Entry', 'kernel');
/** Reads variables that one directive declares at the top of a module. */
export const parseModuleVariables = header<readonly VariableHeader[]>('ModuleVariable', 'variable');
