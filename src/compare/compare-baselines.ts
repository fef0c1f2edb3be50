import type { RecordedTest } from './baseline.js';

/** Something that is not as recorded. */
export interface Alteration {
  readonly kind:
    | 'became-allowed'
    | 'became-forbidden'
    | 'verdict'
    | 'flag'
    | 'deadlock'
    | 'undefined'
    | 'incomplete'
    | 'text'
    | 'new'
    | 'missing';
  readonly text: string;
}

export interface AlteredTest {
  readonly path: string;
  readonly name: string;
  readonly alterations: readonly Alteration[];
}

/** What differs between the tests of a baseline and the same tests now, test by test. */
export function compareWithBaseline(
  recorded: readonly RecordedTest[],
  now: readonly RecordedTest[],
): readonly AlteredTest[] {
  const key = ({ path, name }: RecordedTest): string => `${path}\n${name}`;
  const before = new Map(recorded.map((test) => [key(test), test]));
  const after = new Map(now.map((test) => [key(test), test]));
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((one) => {
    const [old, current] = [before.get(one), after.get(one)];
    const { path = '', name = '' } = current ?? old ?? {};
    const alterations = alterationsOf(old, current);
    return alterations.length === 0 ? [] : [{ path, name, alterations }];
  });
}

function alterationsOf(old: RecordedTest | undefined, now: RecordedTest | undefined): readonly Alteration[] {
  if (old === undefined) return [{ kind: 'new', text: 'is not in the baseline' }];
  if (now === undefined) return [{ kind: 'missing', text: 'is in the baseline, and is not there any more' }];
  const alterations: Alteration[] = [];
  const add = (kind: Alteration['kind'], text: string): void => void alterations.push({ kind, text });
  if (old.sha256 !== now.sha256) add('text', 'the test itself was edited');
  if (old.undefined !== now.undefined) {
    if (old.undefined === undefined) add('undefined', `became undefined: ${now.undefined}`);
    else
      add(
        'undefined',
        now.undefined === undefined
          ? `is not undefined any more: ${old.undefined}`
          : `is undefined by another rule: ${now.undefined}; it was: ${old.undefined}`,
      );
  }
  // Of a test that is undefined on one side there is no outcome to compare.
  if (old.undefined === undefined && now.undefined === undefined) {
    // What one side did not find out may be the case there too.
    const [oldOpen, nowOpen] = [old, now].map(
      ({ incomplete }) => incomplete !== undefined && old.incomplete !== now.incomplete,
    );
    for (const outcome of now.outcomes) if (!old.outcomes.includes(outcome) && !oldOpen) add('became-allowed', outcome);
    for (const outcome of old.outcomes)
      if (!now.outcomes.includes(outcome) && !nowOpen) add('became-forbidden', outcome);
    for (const flag of now.flags) if (!old.flags.includes(flag)) add('flag', `${flag} is raised`);
    for (const flag of old.flags) if (!now.flags.includes(flag)) add('flag', `${flag} is not raised any more`);
    if (old.deadlock !== now.deadlock) add('deadlock', now.deadlock ? 'may deadlock' : 'does not deadlock any more');
  }
  if (old.incomplete !== now.incomplete)
    add(
      'incomplete',
      now.incomplete === undefined ? `is decided now: ${old.incomplete}` : `is not decided: ${now.incomplete}`,
    );
  for (const [claim, verdict] of Object.entries(now.verdicts)) {
    const was = old.verdicts[claim];
    if (was !== undefined && was !== verdict) add('verdict', `${claim}: ${verdict}, was ${was}`);
  }
  return alterations;
}
