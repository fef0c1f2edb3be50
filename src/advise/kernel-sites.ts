import { callersOf, positionOf, type Span, userLine } from '../diagnostics/source.js';
import { findInstruction } from '../isa/instruction-table.js';
import { readQualifiers } from '../isa/read-qualifiers.js';
import type { ProgramStatement } from '../program/operation.js';
import { SCOPES, type Scope } from '../program/placement.js';
import type { Program } from '../program/program.js';
import type { InstructionSyntax } from '../syntax/litmus-ast.js';
import { parseStatement } from '../syntax/parse-statement.js';
import type { Barrier } from './barriers.js';
import { type Choice, fencesFor, gap, type Site, type Spot, siteOf } from './sites.js';
import { differentScopes } from './strength.js';

/** What only computes, or leads elsewhere: nothing is put before it. */
const INWARD: ReadonlySet<string> = new Set(['compute', 'open', 'require', 'branch', 'exit', 'trap']);

/** An instruction of a module, in all copies that a compiler made of one line, with the threads that come there. */
interface Executed {
  readonly spans: readonly [Span, ...Span[]];
  readonly threads: readonly number[];
  readonly statement: ProgramStatement;
  readonly scopes: readonly Scope[];
}

/** The instructions of kernels that threads come to which are run, and whose order or scope can be changed. */
export function kernelSites(program: Program): readonly Site[] {
  return executedIn(program).flatMap(({ spans: [first, ...copies], threads, scopes }): readonly Site[] => {
    const instruction = instructionAt(first);
    const [site] = instruction === undefined ? [] : siteOf(instruction, threads, scopes);
    if (site === undefined || instruction === undefined) return [];
    const length = site.spots[0].span.end - site.spots[0].span.start;
    const spotOf = (span: Span): Spot => ({ span: { ...span, end: span.start + length }, instruction: span });
    const others = site.others.filter((choice) => isWellFormed(choice, site.spots[0]));
    return others.length === 0 ? [] : [{ ...site, spots: [spotOf(first), ...copies.map(spotOf)], others }];
  });
}

/** The places of kernels where a fence can be put: before what threads that are run do to memory, but for the first. */
export function kernelGaps(program: Program): readonly Site[] {
  return outward(program)
    .slice(1)
    .flatMap((one) =>
      fencesFor(program, program.threads[one.threads[0] ?? 0]?.statements ?? [], one.scopes).map((choices) =>
        gap(one.threads, spotsBefore(one), choices),
      ),
    );
}

/** Barriers for whole warps, CTAs and clusters, in one place of the kernel each. */
export function kernelBarriers(program: Program): readonly Barrier[] {
  const inCta = Math.max(0, ...program.launches.flatMap(({ run }) => [...sizesOf(run)]));
  const isCluster = program.threads.some(({ placement }) => placement.clusterSize > 1);
  const texts = [
    ...(inCta > 1 ? ['bar.warp.sync 0xffffffff;'] : []),
    ...(inCta > WARP ? ['bar.sync 0;'] : []),
    ...(isCluster ? ['barrier.cluster.arrive; barrier.cluster.wait;'] : []),
  ];
  const executed = outward(program);
  const places = [
    ...executed.slice(1).map((one) => ({ threads: one.threads, spots: spotsBefore(one) })),
    ...turns(executed),
  ].sort((a, b) => a.spots[0].span.start - b.spots[0].span.start);
  return texts.map((text) => {
    const choice: Choice = { strength: 'acq_rel', scope: undefined, text, cost: 1 };
    return { places: [places.map(({ threads, spots }) => gap(threads, spots, [choice]))] };
  });
}

const WARP = 32;

/** By CTA, how many threads are run or represented. */
function sizesOf(run: Program['launches'][number]['run']): readonly number[] {
  const sizes = new Map<number, number>();
  for (const { cta, represents } of run) sizes.set(cta, (sizes.get(cta) ?? 0) + 1 + represents);
  return [...sizes.values()];
}

const outward = (program: Program): readonly Executed[] =>
  executedIn(program).filter(({ statement }) => !INWARD.has(statement.operation.kind));

const LABEL = /^[ \t]*[\w$%]+:[ \t]*\n(?:[ \t]*(?:\/\/|\.loc\b)[^\n]*\n|[ \t]*\n)*[ \t]*(?=[@a-z])/gm;

/** Before a branch, which lanes may take apart. */
const BRANCH = /^[ \t]*(?=@!?[%$\w]+[ \t]+bra)/gm;

/**
 * Around the instructions that lanes may go past: before branches, and behind labels, where they come together again.
 * What stands there is done by all that come to the branch.
 */
