import { BARRIER_RULES } from '../events/barrier-groups.js';

export const IN_FLIGHT = 'asynchronous-operation-in-flight';

/**
 * What the conditions of definedness of our models mean, for people; a condition of another model is shown by its name.
 */
const SENTENCES: Readonly<Record<string, string>> = {
  'mixed-size-race': 'a race of accesses that overlap partially (PTX ISA 8.7.2)',
  [IN_FLIGHT]:
    'the source of an asynchronous operation is modified, or its destination read, while it may be in flight ' +
    '(PTX ISA 9.7.10.28.1)',
  'access-to-mbarrier-object':
    'an access other than by mbarrier operations to an mbarrier object that may be in use (PTX ISA, mbarrier: ' +
    'lifecycle)',
  [BARRIER_RULES.again]:
    'a warp that has arrived at a barrier may arrive there again before it completes (PTX ISA 9.7.15.1)',
  'shared-memory-of-exited-cta':
    'an access to the shared memory of another CTA that may have exited (PTX ISA, barrier.cluster)',
};

export function ruleSentence(rule: string): string {
  return SENTENCES[rule] ?? rule;
}
