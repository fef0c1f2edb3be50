/**
 * A plain reference for forward progress: whether a program of looping threads can run for ever under a progress model
 * (Sorensen et al., "Specifying and Testing GPU Workgroup Progress Models", OOPSLA 2021). Threads take atomic steps on
 * one shared word in any order; each instruction is a step, branches too. All states are visited, and the ways to go on
 * for ever are read off the strongly connected components of the graph. It shares nothing with the engines.
 *
 * Why this is right. A state is the word and, by thread, where it is, its registers, and whether it has made a step.
 * There are finitely many. Having made a step and having ended are facts that no step takes back.
 *
 * 1. An infinite execution takes some steps of the graph infinitely often, and from some moment on no others. From one
 *    of these it comes to every other again and again, so all of them lie in one component.
 * 2. On a cycle no fact can become true, since it would have to become false again before the cycle closes. So all
 *    states of a component agree on who has made a step and who has ended, and hence on who is promised to go on.
 * 3. What is promised before that moment asks for no more: no model takes a promise back from a thread that has not
 *    ended. That somebody has made a step stays true, and the lowest id that has not ended stays that until it ends.
 * 4. So if an execution is permitted and infinite, each thread that is promised to go on in its last component, and has
 *    not ended there, takes one of the steps inside of it. Conversely, if that holds in some component, go there from
 *    the start and then round all the steps inside for ever: that is infinite, and keeps every promise.
 *
 * That some thread steps while one can is so in every execution here (a thread that has not ended can always step). A
 * finite one thus ends with all threads ended, and is no hang.
 */
export type Instruction =
  | Readonly<{ kind: 'store'; value: number }>
  | Readonly<{ kind: 'load'; register: number }>
  | Readonly<{ kind: 'exchange'; register: number; value: number }>
  /** Taken if the register holds the value (`when: 'equal'`), or another one (`when: 'unequal'`). */
  | Readonly<{ kind: 'branch'; register: number; when: 'equal' | 'unequal'; value: number; target: number }>
  | Readonly<{ kind: 'jump'; target: number }>;

/** `target` is the index of an instruction of the same thread; its length is the end. Registers start as 0. */
export type LoopingThread = Readonly<{ cta: number; instructions: readonly Instruction[] }>;
export type LoopingProgram = Readonly<{ initial: number; threads: readonly LoopingThread[] }>;

export type ReferenceModel = 'fair' | 'obe' | 'hsa' | 'hsa-obe' | 'lobe' | 'unfair';

/** A model for threads alone, models for levels, or what CUDA promises (every CTA is a cluster of its own). */
export type ReferencePromise = ReferenceModel | Readonly<{ gpu?: ReferenceModel; cta?: ReferenceModel }> | 'cuda';

/** Whether the program hangs under each promise. */
export function hangs(program: LoopingProgram, promises: readonly ReferencePromise[]): readonly boolean[] {
  const endless = endlessWays(graphOf(program));
  return promises.map((promise) => endless.some((way) => permits(promise, program.threads, way)));
}

// What is promised.

/** By thread, or by group: whether it has made a step, and whether it has ended. */
interface Facts {
  readonly started: readonly boolean[];
  readonly ended: readonly boolean[];
}

/** A way to go on for ever: the facts while it does, and which threads make infinitely many steps. */
interface Endless extends Facts {
  readonly moving: readonly boolean[];
}

/** Whether the model promises that the one with an id goes on. (Of those that have ended it does not matter.) */
const MODELS: Readonly<Record<ReferenceModel, (id: number, facts: Facts) => boolean>> = {
  fair: () => true,
  obe: (id, { started }) => started[id]!,
  hsa: (id, { ended }) => id === ended.indexOf(false),
  'hsa-obe': (id, facts) => MODELS.hsa(id, facts) || MODELS.obe(id, facts),
  lobe: (id, { started }) => id <= started.lastIndexOf(true),
  unfair: () => false,
};

function permits(promise: ReferencePromise, threads: readonly LoopingThread[], way: Endless): boolean {
  const promised = promisedThreads(promise, threads, way);
  return threads.every((_, thread) => !promised[thread] || way.ended[thread] || way.moving[thread]);
}

/**
 * By thread. It is promised to go on if its CTA is, among all CTAs, and it is itself, among the threads of its CTA. So
 * `obe` or `lobe` in a CTA promise nothing while none of its threads has made a step, even if the CTA is promised.
 */
