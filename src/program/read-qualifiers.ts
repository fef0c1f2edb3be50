import { type Diagnostic, error } from '../diagnostics/diagnostic.js';
import { didYouMean } from '../diagnostics/nearest.js';
import type { InstructionSyntax, Qualifier } from '../syntax/litmus-ast.js';
import { type InstructionSpec, OTHER_PTX_QUALIFIERS, type Slot } from './instruction-table.js';
import type { Qualifiers } from './qualifier-rules.js';

/** Sorts an instruction's qualifiers into the slots of its table entry, and checks the entry's rules. */
export function readQualifiers(instruction: InstructionSyntax, spec: InstructionSpec): { readonly qualifiers: Qualifiers; readonly diagnostics: readonly Diagnostic[] } {
  const diagnostics: Diagnostic[] = [];
  const found = new Map<string, string>();
  const proxyKinds: string[] = [];
  for (const qualifier of instruction.qualifiers) {
    const slot = slotOf(qualifier.text, spec, found);
    if (slot === undefined) {
      diagnostics.push(unknownQualifier(instruction, qualifier, spec));
    } else if (slot === 'proxyKind') {
      proxyKinds.push(qualifier.text);
      found.set('proxyKind', qualifier.text);
    } else if (slot !== 'hint') {
      if (found.has(slot)) {
        const earlier = found.get(slot);
        diagnostics.push(error('L0103', qualifier.span, earlier === qualifier.text ? `.${qualifier.text} is given twice` : `.${qualifier.text} does not go with .${earlier}`));
      }
      found.set(slot, qualifier.text);
    }
  }
  const qualifiers: Qualifiers = { ...Object.fromEntries(found), ...(proxyKinds.length === 0 ? {} : { proxyKinds }), operandCount: instruction.operands.length };
  if (diagnostics.length > 0) return { qualifiers, diagnostics };
  const shorthand = isShorthand(qualifiers, spec);
  for (const slot of spec.required ?? []) {
    if (qualifiers[slot] === undefined) {
      diagnostics.push(
        error('L0103', instruction.mnemonicSpan, `${instruction.mnemonic} needs its ${slot}: one of ${(spec.slots[slot] ?? []).map((value) => `.${value}`).join(', ')}`),
      );
    }
  }
  if (diagnostics.length > 0) return { qualifiers, diagnostics };
  const broken = spec.rules.find((rule) => (rule.always === true || !shorthand) && rule.broken(qualifiers));
  if (broken !== undefined) {
    const sentence = typeof broken.rule === 'string' ? broken.rule : broken.rule(qualifiers);
    const written = [instruction.mnemonic, ...instruction.qualifiers.map((qualifier) => qualifier.text)].join('.');
    diagnostics.push(error('L0103', instruction.span, `${written} is not PTX: ${sentence}`));
  }
  return { qualifiers, diagnostics };
}

/** Without a type, an instruction whose entry has types is a shorthand of the Dat3M dialect: it takes the location's type. */
export function isShorthand(qualifiers: Qualifiers, spec: InstructionSpec): boolean {
  return spec.shorthandOnly === true || (spec.slots.type !== undefined && qualifiers.type === undefined);
}

function slotOf(text: string, spec: InstructionSpec, found: Map<string, string>): Slot | 'sourceType' | 'hint' | undefined {
  if (/^L[12]::/.test(text) && (spec.family === 'load' || spec.family === 'store' || spec.family === 'atomic')) return 'hint';
  for (const [slot, values] of Object.entries(spec.slots) as [Slot, readonly string[]][]) {
    if (values.includes(text)) return slot === 'type' && spec.family === 'convert' && found.has('type') ? 'sourceType' : slot;
  }
  return undefined;
}

function unknownQualifier(instruction: InstructionSyntax, qualifier: Qualifier, spec: InstructionSpec): Diagnostic {
  const { mnemonic } = instruction;
  const refused = spec.refused?.[qualifier.text];
  if (refused !== undefined) return error('L0103', qualifier.span, `${mnemonic} has no .${qualifier.text}: ${refused}`);
  if (OTHER_PTX_QUALIFIERS.has(qualifier.text)) {
    return error('L0106', qualifier.span, `.${qualifier.text} on ${mnemonic} has no meaning here yet`, 'a test that needs it cannot be decided by this version');
  }
  const values = Object.values(spec.slots).flat();
  const hint =
    didYouMean(qualifier.text, values) ?? (values.length === 0 ? `${mnemonic} takes no qualifiers` : `${mnemonic} takes ${values.map((value) => `.${value}`).join(' ')}`);
  return error('L0102', qualifier.span, `unknown qualifier .${qualifier.text} of ${mnemonic}`, hint);
}
