/**
 * Deliberate mistakes in what is promised to threads, and in what finds executions without an end.
 *
 * @type {readonly import('../places.mjs').Mutant[]}
 */
export const PROGRESS_MUTANTS = [
  {
    what: 'the lowest id waits for itself to end',
    in: 'promisedTo',
    from: 'over.slice(0, i).reduce(and, yes)',
    to: 'over.slice(0, i + 1).reduce(and, yes)',
  },
  {
    what: 'one that has made a step is not promised to go on under lobe',
    in: 'promisedTo',
    from: 'stepped.slice(i).reduce(or, no)',
    to: 'stepped.slice(i + 1).reduce(or, no)',
  },
  {
    what: 'a group has made a step when all of its threads have',
    in: 'promisedTo',
    from: 'group.map(made).reduce(or, no)',
    to: 'group.map(made).reduce(and, yes)',
  },
  {
    what: 'a group has ended when one of its threads has',
    in: 'promisedTo',
    from: 'group.map(ended).reduce(and, yes)',
    to: 'group.map(ended).reduce(or, no)',
  },
  {
    what: 'one level alone counts',
    in: 'promisedTo',
    from: 'promised[thread] = and(promised[thread] ?? yes, PROMISED[model](i))',
    to: 'promised[thread] = PROMISED[model](i)',
  },
  {
    what: 'CTAs go by the order in which the test lists them',
    in: 'listsAt',
    from: 'onDevice.toSorted((a, b) => before(threads[a]?.placement, threads[b]?.placement))',
    to: 'onDevice',
  },
  {
    what: 'it never matters who has made a step',
    in: 'stateGraph',
    from: "tellsSteps ? `#${made.map(Number).join('')}` : ''",
    to: "''",
  },
  {
    what: 'a thread that has ended has to go on',
    in: 'endlessRun',
    from: 'isPromised && ended[thread] !== true ?',
    to: 'isPromised ?',
  },
  {
    what: 'a cycle need not keep what is promised',
    in: 'endlessRun',
    from: 'if (all.length < goals.length) continue;',
    to: '',
  },
  {
    what: 'a branch is not taken back to where a thread goes round',
    in: 'Interleavings.execute',
    from: 'point: to(holds ? target : at + 1)',
    to: 'point: to(holds ? Math.max(target, at + 1) : at + 1)',
  },
  {
    what: 'a register that is still used is forgotten',
    in: 'Interleavings.point',
    from: ".map((index) => names[index] ?? '')",
    to: ".slice(1).map((index) => names[index] ?? '')",
  },
  {
    what: 'the machine stands alike whatever its registers hold',
    in: 'LoopWalk.keyAt',
    from: '`${thread}@${index}:${values.join()}`',
    to: '`${thread}@${index}:`',
  },
  {
    what: 'the machine lets any thread never begin',
    in: 'absentSets',
    from: 'absent.size < all.length && mayBe(absent)',
    to: 'absent.size < all.length',
    survives: 'what is promised is asked again where threads have stopped: it only spares cases',
  },
  {
    what: 'the machine lets all threads stop at once',
    in: 'haltedIn',
    from: 'return goesRound ? halted : undefined;',
    to: 'return halted;',
  },
  {
    what: 'the machine lets threads stop that are promised to go on',
    in: 'haltedIn',
    from: '[...halted].some((thread) => promised[thread] === true) || ',
    to: '',
  },
  {
    what: 'the formula lets threads stop that are promised to go on',
    in: 'mayHalt',
    from: 'builder.implies(thread.halted, not(promised[i] ?? TRUE))',
    to: 'TRUE',
  },
  {
    what: 'the formula lets all threads stop at once',
    in: 'mayHalt',
    from: 'of(own, ({ spins }) => spins)',
    to: 'TRUE',
  },
  {
    what: 'the formula lets threads stop at their start only',
    in: 'ChosenValues.halts',
    from: 'events.some(({ kind }) => !UNNOTICED.includes(kind))',
    to: 'events.length < 0',
  },
  {
    what: 'a thread that stops goes on all the same',
    in: 'Interpreter.goesOn',
    from: 'return this.without(halts, before);',
    to: 'return before;',
  },
  {
    what: 'a wait is for a CTA that has started, whatever is known',
    in: 'AwaitedGroups.wait',
    from: 'const isStarted = isCertain || isThere(one);',
    to: 'const isStarted = true;',
  },
  {
    what: 'a wait for a CTA of a higher number is for a lower one',
    in: 'groupWaitsIn',
    from: 'other.clusterId < waiter.clusterId',
    to: 'other.clusterId !== waiter.clusterId',
  },
];
