import { applyPatch, createTwoFilesPatch, parsePatch } from 'diff';
import type { Source } from '../diagnostics/source.js';
import type { Choice, Site, Spot } from './sites.js';

/** A choice for some of the sites of a test; the others stay as they are. */
export type Choices = ReadonlyMap<Site, Choice>;

interface Edit extends Spot {
  readonly kind: Site['kind'];
  readonly choice: Choice;
}

/** What is not as it is now, in the order of the text; a fence before the instruction that it is put before. */
export function changesIn(choices: Choices): readonly (readonly [Site, Choice])[] {
  const at = ({ spots: [first] }: Site): number => first.span.start;
  return [...choices]
    .filter(([site, choice]) => choice !== site.present)
    .sort(([a], [b]) => at(a) - at(b) || rankOf(a.kind) - rankOf(b.kind));
}

const rankOf = (kind: Site['kind']): number => (kind === 'gap' ? 0 : 1);

/** The test with other choices, in its own text and in those of its modules. */
export function applied(source: Source, choices: Choices): Source {
  const edits = changesIn(choices).flatMap(([{ kind, spots }, choice]) =>
    spots.map((spot): Edit => {
      const text = choice.textAt?.(spot);
      return { ...spot, kind, choice: text === undefined ? choice : { ...choice, text } };
    }),
  );
  const of = (path: string): readonly Edit[] => edits.filter(({ span }) => span.source.path === path);
  const modules = Object.entries(source.modules ?? {}).map(([name, module]) =>
    'problem' in module ? [name, module] : [name, { ...module, text: edited(module.text, of(module.path)) }],
  );
  return {
    ...source,
    text: edited(source.text, of(source.path)),
    ...(modules.length === 0 ? {} : { modules: Object.fromEntries(modules) }),
  };
}

/** A text with other instructions. A fence gets or leaves a line of its own. */
function edited(text: string, edits: readonly Edit[]): string {
  const inOrder = [...edits].sort((a, b) => a.span.start - b.span.start || rankOf(a.kind) - rankOf(b.kind));
  return inOrder.reverse().reduce((changed, { kind, span, instruction, choice }) => {
    if (kind === 'gap') return withFence(changed, span.start, choice.text);
    if (kind === 'end') return behind(changed, instruction, choice.text);
    return choice.strength === 'none'
      ? withoutInstruction(changed, instruction)
      : changed.slice(0, span.start) + choice.text + changed.slice(span.end);
  }, text);
}

function withFence(text: string, at: number, fence: string): string {
  const lineStart = text.lastIndexOf('\n', at - 1) + 1;
  const indent = text.slice(lineStart, at);
  return /^\s*$/.test(indent)
    ? `${text.slice(0, at)}${fence}\n${indent}${text.slice(at)}`
    : `${text.slice(0, at)}${fence} ${text.slice(at)}`;
}

function behind(text: string, { start, end }: Place, instruction: string): string {
  const indent = text.slice(text.lastIndexOf('\n', start - 1) + 1, start);
  const at = end + (/^[ \t]*;?/.exec(text.slice(end))?.[0].length ?? 0);
  const gap = /^\s*$/.test(indent) ? `\n${indent}` : ' ';
  return `${text.slice(0, at)}${gap}${instruction}${text.slice(at)}`;
}

interface Place {
  readonly start: number;
  readonly end: number;
}

function withoutInstruction(text: string, { start, end }: Place): string {
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  const after = /^[ \t]*;?[ \t]*/.exec(text.slice(end))?.[0].length ?? 0;
  const alone = text.slice(lineStart, start).trim() === '' && text[end + after] === '\n';
  return alone
    ? text.slice(0, lineStart) + text.slice(end + after + 1)
    : text.slice(0, start) + text.slice(end + after);
}

/** A unified diff that patch(1) and git take, of all texts that differ. */
export function patchOf(before: Source, after: Source): string {
  const texts = ({ path, text, modules = {} }: Source): readonly (readonly [string, string])[] => [
    [path, text],
    ...Object.values(modules).flatMap((module) => ('problem' in module ? [] : [[module.path, module.text] as const])),
  ];
  const changed = new Map(texts(after));
  return [...new Map(texts(before))]
    .filter(([path, text]) => changed.get(path) !== text)
    .map(([path, text]) =>
      createTwoFilesPatch(path, path, text, changed.get(path) ?? '', undefined, undefined, { context: 2 }).replace(
        /^(Index: .*\n)?=+\n/,
        '',
      ),
    )
    .join('');
}

/** The texts that a patch changes, with the change, by their paths. */
export function patched(patch: string, texts: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new Map(
    parsePatch(patch).flatMap((one): readonly (readonly [string, string])[] => {
      const path = one.oldFileName ?? '';
      const changed = applyPatch(texts.get(path) ?? '', one);
      return changed === false ? [] : [[path, changed]];
    }),
  );
}