function promisedThreads(promise: ReferencePromise, threads: readonly LoopingThread[], facts: Facts): boolean[] {
  // All threads of a cluster with a thread that has made a step. That some thread goes on is so in any execution.
  if (promise === 'cuda') return promisedThreads({ gpu: 'obe', cta: 'fair' }, threads, facts);
  if (typeof promise === 'string') return threads.map((_, id) => MODELS[promise](id, facts));
  const { gpu = 'fair', cta = 'fair' } = promise;
  const numbers = [...new Set(threads.map((thread) => thread.cta))].sort((a, b) => a - b);
  const groups = numbers.map((number) => [...threads.keys()].filter((thread) => threads[thread]!.cta === number));
  const ofGroups: Facts = {
    started: groups.map((group) => group.some((thread) => facts.started[thread])),
    ended: groups.map((group) => group.every((thread) => facts.ended[thread])),
  };
  const promised = threads.map(() => false);
  for (const [index, group] of groups.entries()) {
    const inGroup: Facts = {
      started: group.map((thread) => facts.started[thread]!),
      ended: group.map((thread) => facts.ended[thread]!),
    };
    for (const [id, thread] of group.entries())
      promised[thread] = MODELS[gpu](index, ofGroups) && MODELS[cta](id, inGroup);
  }
  return promised;
}

// One thread.

/** No step. */
const NONE = -1;

/**
 * A thread as an automaton on the word, for every word it may come upon. Words are numbered, and so are its states: 0
 * is before its first step and no other is, even if it comes back to its first instruction with all registers 0.
 */
interface Automaton {
  /** By state. */
  readonly ended: readonly boolean[];
  /** By state and word, in that order: the state and the word after the step, as `state * words + word`. */
  readonly next: readonly number[];
}

/** The registers by their place in a list of those of the thread. */
type Local = Readonly<{ pc: number; registers: readonly number[] }>;

function automatonOf({ instructions }: LoopingThread, words: readonly number[]): Automaton {
  const registers = [...new Set(instructions.flatMap((one) => ('register' in one ? [one.register] : [])))];
  const locals: Local[] = [{ pc: 0, registers: registers.map(() => 0) }];
  const ids = new Map<string, number>();
  const idOf = (local: Local): number => {
    const key = `${local.pc}:${local.registers}`;
    const known = ids.get(key);
    if (known !== undefined) return known;
    ids.set(key, locals.length);
    return locals.push(local) - 1;
  };
  const next: number[] = [];
  // The list grows meanwhile, by what the steps lead to.
  for (const local of locals) {
    const instruction = instructions[local.pc];
    for (const word of words) {
      if (instruction === undefined) {
        next.push(NONE);
        continue;
      }
      const after = execute(instruction, local, word, registers);
      next.push(idOf(after.local) * words.length + words.indexOf(after.word));
    }
  }
  return { ended: locals.map(({ pc }) => pc === instructions.length), next };
}

function execute(one: Instruction, local: Local, word: number, registers: readonly number[]) {
  const { pc } = local;
  const to = (target: number) => ({ local: { pc: target, registers: local.registers }, word });
  const loaded = (register: number): Local => {
    const place = registers.indexOf(register);
    return { pc: pc + 1, registers: local.registers.map((value, index) => (index === place ? word : value)) };
  };
  switch (one.kind) {
    case 'store':
      return { ...to(pc + 1), word: one.value };
    case 'load':
      return { local: loaded(one.register), word };
    case 'exchange':
      return { local: loaded(one.register), word: one.value };
    case 'branch': {
      const isEqual = local.registers[registers.indexOf(one.register)] === one.value;
      return to(isEqual === (one.when === 'equal') ? one.target : pc + 1);
    }
    case 'jump':
      return to(one.target);
  }
}

/** What the word can be: registers hold nothing else but 0. */
function wordsOf({ initial, threads }: LoopingProgram): readonly number[] {
  const words = new Set([initial]);
  for (const { instructions } of threads)
    for (const one of instructions) {
      if (one.kind === 'store' || one.kind === 'exchange') words.add(one.value);
      const target = 'target' in one ? one.target : 0;
      if (target !== instructions.length && !(target in instructions)) throw new RangeError('no such target');
    }
  return [...words];
}

