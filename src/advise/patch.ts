import { createTwoFilesPatch } from 'diff';
import type { Source } from '../diagnostics/source.js';
import type { Choice, Site } from './sites.js';

/** A choice for some of the sites of a test; the others stay as they are. */
export type Choices = ReadonlyMap<Site, Choice>;

/** What is not as it is now, in the order of the text; a fence before the instruction that it is put before. */
export function changesIn(choices: Choices): readonly (readonly [Site, Choice])[] {
  const first = ({ kind }: Site): number => (kind === 'gap' ? 0 : 1);
  return [...choices]
    .filter(([site, choice]) => choice !== site.present)
    .sort(([a], [b]) => a.span.start - b.span.start || first(a) - first(b));
}

/** The test with other choices. A fence gets or leaves a line of its own. */
export function applied(text: string, choices: Choices): string {
  return [...changesIn(choices)].reverse().reduce((changed, [site, choice]) => {
    if (site.kind === 'gap') return withFence(changed, site.span.start, choice.text);
    if (site.kind === 'end') return behind(changed, site.instruction, choice.text);
    return choice.strength === 'none'
      ? withoutInstruction(changed, site.instruction)
      : changed.slice(0, site.span.start) + choice.text + changed.slice(site.span.end);
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

/** A unified diff that patch(1) and git take. */
export function patchOf({ path, text }: Source, changed: string): string {
  return createTwoFilesPatch(path, path, text, changed, undefined, undefined, { context: 2 }).replace(
    /^(Index: .*\n)?=+\n/,
    '',
  );
}
