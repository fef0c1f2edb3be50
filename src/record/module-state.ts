import { literalPattern } from '../diagnostics/literal-pattern.js';
import { typeIn } from '../program/data-type.js';
import type { ModuleEntry, ModuleFile, ModuleVariable } from '../syntax/module-ast.js';

/** What a kernel finds in the variables of its module, as far as that is not what the module says. */
export interface ModuleState {
  readonly declarations: readonly string[];
  readonly notes: readonly string[];
}

/**
 * What the host and launches before have put into variables is not recorded. A constant that the module gives no value
 * has one by the host alone, so it is open; of others, which may be counters that begin as 0, it is told.
 */
export function moduleState(module: ModuleFile, entry: ModuleEntry): ModuleState {
  const text = textOf(module, entry);
  const used = module.variables.filter((one) => !one.isExternal && !isText(one) && mentions(text, one.variable.name));
  const open = used.filter((one) => isIn(one, 'const') && one.initial === undefined);
  const written = used.filter((one) => isIn(one, 'global'));
  return {
    declarations: open.map(declareOpen),
    notes: [
      ...open.map(({ variable }) => `what the host has put into ${variable.name} is not recorded: it is left open`),
      ...written.map(
        ({ variable }) =>
          `${variable.name} begins as the module says: what launches and copies before have left there is not recorded`,
      ),
    ],
  };
}

/** The kernel, and where it calls functions, all of these. */
function textOf({ functions }: ModuleFile, { body: { source, start, end } }: ModuleEntry): string {
  const body = source.text.slice(start, end);
  return /\bcall\b/.test(body) ? [body, ...functions.map(({ text }) => text)].join('\n') : body;
}

function mentions(text: string, name: string): boolean {
  return text.includes(name) && new RegExp(`(?<![\\w$%])${literalPattern(name)}(?![\\w$])`).test(text);
}

const isIn = ({ variable }: ModuleVariable, space: string): boolean =>
  variable.directives.some(({ name }) => name === space);
/** Texts that compilers put there, such as those of printf and assert. */
const isText = ({ variable }: ModuleVariable): boolean => /^(\$str|__unnamed_)/.test(variable.name);

function declareOpen({ variable: { name, directives, elements } }: ModuleVariable): string {
  const align = directives.find((one) => one.name === 'align')?.argument;
  const { kind, width } = typeIn(directives) ?? { kind: 'b', width: 32 };
  const alignment = align === undefined ? '' : ` .align ${align}`;
  return `.const${alignment} .${kind}${width} ${name}${elements === undefined ? '' : `[${elements}]`} = ?;`;
}
