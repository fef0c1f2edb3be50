import { scopeOf } from './accesses.js';
import { COVERS_ALL, COVERS_GLOBAL, COVERS_SHARED, coveredBy } from './clock.js';
import { type Family, pure, visible } from './compile.js';
import { Unsupported } from './launch.js';
import { GPU, SYS, type Thread } from './threads.js';

/** Fences (PTX ISA 9.7.15.4): of memory, and between the proxies. */
export const fence: Family = (at) => {
  const { words } = at;
  if (words[1] === 'proxy') return proxyFence(words, at.opcode);
  if (words[1] === 'mbarrier_init') return visible(releaseInits);
  if (words.some((word) => word.startsWith('sync_restrict'))) throw new Unsupported(`${at.opcode} is not known`);
  const isMembar = words[0] === 'membar';
  const scope = scopeOf(words, isMembar ? SYS : GPU);
  const sense = words.find((word) => /^(sc|acq_rel|acquire|release)$/.test(word)) ?? (isMembar ? 'sc' : 'acq_rel');
  return visible((thread, machine) =>
    machine.releases.fence(thread, scope, sense as 'sc' | 'acq_rel' | 'acquire' | 'release'),
  );
};

function releaseInits(thread: Thread): void {
  thread.initsReleased = thread.initCount;
}

function proxyFence(words: readonly string[], opcode: string) {
  const kind = words.slice(2).join('.');
  if (kind === 'alias') return pure(() => {});
  if (!/^async(\.(global|shared::cta|shared::cluster))?$/.test(kind)) throw new Unsupported(`${opcode} is not known`);
  const spacesOf = (thread: Thread): readonly number[] => {
    if (words[3] === 'global') return [COVERS_GLOBAL];
    if (words[3] === 'shared::cta') return [COVERS_SHARED + thread.cta.index];
    if (words[3] === 'shared::cluster') return thread.cta.cluster.ctas.map(({ index }) => COVERS_SHARED + index);
    return [COVERS_ALL];
  };
  return visible((thread) => {
    for (const space of spacesOf(thread)) thread.covered = coveredBy(thread.covered, space, thread.clock);
    thread.advance();
  });
}
