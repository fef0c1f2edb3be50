import { type Span, textOf, userLine } from '../../diagnostics/source.js';
import { findInstruction } from '../../isa/instruction-table.js';
import { readQualifiers } from '../../isa/read-qualifiers.js';
import { CUDA_FILE } from '../cuda-terms.js';
import type { Choices } from '../patch.js';
import { type Choice, NOTHING, type Site, type Spot, siteOf } from '../sites.js';
import { type KernelCode, type KernelInstruction, lineOf, standingOf } from './kernel-code.js';
import { instructionAt } from './numbers.js';
import { gapAt, type KernelPlace, scopesFor } from './places.js';

/** The instructions of kernels whose order or scope can be changed. */
export function kernelSites(code: KernelCode): readonly Site[] {
  const scopes = scopesFor(code);
  return code.instructions.flatMap(({ spans: [first, ...copies] }): readonly Site[] => {
    const instruction = instructionAt(first);
    const [site] = instruction === undefined ? [] : siteOf(instruction, [], scopes);
    if (site === undefined || instruction === undefined) return [];
    const length = site.spots[0].span.end - site.spots[0].span.start;
    const spotOf = (span: Span): Spot => ({ span: { ...span, end: span.start + length }, instruction: span });
    const others = site.others.filter((choice) => isWellFormed(choice, site.spots[0]));
    return others.length === 0 ? [] : [{ ...site, spots: [spotOf(first), ...copies.map(spotOf)], others }];
  });
}

/**
 * Those of them that may order threads: strong ones, and weak ones at an address that others access strongly, or that
 * race with such, as the release of a lock that atomics take. All other data stay plain.
 */
export function orderingSites(code: KernelCode, races: readonly (readonly [Span, Span])[]): readonly Site[] {
  const sites = kernelSites(code);
  const addressOf = ({ spots: [{ instruction }] }: Site): string => {
    const operand = instructionAt(instruction)?.operands.find(({ kind }) => kind === 'address');
    return `${instruction.source.path} ${operand === undefined ? instruction.start : textOf(operand.span)}`;
  };
  const strongSites = sites.filter(({ present }) => present.strength !== 'weak');
  const strong = new Set(strongSites.map(addressOf));
  const isAt = ({ spots }: Site, { start }: Span): boolean =>
    spots.some(({ instruction }) => instruction.start === start);
  const racesWithStrong = (one: Site): boolean =>
    races.some(([a, b]) =>
      [[a, b] as const, [b, a] as const].some(
        ([own, other]) => isAt(one, own) && strongSites.some((strong) => isAt(strong, other)),
      ),
    );
  return sites.filter((one) => one.present.strength !== 'weak' || strong.has(addressOf(one)) || racesWithStrong(one));
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

/** What threads wait for, by what it costs to be there: the more threads meet, the more. */
const BARRIER_COST = { warp: 60, cta: 400, cluster: 900, group: 300 } as const;

/** The same with barriers and waits, which can be taken out. */
export function removableSites(code: KernelCode): readonly Site[] {
  const known = kernelSites(code);
  const isKnown = ({ spans: [{ source, start }] }: KernelInstruction): boolean =>
    known.some(({ spots: [{ instruction }] }) => instruction.source === source && instruction.start === start);
  const clusterBarriers = new Map<string, Site>();
  const barriers = code.instructions.flatMap((one): readonly Site[] => {
    const level = levelOf(one);
    if (level === undefined || (isKnown(one) && level !== 'cluster')) return [];
    if (level !== 'cluster') return [removable(one.spans, BARRIER_COST[level])];
    // To arrive and to wait is one barrier, of one line of the source.
    const at = lineOf(one.spans[0]);
    const other = clusterBarriers.get(at);
    if (other === undefined) clusterBarriers.set(at, removable(one.spans, BARRIER_COST.cluster));
    else
      clusterBarriers.set(at, {
        ...other,
        spots: [...other.spots, ...removable(one.spans, 0).spots] as unknown as Site['spots'],
      });
    return [];
  });
  const fences = known.filter(({ kind }) => kind !== 'access').map(asCudaHas);
  // What nobody has written, such as the scope of an atomic that names none, is nobody's mistake.
  const accesses = known.filter(
    ({ kind, present }) => kind === 'access' && present.strength !== 'weak' && isWritten(present),
  );
  return [...fences, ...accesses, ...barriers, ...clusterBarriers.values()].sort(
    ({ spots: [a] }, { spots: [b] }) => a.span.start - b.span.start,
  );
}

/** CUDA compiles fences that acquire or release to such that do both. */
function asCudaHas(site: Site): Site {
  const [{ span }] = site.spots;
  const line = span.source.compiledFrom?.(span.start);
  if (line === undefined || !CUDA_FILE.test(userLine(line).file)) return site;
  return { ...site, others: site.others.filter(({ strength }) => strength !== 'acquire' && strength !== 'release') };
}

/** Its order or its scope stands in the text. */
const isWritten = ({ text, strength, scope }: Choice): boolean =>
  text.split('.').some((word) => word === strength || word === scope);

/** Who waits at an instruction, if all that it does is to wait. */
function levelOf({ operations }: KernelInstruction): 'warp' | 'cta' | 'cluster' | 'group' | undefined {
  const [operation, ...others] = operations.filter(({ kind }) => kind !== 'require' && kind !== 'compute');
  if (operation === undefined || others.length > 0) return undefined;
  if (operation.kind === 'cluster-barrier') return 'cluster';
  if (operation.kind === 'group' && operation.action === 'wait') return 'group';
  if (operation.kind !== 'barrier' || operation.action !== 'sync' || operation.level === 'lanes') return undefined;
  return operation.level;
}

function removable([first, ...copies]: KernelInstruction['spans'], cost: number): Site {
  const spotOf = (span: Span): Spot => ({ span, instruction: span });
  const present: Choice = {
    ...{ strength: 'acq_rel', scope: undefined, cost },
    text: textOf(first).replace(/;$/, ''),
  };
  return { kind: 'fence', threads: [], spots: [spotOf(first), ...copies.map(spotOf)], present, others: [NOTHING] };
}

/** Barriers that not all threads come to, each taken away, or put where all come. */
export function movedBarriers(code: KernelCode, places: readonly KernelPlace[]): readonly Choices[] {
  const barriers = code.instructions.filter((one) => levelOf(one) === 'cta' && !standingOf(one.standings).isUniform);
  return barriers.flatMap((one): readonly Choices[] => {
    const site = removable(one.spans, BARRIER_COST.cta);
    const choice: Choice = { ...site.present, text: `${site.present.text};` };
    return places
      .filter(({ isUniform }) => isUniform)
      .map(
        (place): Choices =>
          new Map([
            [site, NOTHING],
            [gapAt(place, [choice]), choice],
          ]),
      );
  });
}
