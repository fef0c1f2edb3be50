import { literalPattern } from '../../diagnostics/literal-pattern.js';
import { baseName, callersOf, type Span, userLine } from '../../diagnostics/source.js';
import { FIXED, MEMORY_ORDERS, THREAD_FENCES, THREAD_SCOPES } from '../cuda-terms.js';
import { type Choices, changesIn } from '../patch.js';
import type { Choice, Site } from '../sites.js';

/** A source program that a module was compiled from. */
export interface SourceProgram {
  readonly path: string;
  readonly text: string;
}

/** A change of one line of a source program, which begins with 1; or what is put before it. */
interface LineEdit {
  readonly line: number;
  readonly place: 'before' | 'at';
  readonly text: string;
}

/** Calls that are put into programs, with the header that declares them, if that takes one. */
const HEADERS: Readonly<Record<string, string | undefined>> = {
  'bar.sync 0;': undefined,
  'bar.warp.sync 0xffffffff;': undefined,
  'barrier.cluster.arrive; barrier.cluster.wait;': 'cooperative_groups.h',
  'cp.async.wait_all;': 'cuda_pipeline.h',
  'fence.proxy.async;': 'cuda/ptx',
  'fence.mbarrier_init.release.cluster;': 'cuda/ptx',
};

/** The statement for what is put into a kernel; other instructions stand in CUDA as they are. */
function statementOf({ text, scope }: Choice): string {
  const fence = scope === undefined || !text.startsWith('fence.') ? undefined : THREAD_FENCES[scope];
  const call = text in HEADERS ? FIXED[text] : fence;
  return call === undefined ? `asm volatile("${text}" ::: "memory");` : `${call};`;
}

/**
 * Ways to write changes of modules in the program that they were compiled from, the likeliest first; none where no line
 * says where. Which of them does the same is for who compiles them to find out.
 */
export function programsFor(choices: Choices, program: SourceProgram): readonly SourceProgram[] {
  const lines = program.text.split('\n');
  const file = baseName(program.path);
  const changes = changesIn(choices).map(([site, choice]) => waysToEdit(site, choice, file, lines));
  const [first = [], ...others] = changes;
  const all = others.reduce<readonly (readonly LineEdit[])[]>(
    (known, ways) => known.flatMap((edits) => ways.map((one) => [...edits, ...one])),
    first,
  );
  const headers = changesIn(choices).flatMap(([{ kind }, choice]) =>
    kind === 'gap' ? (HEADERS[choice.text] ?? []) : [],
  );
  const missing = [...new Set(headers)].filter((one) => !program.text.includes(`<${one}>`));
  const above = missing.map((one): LineEdit => ({ line: 1, place: 'before', text: `#include <${one}>` }));
  return all.slice(0, MOST_WAYS).map((edits) => ({ ...program, text: withEdits(lines, [...above, ...edits]) }));
}

/** A barrier that a program may get, with the ways to put it in. */
interface ProgramBarrier {
  readonly statement: string;
  readonly programs: readonly SourceProgram[];
}

/** A program with a barrier of a CTA before one of some lines, or with one of the grid in the place of such. */
export function barriersIn(
  program: SourceProgram,
  at: readonly number[],
  isCooperative: boolean,
): readonly ProgramBarrier[] {
  const lines = program.text.split('\n');
  const changed = (edits: readonly LineEdit[]): SourceProgram => ({ ...program, text: withEdits(lines, edits) });
  const programs = at.toSorted((a, b) => b - a).flatMap((line) => placesFor(line, lines, OF_CTA).map(changed));
  const widened = lines.flatMap((text, i) =>
    text.includes(OF_CTA) ? [changed([{ line: i + 1, place: 'at', text: text.replace(OF_CTA, OF_GRID) }])] : [],
  );
  return [{ statement: OF_CTA, programs }, ...(isCooperative ? [{ statement: OF_GRID, programs: widened }] : [])];
}

const OF_CTA = '__syncthreads();';
const OF_GRID = 'cooperative_groups::this_grid().sync();';

const MOST_WAYS = 8;

