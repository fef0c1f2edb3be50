/** What an axiom says, for people who do not know it. */
export interface AxiomWords {
  readonly sentence?: string;
  /** Of an axiom about pairs: what it asks of the second one, and does not find. */
  readonly pair?: (first: string) => string;
}

/** The axioms of our models; one of another model is shown by its name alone. */
const AXIOMS: Readonly<Record<string, AxiomWords>> = {
  Causality: {
    sentence:
      'memory keeps the order that synchronization makes: an access cannot miss what is ordered before it, nor ' +
      'see or overwrite what is ordered after it (PTX ISA 8.10.6)',
  },
  Coherence: {
    sentence:
      'writes to one location take effect in the order that synchronization gives them; none comes before itself ' +
      '(PTX ISA 8.10.1)',
    pair: (first) => `would have to be later than ${first} in coherence order, and is not`,
  },
  'Coherence-Of-Morally-Strong': {
    sentence: 'morally strong writes to one location are coherence-ordered (PTX ISA 8.9.6)',
    pair: (first) => `is not coherence-ordered with ${first}`,
  },
  'Fence-SC': {
    sentence: 'morally strong fence.sc are in one order, which follows causality (PTX ISA 8.10.2)',
    pair: (first) => `would have to be later than ${first} in the one order of fence.sc, and is not`,
  },
  Atomicity: {
    sentence: 'no morally strong write comes between the read and the write of an atomic operation (PTX ISA 8.10.3)',
    pair: (first) =>
      `is the write of the atomic operation that begins with ${first}: another write comes between the two`,
  },
  'Single-Copy-Atomicity': {
    sentence: 'a morally strong read takes one write whole: it does not find a part of an older one (PTX ISA 8.10.3)',
    pair: (first) => `takes a part of its value from ${first}, and a part from something older`,
  },
  'Whole-Scalars': {
    sentence:
      'a scalar access is whole: it does not take some bytes from a write of all of them and others from an ' +
      'older one (inferred)',
  },
  'One-Whole-Write': {
    sentence: 'a scalar access is whole: it does not mix the bytes of two writes of all of them (inferred)',
    pair: (first) => `would each give some bytes to one read, as would ${first}`,
  },
  'No-Thin-Air': { sentence: 'no value depends on itself (PTX ISA 8.10.4)' },
  'SC-per-Location': {
    sentence: 'morally strong accesses to one location behave as if threads took turns (PTX ISA 8.10.5)',
  },
  'Mbarrier-Order': {
    sentence: 'the operations on an mbarrier object are in one order, which follows causality (PTX ISA 9.7.15.16)',
  },
  'First-Trigger': {
    sentence: 'the first trigger of a CTA comes before its other ones (PTX ISA 9.7.15.14)',
  },
  'Ended-Before-Start': {
    sentence:
      'what a CTA without a trigger has read and waited for comes before the dependent grid (inferred, ' +
      'PTX ISA 9.7.15.14)',
  },
  'Sequential-Consistency': { sentence: 'threads take turns' },
  'Total-Coherence': { sentence: 'the writes to one location are in one order' },
};

export function axiomWords(axiom: string): AxiomWords {
  return AXIOMS[axiom] ?? {};
}
