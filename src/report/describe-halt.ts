import {
  BOOLEANS,
  type ProgressPromise,
  printForwardProgress,
  promisedTo,
  promisesIn,
} from '../program/forward-progress.js';
import type { Program } from '../program/program.js';

/** Which threads have made a step, and which have ended. */
export interface Progressed {
  readonly made: (thread: number) => boolean;
  readonly ended: (thread: number) => boolean;
}

/** Why nothing promises a thread to go on that has stopped for good. */
export function whyNotPromised(program: Program, thread: number, progressed: Progressed): string {
  const promises = promisesIn(program);
  const missing = promises.find(
    (one) => promisedTo([one], program.threads.length, BOOLEANS, progressed.made, progressed.ended)[thread] === false,
  );
  if (missing === undefined || program.progress === undefined) return 'nothing promises that it goes on';
  const said = `(forward progress ${printForwardProgress(program.progress.stated)})`;
  return `nothing promises that it goes on ${said}: ${REASONS[missing.model](ownGroup(program, thread, missing))}`;
}

interface Group {
  /** `it`, `its CTA`, `its cluster` or `its grid`. */
  readonly name: string;
  /** Who of lower ids has not ended. */
  readonly lower: string;
}

const REASONS: Readonly<Record<ProgressPromise['model'], (group: Group) => string>> = {
  fair: () => '',
  obe: ({ name }) => `${name} has not made a step`,
  hsa: ({ name, lower }) => `${name} has not the lowest id of those that have not ended (${lower})`,
  'hsa-obe': ({ name, lower }) => `${name} has not made a step, and others of lower ids have not ended (${lower})`,
  lobe: ({ name }) => `neither ${name} nor one of a higher id has made a step`,
  unfair: () => 'nobody is promised anything',
};

function ownGroup({ threads }: Program, thread: number, { lists }: ProgressPromise): Group {
  const list = lists.find((groups) => groups.some((group) => group.includes(thread))) ?? [];
  const place = list.findIndex((group) => group.includes(thread));
  const own = list[place] ?? [];
  const clusters = new Set(own.map((one) => threads[one]?.placement.cluster));
  const ctas = new Set(own.map((one) => threads[one]?.placement.cta));
  const isThread = lists.every((groups) => groups.every((group) => group.length === 1)) && own.length === 1;
  const name = isThread ? 'it' : clusters.size > 1 ? 'its grid' : ctas.size > 1 ? 'its cluster' : 'its CTA';
  const lower = list.slice(0, place).map((group) => group.map((one) => threads[one]?.name).join(' and '));
  return { name, lower: `ids before it: ${lower.join(', ')}` };
}
