import { type Diagnostic, error } from '../diagnostics/diagnostic.js';
import { didYouMean } from '../diagnostics/nearest.js';
import type { InstructionSyntax, Qualifier } from '../syntax/litmus-ast.js';
import type { InstructionSpec, Slot } from './instruction-spec.js';
import { OTHER_PTX_QUALIFIERS } from './instruction-table.js';
import type { Qualifiers } from './qualifier-rules.js';

/** Sorts an instruction's qualifiers into the slots of its table entry, and checks the entry's rules. */
export function readQualifiers(
  instruction: InstructionSyntax,
  name: string,
  spec: InstructionSpec,
  given: readonly Qualifier[],
): { readonly qualifiers: Qualifiers; readonly diagnostics: readonly Diagnostic[] } {
  const diagnostics: Diagnostic[] = [];
  const found = new Map<string, string>();
  const proxyKinds: string[] = [];
  for (const qualifier of given) {
    const slot = slotOf(qualifier.text, spec, found);
    if (slot === undefined) {
      diagnostics.push(unknownQualifier(name, qualifier, spec));
    } else if (slot === 'proxyKind') {
      proxyKinds.push(qualifier.text);
      found.set('proxyKind', qualifier.text);
    } else if (slot !== 'hint') {
      if (found.has(slot)) {
        const earlier = found.get(slot);
        diagnostics.push(
          error(
            'L0103',
            qualifier.span,
            earlier === qualifier.text
              ? `.${qualifier.text} is given twice`
              : `.${qualifier.text} does not go with .${earlier}`,
          ),
        );
      }
      found.set(slot, qualifier.text);
    }
  }
  const qualifiers: Qualifiers = {
    ...Object.fromEntries(found),
    ...(proxyKinds.length === 0 ? {} : { proxyKinds }),
    operandCount: instruction.operands.length,
  };
  if (diagnostics.length > 0) return { qualifiers, diagnostics };
  const shorthand = isShorthand(qualifiers, spec);
  for (const slot of spec.required ?? []) {
    if (qualifiers[slot] === undefined) {
      diagnostics.push(
        error(
          'L0103',
          instruction.mnemonicSpan,
          `${name} needs its ${SLOT_NAMES[slot] ?? slot}: one of ` +
            `${(spec.slots[slot] ?? []).map((value) => `.${value}`).join(', ')}`,
        ),
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

/**
 * Without a type, an instruction whose entry has types is a shorthand of the Dat3M dialect: it takes the location's
 * type.
 */
export function isShorthand(qualifiers: Qualifiers, spec: InstructionSpec): boolean {
  return (
    spec.shorthandOnly === true ||
    (DIALECT.has(spec.family) && spec.slots.type !== undefined && qualifiers.type === undefined)
  );
}

/** The families that the Dat3M dialect has. */
const DIALECT: ReadonlySet<string> = new Set([
  'load',
  'store',
  'atomic',
  'barrier',
  'move',
  'arithmetic',
  'compare',
  'select',
  'convert',
]);
/** Instructions that take cache hints, which mean nothing to memory models. */
const HINTED: ReadonlySet<string> = new Set(['load', 'store', 'atomic', 'asyncCopy', 'bulkCopy', 'tensorCopy']);
const SLOT_NAMES: Partial<Record<Slot, string>> = {
  space: 'state space',
  sourceSpace: 'source state space',
  mechanism: 'completion mechanism',
};

function slotOf(
  text: string,
  spec: InstructionSpec,
  found: Map<string, string>,
): Slot | 'sourceType' | 'hint' | undefined {
  if (/^L[12]::/.test(text) && HINTED.has(spec.family)) return 'hint';
  const slots = (Object.entries(spec.slots) as [Slot, readonly string[]][])
    .filter(([, values]) => values.includes(text))
    .map(([slot]) => slot);
  if (slots[0] === 'type' && spec.family === 'convert' && found.has('type')) return 'sourceType';
  // A copy names two state spaces: first where it goes, then where it comes from.
  return slots.find((slot) => !found.has(slot)) ?? slots[0];
}

function unknownQualifier(mnemonic: string, qualifier: Qualifier, spec: InstructionSpec): Diagnostic {
  const refused = spec.refused?.[qualifier.text];
  if (refused !== undefined) return error('L0103', qualifier.span, `${mnemonic} has no .${qualifier.text}: ${refused}`);
  if (OTHER_PTX_QUALIFIERS.has(qualifier.text)) {
    return error(
      'L0106',
      qualifier.span,
      `.${qualifier.text} on ${mnemonic} has no meaning here yet`,
      'a test that needs it cannot be decided by this version',
    );
  }
  const values = Object.values(spec.slots).flat();
  const hint =
    didYouMean(qualifier.text, values) ??
    (values.length === 0
      ? `${mnemonic} takes no qualifiers`
      : `${mnemonic} takes ${values.map((value) => `.${value}`).join(' ')}`);
  return error('L0102', qualifier.span, `unknown qualifier .${qualifier.text} of ${mnemonic}`, hint);
}