/** The ways to write one change; each may edit several lines. */
function waysToEdit(
  site: Site,
  choice: Choice,
  file: string,
  lines: readonly string[],
): readonly (readonly LineEdit[])[] {
  const at = [...new Set(site.spots.flatMap(({ span }) => lineIn(span, file) ?? []))];
  if (at.length === 0 || at.length > MOST_LINES) return [];
  const [first = 0] = at;
  if (site.kind === 'gap') return at.length > 1 ? [] : placesFor(first, lines, statementOf(choice));
  if (choice.strength === 'none') return [[...at].map((line) => without(site, line, lines))];
  if (choice.cuda !== undefined) return [at.flatMap((line) => atomically(line, lines, choice.cuda ?? ''))];
  return textsFor(site, choice).flatMap((change): readonly (readonly LineEdit[])[] => {
    const places = placesOf(site, file, lines, change.from);
    return places.length === 0 ? [] : [places.map((line) => edit(line, lines, change))];
  });
}

const MOST_LINES = 4;

/** The line that a user wrote, in one file. */
function lineIn({ source, start }: Span, file: string): number | undefined {
  const line = source.compiledFrom?.(start);
  const own = line && userLine(line);
  return own?.file === file ? own.line : undefined;
}

interface TextChange {
  readonly from: RegExp;
  readonly to: string;
}

const edit = (line: number, lines: readonly string[], { from, to }: TextChange): LineEdit => ({
  ...{ line, place: 'at' },
  text: (lines[line - 1] ?? '').replace(from, to),
});

/** How a change of an instruction may show in a text: as it is, by an order, a scope, or a number. */
function textsFor({ present, kind }: Site, choice: Choice): readonly TextChange[] {
  const order = MEMORY_ORDERS[choice.strength];
  const [scope, fence] = [THREAD_SCOPES, THREAD_FENCES].map((of) => choice.scope && of[choice.scope]);
  const scopes = scope === undefined ? [] : [{ from: /\bthread_scope_\w+/, to: scope }];
  const fences = fence === undefined || kind !== 'fence' ? [] : [{ from: /__threadfence(?:_\w+)?\(\)/, to: fence }];
  const suffixed = choice.scope === 'gpu' ? [{ from: /\b(atomic\w+)_block\b/, to: '$1' }] : [];
  const numbers = numberChanges(present, choice);
  return [
    ...numbers,
    ...(numbers.length > 0 ? [] : [{ from: new RegExp(literalPattern(present.text)), to: choice.text }]),
    ...(order === undefined || choice.strength === present.strength ? [] : [{ from: /\bmemory_order_\w+/, to: order }]),
    ...scopes,
    ...fences,
    ...suffixed,
  ];
}

/** `count 4` to `count 3`, `bytes %r5` to `bytes %r5 * 2`: of the number in the text, or of the last argument. */
function numberChanges({ shown: from = '' }: Choice, { shown: to = '' }: Choice): readonly TextChange[] {
  const [, now] = /^\S+ (\d+)$/.exec(from) ?? [];
  const [, number] = /^\S+ (\d+|0x\w+)$/.exec(to) ?? [];
  const [, change] = /^\S+ %\w+ ([-+*/^] \d+)$/.exec(to) ?? [];
  const last = /,\s*((?:[^,()]|\([^()]*\))+)\);/;
  if (now !== undefined && number !== undefined)
    return [{ from: new RegExp(`(?<![\\w.])${now}u?(?![\\w.])(?=[^\\w]*\\))`), to: number }];
  if (number !== undefined && from !== '') return [{ from: last, to: `, ${number});` }];
  return change === undefined ? [] : [{ from: last, to: `, ($1) ${change});` }];
}

/** Where a text stands: at the line that a user wrote, in what was called there, or in one other line of the file. */
function placesOf({ spots }: Site, file: string, lines: readonly string[], text: RegExp): readonly number[] {
  const own = spots.flatMap(({ span: { source, start } }) => {
    const line = source.compiledFrom?.(start);
    const frames = line === undefined ? [] : [userLine(line), ...callersOf(line)];
    return frames.find((one) => one.file === file && text.test(lines[one.line - 1] ?? ''))?.line ?? [];
  });
  if (own.length > 0) return [...new Set(own)];
  const others = lines.flatMap((line, i) => (text.test(line) ? [i + 1] : []));
  return others.length === 1 ? others : [];
}

const HEADER = /^\s*(?:\}\s*)?(?:else\b|for\b|while\b|if\b|do\b)/;

