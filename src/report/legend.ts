/** What the notes beside events say: `rf <- a` at a read, `fr -> a` at what comes before `a`. */
const NOTES: readonly (readonly [note: string, meaning: string])[] = [
  ['rf <-', 'reads from'],
  ['fr ->', 'reads what that one overwrites'],
  ['co ->', 'is overwritten by'],
  ['rmw ->', 'is one atomic operation with'],
  ['addr <-', 'has its address from'],
  ['data <-', 'has its value from'],
  ['ctrl <-', 'is executed because of'],
  ['done <-', 'returns when that one is complete'],
  ['mbphase <-', 'returns for the phase that that one arrives in'],
  ['syncclu ->', 'arrives at the cluster barrier before that one returns'],
  ['sync_fence ->', 'comes before that fence.sc'],
];

/** Whether a relation is told at its end, where a reader asks for it. */
export const isToldAtEnd = (relation: string): boolean => NOTES.some(([note]) => note === `${relation} <-`);

/** The notes that a text uses, each with its meaning; nothing where it uses none. */
export function legendOf(text: string): readonly string[] {
  const used = NOTES.filter(([note]) => text.includes(`${note} `));
  if (used.length === 0) return [];
  const words = used.map(([note, meaning]) => `${note}: ${meaning}`);
  return [`(${[...words, ...(/[a-z]\d*\*/.test(text) ? ['*: part of the cycle'] : [])].join('; ')})`];
}