function turns(executed: readonly Executed[]): readonly Pick<Site, 'threads' | 'spots'>[] {
  const known = new Set(executed.flatMap((one) => spotsBefore(one).map(({ span }) => span.start)));
  const found = new Map<string, { spots: Spot[]; threads: readonly number[] }>();
  for (const { source } of new Map(executed.map(({ spans: [span] }) => [span.source.path, span])).values()) {
    const inModule = executed.filter(({ spans: [span] }) => span.source.path === source.path);
    const all = inModule.flatMap(({ spans }) => spans.map(({ start }) => start));
    const [first, last] = [Math.min(...all), Math.max(...all)];
    for (const { 0: before, index } of [...source.text.matchAll(LABEL), ...source.text.matchAll(BRANCH)]) {
      const at = index + before.length;
      if (at <= first || at > last || known.has(at)) continue;
      const next = inModule.find(({ spans }) => spans.some(({ start }) => start >= at));
      const here = { source, start: at, end: at };
      const key = `${source.path} ${originOf(here)}`;
      const one = found.get(key) ?? { spots: [], threads: next?.threads ?? [] };
      found.set(key, one);
      one.spots.push({ span: here, instruction: here });
    }
  }
  return [...found.values()].flatMap(({ spots: [spot, ...copies], threads }) =>
    spot === undefined ? [] : [{ threads, spots: [spot, ...copies] as const }],
  );
}

/** In the order of the modules. */
function executedIn({ threads }: Program): readonly Executed[] {
  const found = new Map<string, { spans: Map<number, Span>; threads: Set<number>; statement: ProgramStatement }>();
  const placements = threads.map(({ placement }) => placement);
  for (const { index, launched, statements } of threads) {
    if (launched === undefined) continue;
    for (const statement of statements) {
      const { span } = statement;
      if (span.source.compiledFrom === undefined) continue;
      const key = `${span.source.path} ${originOf(span)}`;
      const one = found.get(key) ?? { spans: new Map(), threads: new Set(), statement };
      found.set(key, one);
      one.spans.set(span.start, span);
      one.threads.add(index);
    }
  }
  return [...found.values()]
    .flatMap((one): readonly Executed[] => {
      const [first, ...copies] = [...one.spans.values()].sort((a, b) => a.start - b.start);
      if (first === undefined) return [];
      const reached = [...one.threads].flatMap((index) => placements[index] ?? []);
      const held = new Set(reached.flatMap((placement) => differentScopes(placement, placements)));
      const scopes = SCOPES.filter((scope) => held.has(scope));
      return [{ spans: [first, ...copies], threads: [...one.threads], statement: one.statement, scopes }];
    })
    .sort((a, b) => a.spans[0].start - b.spans[0].start);
}

/**
 * The line that a user wrote, with the calls from there that led to the instruction, and the opcode; an instruction of
 * no line is by itself.
 */
function originOf({ source, start, end }: Span): string {
  const line = source.compiledFrom?.(start);
  if (line === undefined) return String(start);
  const own = userLine(line);
  const frames = callersOf(line).map(({ file, line: number, column }) => `${file}:${number}:${column}`);
  const opcode = /^[\w.:]*/.exec(source.text.slice(start, end))?.[0] ?? '';
  return [...frames.slice(0, callersOf(line).indexOf(own) + 1), opcode].join(' ');
}

function instructionAt(span: Span): InstructionSyntax | undefined {
  const [statement] = parseStatement(span).value ?? [];
  return statement?.kind === 'instruction' ? statement : undefined;
}

/** Whether PTX has an instruction with such qualifiers. */
function isWellFormed({ text, strength }: Choice, { span, instruction }: Spot): boolean {
  if (strength === 'none') return true;
  const written = text + span.source.text.slice(span.end, instruction.end);
  const changed = instructionAt({ source: { path: '', text: written }, start: 0, end: written.length });
  const found = changed === undefined ? undefined : findInstruction(changed);
  if (changed === undefined || found?.entry === undefined) return false;
  return readQualifiers(changed, found.name, found.entry, found.qualifiers).diagnostics.length === 0;
}

/** Before an instruction, and its guard. */
function spotsBefore({ spans: [first, ...copies] }: Executed): Site['spots'] {
  const spot = ({ source, start }: Span): Spot => {
    const { lineText, column } = positionOf(source, start);
    const guard = /@!?[%\w$]+[ \t]*$/.exec(lineText.slice(0, column - 1))?.[0].length ?? 0;
    const here = { source, start: start - guard, end: start - guard };
    return { span: here, instruction: here };
  };
  return [spot(first), ...copies.map(spot)];
}
