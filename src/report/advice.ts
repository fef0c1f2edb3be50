import type { Advice } from '../advise/advise.js';
import type { Way } from '../advise/repair.js';
import type { Change, Suggestion } from '../advise/suggestion.js';
import type { Judge } from '../advise/verdicts.js';
import type { Program } from '../program/program.js';
import type { Style } from './text.js';
import { plural } from './words.js';

/** What a test can do without, or what would mend it, each with a patch. */
export function reportAdvice(
  program: Program,
  advice: Advice,
  { checks, outOfTime }: Pick<Judge, 'checks' | 'outOfTime'>,
  style: Style,
): string {
  if (advice.kind === 'nothing') return `${program.name}   ${advice.reason}`;
  const decided = `${plural(checks, 'variant')} of the test ${checks === 1 ? 'was' : 'were'} decided`;
  const found = advice.kind === 'weaken' ? advice.alone : advice.repairs;
  if (found.length === 0 && outOfTime)
    return (
      `${program.name}   ${style.unsure('unknown')}: ${decided}, and none helps; then the search was cut ` +
      'short (try a larger --timeout)'
    );
  const lines = advice.kind === 'weaken' ? weakened(advice, outOfTime, style) : repaired(advice, outOfTime, style);
  const checked = outOfTime
    ? `${decided}; then the search was cut short: each change shown is right, a smaller one may exist (try a larger ` +
      '--timeout)'
    : decided;
  return [`${program.name}   ${lines.join('\n')}`, ...(found.length === 0 ? [] : ['']), checked].join('\n');
}

function weakened(
  { alone, together, alsoFor }: Extract<Advice, { readonly kind: 'weaken' }>,
  outOfTime: boolean,
  style: Style,
): readonly string[] {
  if (alone.length === 0) {
    const all = style.good(`every ${alsoFor === undefined ? 'fence' : 'barrier, fence'} and qualifier is needed`);
    return [`${all}: weakening any of them changes a verdict${forWhat(alsoFor)}`];
  }
  return [
    'all expectations are met, and stay so with each of these changes; no race, deadlock or undefined behavior ' +
      `comes in${forWhat(alsoFor)}`,
    '',
    'one by one:',
    ...alone.flatMap(({ changes }) => changes.map((change) => `  ${changeText(change)}`)),
    ...together.flatMap((one, i) => [
      '',
      `${i === 0 ? 'all together' : 'or'}${outOfTime ? '' : ', and then nothing more can be weakened'}` +
        `${replaces(one) ? ' (an access takes over what a fence did)' : ''}:`,
      ...suggestionText(one),
    ]),
  ];
}

/** Of kernels what is not needed is so for what was launched. */
const forWhat = (alsoFor: readonly string[] | undefined): string =>
  alsoFor === undefined
    ? ''
    : `: in this launch${alsoFor.length === 0 ? ', which could not be made larger' : ` and for ${alsoFor.join('; ')}`}`;

function repaired(
  { repairs, tried, undefinedBy }: Extract<Advice, { readonly kind: 'repair' }>,
  outOfTime: boolean,
  style: Style,
): readonly string[] {
  const broken = style.bad('an expectation is broken');
  if (repairs.length === 0)
    return [
      `${broken}, and none of what was tried mends it: ${tried.map((way) => WAYS[way]).join(', ')}`,
      ...(undefinedBy === undefined ? [] : [`  undefined: ${undefinedBy}`]),
    ];
  const what = outOfTime
    ? 'repairs of each kind, as small as they were found:'
    : `${repairs.length === 1 ? 'the smallest repair' : 'the smallest repairs'} of each kind, none of whose ` +
      'changes can be left out or be weaker:';
  return [
    `${broken}; ${what}`,
    ...repairs.flatMap((one, i) => ['', `${i + 1}. by ${one.way}`, ...suggestionText(one)]),
  ];
}

const WAYS: Readonly<Record<Way, string>> = {
  qualifiers: 'stronger qualifiers',
  fences: 'more fences',
  'qualifiers and fences': 'both together',
  barriers: 'a barrier more',
  waits: 'a wait more',
  numbers: 'another number',
  'barriers elsewhere': 'barriers in other places',
  'atomic updates': 'atomic updates',
};

/** A fence goes, and an access becomes a release or an acquire instead. */
function replaces({ changes }: Suggestion): boolean {
  return (
    changes.some(({ to }) => to === '') &&
    changes.some(({ from, to }) => !/release|acquire|acq_rel/.test(from) && /release|acquire|acq_rel/.test(to))
  );
}

function suggestionText({ changes, patch, program, alsoFor = [], remark }: Suggestion): readonly string[] {
  // The patch of a program says where; of a module, whose lines nobody has written, the text does.
  const told =
    program === undefined ? changes.map(changeText) : changes.map(({ cuda, from, to }) => inWords(from, cuda ?? to));
  return [
    ...[...new Set(told)].map((one) => `  ${one}`),
    ...(alsoFor.length === 0 ? [] : [`  checked for ${alsoFor.join(', and for ')} as well`]),
    ...(program?.isCompiled === true ? ['  compiled, and checked again'] : []),
    ...(remark === undefined ? [] : [`  ${remark}`]),
    ...(program?.patch ?? patch).trimEnd().split('\n'),
  ];
}

const inWords = (from: string, to: string): string => (from === '' ? `add ${to}` : to === '' ? `remove ${from}` : to);

function changeText({ at, copies, place, thread, from, to, cuda }: Change): string {
  const lines = `${at}${copies === 0 ? '' : `, in ${copies + 1} places of the module`}`;
  const by = thread === '' ? '' : `${thread} `;
  const what =
    place !== 'at'
      ? `${by}${place} ${lines}: add ${to}`
      : `${by}${lines}: ${to === '' ? `remove ${from}` : `${from} -> ${to}`}`;
  return cuda === undefined ? what : `${what}\n    in CUDA: ${cuda}`;
}

export function jsonAdvice(
  program: Program,
  advice: Advice,
  { checks, outOfTime }: Pick<Judge, 'checks' | 'outOfTime'>,
): object {
  return {
    schemaVersion: 1,
    test: { name: program.name, path: program.source.path },
    variantsDecided: checks,
    outOfTime,
    ...advice,
  };
}
