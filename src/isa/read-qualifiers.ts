import { type Diagnostic, error } from '../diagnostics/diagnostic.js';
import { didYouMean } from '../diagnostics/nearest.js';
import type { InstructionSyntax, Qualifier } from '../syntax/litmus-ast.js';
import type { Instruction } from './instruction.js';
import type { Qualifiers, Slot } from './qualifier-rules.js';

/**
 * Sorts an instruction's qualifiers into the slots of its entry, checks the entry's rules, and fills in its defaults;
 * the qualifiers are undefined where there was an error.
 */
export function readQualifiers(
  instruction: InstructionSyntax,
  name: string,
  entry: Instruction,
  given: readonly Qualifier[],
): { readonly qualifiers: Qualifiers | undefined; readonly diagnostics: readonly Diagnostic[] } {
  const diagnostics: Diagnostic[] = [];
  const found: Partial<Record<Slot, string>> = {};
  const several: string[] = [];
  const ofShorthand: Qualifier[] = [];
  for (const { text, span } of given) {
    if (entry.cacheHints === true && /^L[12]::/.test(text)) continue;
    const isOfShorthand = entry.untypedOrders?.includes(text) === true;
    if (isOfShorthand) ofShorthand.push({ text, span });
    const slot = isOfShorthand ? 'order' : slotOf(text, entry, found);
    if (slot === undefined) {
      diagnostics.push(unknownQualifier(name, { text, span }, entry));
      continue;
    }
    const earlier = found[slot];
    if (slot === entry.several) several.push(text);
    else if (earlier !== undefined)
      diagnostics.push(
        error('L0103', span, earlier === text ? `.${text} is given twice` : `.${text} does not go with .${earlier}`),
      );
    found[slot] = text;
  }
  if (!isShorthand(found, entry))
    diagnostics.push(...ofShorthand.map((qualifier) => unknownQualifier(name, qualifier, entry)));
  if (diagnostics.length > 0) return { qualifiers: undefined, diagnostics };
  const missing = entry.required.filter((slot) => found[slot] === undefined);
  if (missing.length > 0)
    return {
      qualifiers: undefined,
      diagnostics: missing.map((slot) =>
        error(
          'L0103',
          instruction.mnemonicSpan,
          `${name} needs its ${SLOT_NAMES[slot] ?? slot}: one of ` +
            `${(entry.slots[slot] ?? []).map((value) => `.${value}`).join(', ')}`,
        ),
      ),
    };
  const written: Qualifiers = { ...found, several, operandCount: instruction.operands.length };
  const shorthand = isShorthand(written, entry);
  const broken = entry.rules.find((rule) => (rule.always === true || !shorthand) && rule.broken(written));
  if (broken === undefined) return { qualifiers: { ...entry.defaults, ...written }, diagnostics };
  const sentence = typeof broken.rule === 'string' ? broken.rule : broken.rule(written);
  const text = [instruction.mnemonic, ...instruction.qualifiers.map((qualifier) => qualifier.text)].join('.');
  return {
    qualifiers: undefined,
    diagnostics: [error('L0103', instruction.span, `${text} is not PTX: ${sentence}`)],
  };
}

/** A word of a dialect, or without its type, as the Dat3M dialect has it: it takes the location's type. */
export function isShorthand(qualifiers: Pick<Qualifiers, 'type'>, entry: Instruction): boolean {
  return entry.since === 'dialect' || (entry.untyped === true && qualifiers.type === undefined);
}

const SLOT_NAMES: Partial<Record<Slot, string>> = {
  space: 'state space',
  sourceSpace: 'source state space',
  sourceType: 'source type',
  mechanism: 'completion mechanism',
};

/** A copy names two state spaces: first where it goes, then where it comes from; as cvt names two types. */
function slotOf(text: string, entry: Instruction, found: Partial<Record<Slot, string>>): Slot | undefined {
  const slots = (Object.entries(entry.slots) as [Slot, readonly string[]][]).flatMap(([slot, values]) =>
    values.includes(text) ? [slot] : [],
  );
  return slots.find((slot) => found[slot] === undefined) ?? slots[0];
}

function unknownQualifier(
  name: string,
  { text, span }: Pick<Qualifier, 'text' | 'span'>,
  entry: Instruction,
): Diagnostic {
  const refused = entry.refused?.[text];
  if (refused !== undefined) return error('L0103', span, `${name} has no .${text}: ${refused}`);
  if (entry.notYet?.includes(text) === true)
    return error(
      'L0106',
      span,
      `.${text} on ${name} has no meaning here yet`,
      'a test that needs it cannot be decided by this version',
    );
  const values = [...new Set(Object.values(entry.slots).flat())];
  const hint =
    didYouMean(text, values) ??
    (values.length === 0
      ? `${name} takes no qualifiers`
      : `${name} takes ${values.map((value) => `.${value}`).join(' ')}`);
  return error('L0102', span, `unknown qualifier .${text} of ${name}`, hint);
}
