import { type Include, readModel } from '../cat/resolve-model.js';
import { loadTests } from '../check/load-tests.js';
import type { Diagnostic } from '../diagnostics/diagnostic.js';
import { warning } from '../diagnostics/diagnostic.js';
import type { Source } from '../diagnostics/source.js';
import { BASE_KINDS } from '../execution/base-relations.js';
import { findInstruction } from '../isa/instruction-table.js';
import { readQualifiers } from '../isa/read-qualifiers.js';
import type { InstructionSyntax, Statement } from '../syntax/litmus-ast.js';
import { namedModules } from '../syntax/named-modules.js';
import { opcodeOf } from '../syntax/opcode.js';
import { parseBody } from '../syntax/parse-litmus.js';
import { parseModule } from '../syntax/parse-module.js';
import { kindOf } from './text-kind.js';

/** What is to be said of a text as it stands, and the modules that its launches name. */
export interface TextDiagnosis {
  readonly diagnostics: readonly Diagnostic[];
  readonly modules: readonly string[];
}

/** In milliseconds: what threads do beyond that is for who asks for verdicts. */
const TIMEOUT = 2000;

/** The mistakes of a test, a module or a model. */
export function diagnose(source: Source, include?: Include): TextDiagnosis {
  switch (kindOf(source.path)) {
    case 'module':
      return { diagnostics: diagnoseModule(source), modules: [] };
    case 'model':
      return { diagnostics: readModel(source.path, source, BASE_KINDS, include).diagnostics, modules: [] };
    case 'litmus':
    case 'nvlitmus': {
      const modules = namedModules(source.text);
      return { diagnostics: loadTests(source, { timeout: TIMEOUT }, 'answers').diagnostics, modules };
    }
  }
}

/** What cannot be read is an error; what has no meaning is refused only where a thread comes to it. */
function diagnoseModule(source: Source): readonly Diagnostic[] {
  const { value, diagnostics } = parseModule(source);
  if (value === undefined) return diagnostics;
  const bodies = [...value.entries.map(({ body }) => body), ...value.functions.flatMap(({ body }) => body ?? [])];
  const found = bodies.flatMap((body) => {
    const read = parseBody(body);
    return [...read.diagnostics, ...instructionsIn(read.value ?? []).flatMap(refused)];
  });
  return [...diagnostics, ...found];
}

function instructionsIn(statements: readonly Statement[]): readonly InstructionSyntax[] {
  return statements.flatMap((one) =>
    one.kind === 'instruction' ? [one] : one.kind === 'block' ? instructionsIn(one.statements) : [],
  );
}

function refused(instruction: InstructionSyntax): readonly Diagnostic[] {
  const found = findInstruction(instruction);
  const name = opcodeOf(instruction);
  const here = 'a thread that comes here cannot be followed';
  if (found?.entry === undefined)
    return [warning('L0106', instruction.mnemonicSpan, `${name} has no meaning here: ${here}`)];
  return readQualifiers(instruction, found.name, found.entry, found.qualifiers).diagnostics.map((one) =>
    warning(one.code, one.span, `${one.message}: ${here}`, one.hint),
  );
}