// All threads.

/** The states that can be reached, of which 0 is the start. Each has one step at most by thread. */
interface Graph {
  readonly size: number;
  readonly threads: number;
  /** By state and thread, in that order: the state after the step of the thread, none if it has ended. */
  readonly next: readonly number[];
  /** Likewise: whether the thread has made a step. */
  readonly started: readonly boolean[];
}

function graphOf(program: LoopingProgram): Graph {
  const words = wordsOf(program);
  const automata = program.threads.map((thread) => automatonOf(thread, words));
  // A state is a number: the word, and above it the state of each thread at a place of its own.
  const places: number[] = [];
  let numbers = words.length;
  for (const { ended } of automata) {
    places.push(numbers);
    numbers *= ended.length;
  }
  if (!Number.isSafeInteger(numbers)) throw new RangeError('too many states');
  const start = words.indexOf(program.initial);
  const states = [start];
  const ids = new Map([[start, 0]]);
  const next: number[] = [];
  const started: boolean[] = [];
  // The list grows meanwhile, by what the steps lead to.
  for (const state of states) {
    const word = state % words.length;
    for (const [thread, automaton] of automata.entries()) {
      const place = places[thread]!;
      const local = Math.floor(state / place) % automaton.ended.length;
      started.push(local !== 0);
      if (automaton.ended[local]) {
        next.push(NONE);
        continue;
      }
      const after = automaton.next[local * words.length + word]!;
      const wordAfter = after % words.length;
      const localAfter = Math.floor(after / words.length);
      const target = state + (wordAfter - word) + (localAfter - local) * place;
      const id = ids.get(target) ?? states.push(target) - 1;
      ids.set(target, id);
      next.push(id);
    }
  }
  return { size: states.length, threads: automata.length, next, started };
}

/** Of each component with a step inside: the facts, the same in all its states, and who steps inside; each once. */
function endlessWays(graph: Graph): readonly Endless[] {
  const { threads, next, started } = graph;
  const components = componentsOf(graph);
  /** By component, if it has a step inside: by thread, whether it makes such a step. And some state of it. */
  const found = new Map<number, { readonly state: number; readonly moving: boolean[] }>();
  for (const [index, target] of next.entries()) {
    const state = Math.floor(index / threads);
    const component = components[state]!;
    if (target === NONE || components[target] !== component) continue;
    const inside = found.get(component) ?? { state, moving: Array.from({ length: threads }, () => false) };
    inside.moving[index % threads] = true;
    found.set(component, inside);
  }
  const ways = new Map<string, Endless>();
  for (const { state, moving } of found.values()) {
    const first = state * threads;
    const ended = next.slice(first, first + threads).map((target) => target === NONE);
    const way = { started: started.slice(first, first + threads), ended, moving };
    ways.set(`${way.started};${ended};${moving}`, way);
  }
  return [...ways.values()];
}

/** By state, the number of its strongly connected component: Tarjan's algorithm, without recursion. */
function componentsOf({ size, threads, next }: Graph): Int32Array {
  const order = new Int32Array(size).fill(NONE);
  const lowest = new Int32Array(size);
  const tried = new Int32Array(size);
  const components = new Int32Array(size).fill(NONE);
  const path: number[] = [];
  const open: number[] = [];
  let entered = 0;
  let complete = 0;
  const enter = (state: number): void => {
    order[state] = entered;
    lowest[state] = entered++;
    path.push(state);
    open.push(state);
  };
  const lower = (state: number, to: number): void => {
    lowest[state] = Math.min(lowest[state]!, to);
  };
  // All states are reached from the start.
  enter(0);
  for (let state = path.at(-1); state !== undefined; state = path.at(-1)) {
    if (tried[state]! < threads) {
      const target = next[state * threads + tried[state]!]!;
      tried[state]!++;
      if (target === NONE) continue;
      if (order[target] === NONE) enter(target);
      else if (components[target] === NONE) lower(state, order[target]!);
      continue;
    }
    path.pop();
    const parent = path.at(-1);
    if (parent !== undefined) lower(parent, lowest[state]!);
    if (lowest[state] !== order[state]) continue;
    let last: number | undefined;
    do {
      last = open.pop()!;
      components[last] = complete;
    } while (last !== state);
    complete++;
  }
  return components;
}
