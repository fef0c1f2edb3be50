import type { Advice, Suggestion, Way } from '../advise/advise.js';
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
  const decided = `${plural(checks, 'variant')} of the test ${checks === 1 ? 'was' : 'were'} decided`;
  const checked = outOfTime
    ? `${decided}; then the search was cut short: each change shown is right, a smaller one may exist (try a larger ` +
      '--timeout)'
    : decided;
  const unknown =
    `${program.name}   ${style.unsure('unknown')}: ${decided}, and none helps; then the search was cut ` +
    'short (try a larger --timeout)';
  switch (advice.kind) {
    case 'nothing':
      return `${program.name}   ${advice.reason}`;
    case 'weaken': {
      const { alone, together } = advice;
      if (alone.length === 0 && outOfTime) return unknown;
      if (alone.length === 0)
        return (
          `${program.name}   ${style.good('every fence and qualifier is needed')}: weakening any of them ` +
          `changes a verdict\n${checked}`
        );
      return [
        `${program.name}   all expectations are met, and stay so with each of these changes; no race, deadlock ` +
          'or undefined behavior comes in',
        '',
        'one by one:',
        ...alone.flatMap(({ changes }) => changes.map((change) => `  ${changeText(change)}`)),
        ...together.flatMap((one, i) => [
          '',
          `${i === 0 ? 'all together' : 'or'}${outOfTime ? '' : ', and then nothing more can be weakened'}` +
            `${replaces(one) ? ' (an access takes over what a fence did)' : ''}:`,
          ...suggestionText(one),
        ]),
        '',
        checked,
      ].join('\n');
    }
    case 'repair': {
      const { repairs, tried } = advice;
      if (repairs.length === 0 && outOfTime) return unknown;
      if (repairs.length === 0)
        return (
          `${program.name}   ${style.bad('an expectation is broken')}, and neither ` +
          `${tried.map((way) => WAYS[way]).join(' nor ')} mend it\n${checked}`
        );
      return [
        `${program.name}   ${style.bad('an expectation is broken')}; ` +
          (outOfTime
            ? 'repairs of each kind, as small as they were found:'
            : `${repairs.length === 1 ? 'the smallest repair' : 'the smallest repairs'} of each kind, none of whose ` +
              'changes can be left out or be weaker:'),
        ...repairs.flatMap((one, i) => ['', `${i + 1}. by ${one.way}`, ...suggestionText(one)]),
        '',
        checked,
      ].join('\n');
    }
  }
}

const WAYS: Readonly<Record<Way, string>> = {
  qualifiers: 'stronger qualifiers',
  fences: 'more fences',
  'qualifiers and fences': 'both together',
  barriers: 'a barrier more',
};

/** A fence goes, and an access becomes a release or an acquire instead. */
function replaces({ changes }: Suggestion): boolean {
  return (
    changes.some(({ to }) => to === '') &&
    changes.some(({ from, to }) => !/release|acquire|acq_rel/.test(from) && /release|acquire|acq_rel/.test(to))
  );
}

function suggestionText({ changes, patch }: Suggestion): readonly string[] {
  return [...changes.map((change) => `  ${changeText(change)}`), ...patch.trimEnd().split('\n')];
}

function changeText({ at, copies, place, thread, from, to, cuda }: Suggestion['changes'][number]): string {
  const where = `${at}${copies === 0 ? '' : ` and ${copies} ${copies === 1 ? 'copy' : 'copies'} of it`}`;
  const what =
    place !== 'at'
      ? `${thread} ${place} ${where}: add ${to}`
      : `${thread} ${where}: ${to === '' ? `remove ${from}` : `${from} -> ${to}`}`;
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