/** Before a line, at the end of the loop that begins there, or at its beginning. */
function placesFor(line: number, lines: readonly string[], statement: string): readonly (readonly LineEdit[])[] {
  const text = lines[line - 1] ?? '';
  const indent = /^\s*/.exec(text)?.[0] ?? '';
  const before: LineEdit = { line, place: 'before', text: `${indent}${statement}` };
  // What follows a condition without a brace is one statement.
  const previous = lines.slice(0, line - 1).findLast((one) => one.trim() !== '' && !/^\s*\/\//.test(one)) ?? '';
  const isSingle = HEADER.test(previous) && !/[{;]\s*$/.test(previous);
  const wrapped: LineEdit = { line, place: 'at', text: `${indent}{ ${statement} ${text.trim()} }` };
  const isEnd = /^\s*\}/.test(text);
  const inner = isEnd ? `  ${indent}` : indent;
  const end = HEADER.test(text) ? closingLine(line, lines) : undefined;
  const own = `  ${indent}`;
  return [
    isSingle ? [wrapped] : [{ ...before, text: `${inner}${statement}` }],
    ...(end === undefined
      ? []
      : [
          [{ line: end, place: 'before', text: `${own}${statement}` } as const],
          [{ line: line + 1, place: 'before', text: `${own}${statement}` } as const],
        ]),
    // What an instruction of a line is put before may follow others of that line, or of the next ones.
    ...[1, 2, 3].flatMap((after) => (line + after <= lines.length ? [behind(line + after, lines, statement)] : [])),
  ];
}

function behind(line: number, lines: readonly string[], statement: string): readonly LineEdit[] {
  const text = lines[line - 1] ?? '';
  const indent = `${/^\s*/.exec(text)?.[0] ?? ''}${/^\s*\}/.test(text) ? '  ' : ''}`;
  return [{ line, place: 'before', text: `${indent}${statement}` }];
}

/** The line of the brace that closes the block which begins at a line. */
function closingLine(line: number, lines: readonly string[]): number | undefined {
  if (!/\{\s*$/.test(lines[line - 1] ?? '')) return undefined;
  let depth = 0;
  for (let at = line - 1; at < lines.length; at++) {
    for (const brace of (lines[at] ?? '').match(/[{}]/g) ?? []) depth += brace === '{' ? 1 : -1;
    if (depth === 0) return at + 1;
  }
  return undefined;
}

/** The line without a barrier, a fence or a wait, which is a statement of its own. */
function without({ present }: Site, line: number, lines: readonly string[]): LineEdit {
  const text = lines[line - 1] ?? '';
  const isAlone = /^\s*[\w:.<>]+\([^;]*\)(?:\.\w+\(\))?;\s*(?:\/\/.*)?$/.test(text) || text.includes(present.text);
  return { line, place: 'at', text: isAlone ? '' : text };
}

/** `a[i] += v;` as `atomicAdd(&a[i], v);`. */
function atomically(line: number, lines: readonly string[], call: string): readonly LineEdit[] {
  const name = call.replace(/\(.*$/, '');
  const text = (lines[line - 1] ?? '')
    .replace(/([\w.>-]+(?:\[[^\]]*\])?)\s*\+=\s*([^;]+);/, `${name}(&$1, $2);`)
    .replace(
      /(?:\+\+([\w.]+(?:\[[^\]]*\])?)|([\w.]+(?:\[[^\]]*\])?)\+\+);/,
      (_, a?: string, b?: string) => `${name}(&${a ?? b}, 1);`,
    );
  return [{ line, place: 'at', text }];
}

function withEdits(lines: readonly string[], edits: readonly LineEdit[]): string {
  const changed = [...lines];
  const inOrder = [...edits].sort((a, b) => b.line - a.line || (a.place === 'at' ? -1 : 1));
  for (const { line, place, text } of inOrder)
    changed.splice(line - 1, place === 'at' ? 1 : 0, ...(place === 'at' && text === '' ? [] : [text]));
  return changed.join('\n');
}

/** The source file whose lines a change cites, with the module. */
export function fileOf(choices: Choices): { readonly module: string; readonly file: string } | undefined {
  for (const [{ spots }] of changesIn(choices))
    for (const { span } of spots) {
      const line = span.source.compiledFrom?.(span.start);
      if (line !== undefined) return { module: span.source.path, file: userLine(line).file };
    }
  return undefined;
}
