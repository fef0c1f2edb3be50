/**
 * Deliberate mistakes in what both engines share, each in one place: `file` lies in src, `from` stands there exactly once. The
 * comparison with the reference, or a law, must notice each. `back`: it takes back a mend of a wrong verdict.
 */
export const SHARED_MUTANTS = [
  // Dependencies.
  { what: 'only the first operand carries a dependency', file: 'semantics/interpret.ts', from: 'operands.reduce<Dependencies<C>>((all, operand) => this.union(all, operand.from), this.none),', to: 'operands[0]?.from ?? this.none,' },
  { what: 'a guard carries no dependency', file: 'semantics/interpret.ts', from: 'guardFrom = held.from;', to: 'guardFrom = this.none;' },
  { what: 'what a store writes carries no dependency', file: 'semantics/interpret.ts', from: 'dataDependencies: data.from,\n            controlDependencies: control,', to: 'dataDependencies: this.none,\n            controlDependencies: control,' },
  { what: 'the new value of an atomic does not depend on the old', file: 'semantics/interpret.ts', from: 'this.record({ event: write, executed, value, dataDependencies: from, ...common });', to: 'this.record({ event: write, executed, value, ...common });' },
  { what: 'the count of an arrival carries no dependency', back: 'V6', file: 'semantics/interpret-mbarrier.ts', from: 'const dataDependencies = thread.union(count.from, expected?.from ?? thread.none);', to: 'const dataDependencies = thread.none;' },
  { what: 'the bytes of complete_tx carry no dependency', back: 'V6', file: 'semantics/interpret-mbarrier.ts', from: 'thread.record({ event, ...common, bytes: bytes.value, dataDependencies: bytes.from });', to: 'thread.record({ event, ...common, bytes: bytes.value });' },
  { what: 'control never ends', back: 'V7', file: 'unroll/joins.ts', from: 'if (next.length < 2 || join === nowhere) continue;', to: 'if (next.length < 9 || join === nowhere) continue;' },
  { what: 'control ends one join too late', file: 'unroll/joins.ts', from: 'joins.set(id, { node: join,', to: 'joins.set(id, { node: Math.min(postDominator[join] ?? join, end),' },
  { what: 'control ends and leaves nothing in registers', file: 'semantics/interpret.ts', from: 'registers.set(name, { ...held, from: this.union(held.from, from) });', to: 'registers.set(name, held);' },
  { what: 'control ends behind a loop', file: 'unroll/joins.ts', from: 'connect(neverLeft, nowhere);', to: 'connect(neverLeft, end);' },
  // Values and memory.
  { what: 'a border of a cell is dropped', file: 'semantics/cells.ts', from: '      .add(offset + bytes);', to: '      .add(offset);' },
  { what: 'memory is not cut where values may be torn', back: 'V4', file: 'semantics/tearing.ts', from: 'if (writes.length === 0 || !sources.some(', to: 'if (writes.length >= 0 || !sources.some(', survives: 'scalars are whole by default, and with one cell they are by themselves; under scalar-accesses=bytes the outcomes would be missed (test/semantics/tearing.test.ts)' },
  { what: 'reads of one size are analysed as whole', back: 'V5', file: 'semantics/value-analysis.ts', from: 'mayTear(sources, read) ? bytewise(sources) : values', to: 'values', survives: 'the rule that scalars are whole takes away what the analysis then overlooks; under scalar-accesses=bytes it is an internal error (test/semantics/tearing.test.ts)' },
  { what: 'a partial write is analysed as none', file: 'semantics/value-analysis.ts', from: 'if (partly) return anyValue(width);', to: '' },
  { what: 'a failing compare-and-swap writes', file: 'semantics/interpret.ts', from: 'else executed = domain.and(executed, changed);', to: '' },
  { what: 'narrow loads are extended by ones', file: 'program/integer.ts', from: 'return truncate(interpretBits(bits, width, signed), to);', to: 'return truncate(interpretBits(bits, width, true), to);' },
  { what: 'a negated guard is taken as it stands', file: 'semantics/interpret.ts', from: 'holds = guard.negated ? domain.not(truth) : truth;', to: 'holds = truth;' },
  // Barriers.
  { what: 'exited threads are waited for', back: 'V2', file: 'events/barrier-groups.ts', from: "count === undefined ? undefined : Number(count / WARP_SIZE)", to: "count === undefined ? parties.length : Number(count / WARP_SIZE)" },
  { what: 'the count of a barrier is off by one', file: 'events/barrier-groups.ts', from: 'Number(count / WARP_SIZE)', to: 'Number(count / WARP_SIZE) + 1' },
  { what: 'each thread is a warp', file: 'events/barrier-groups.ts', from: 'warps.set(placement.warp, [...(warps.get(placement.warp) ?? []), index])', to: 'warps.set(`${placement.warp} ${index}`, [index])' },
  { what: 'barriers of all numbers are one', file: 'events/barrier-groups.ts', from: '`${placement.cta}, barrier ${id}${', to: '`${placement.cta}, barrier ${' },
  { what: 'one mask of lanes is as good as another', file: 'events/barrier-groups.ts', from: 'mask 0x${id.toString(16)}', to: 'mask' },
  { what: 'bar.sync is not aligned', back: 'V3', file: 'isa/decode-synchronisation.ts', from: "const aligned = level === 'cta' && (", to: "const aligned = level !== 'cta' && (" },
  { what: 'arrivals do not wait for their warp', back: 'V3', file: 'events/events.ts', from: 'if (lanes === 1 || !waitsApart)', to: 'if (lanes >= 1 || !waitsApart)' },
  { what: 'a number out of range is as good as another', back: 'V3', file: 'events/barrier-groups.ts', from: 'if (id >= BARRIERS) return', to: 'if (id < 0n) return' },
  // mbarriers.
  { what: 'a phase completes with bytes outstanding', file: 'semantics/mbarrier-machine.ts', from: 'and(and(checks, this.equal(pending, zero)), this.equal(bytes, zero))', to: 'and(checks, this.equal(pending, zero))' },
  { what: 'an arrival counts one, whatever it says', file: 'semantics/mbarrier-machine.ts', from: "const count = run.count === undefined ? zero : this.clamp(run.count);", to: "const count = run.count === undefined ? zero : this.count(1n);" },
  { what: 'expected bytes are forgotten by an arrival', file: 'semantics/mbarrier-machine.ts', from: "noComplete: operation?.action === 'arrive' && operation.noComplete ? yes : no,\n          expectedBytes: bytes,", to: "noComplete: operation?.action === 'arrive' && operation.noComplete ? yes : no,\n          expectedBytes: zero," },
  { what: 'too many arrivals are no mistake', file: 'semantics/mbarrier-machine.ts', from: "['overrun', and(input.arrive, this.negative(pending))]", to: "['overrun', domain.no]" },
  // Loops.
  { what: 'every register is handed on by a waiting loop', file: 'unroll/spin-loops.ts', from: 'return carried.filter((register) => matter.has(register));', to: 'return [];' },
  { what: 'every atomic of a waiting loop is silent', file: 'unroll/silent-atomics.ts', from: 'filter(([atomic]) => isSilent(program, thread, target, round, atomic))', to: 'filter(() => round !== undefined)' },
  { what: 'no atomic of a waiting loop is silent', back: 'V8', file: 'unroll/spin-loops.ts', from: '!isHarmless(operation) && !silent.has(operation)', to: '!isHarmless(operation)', survives: 'loops are cut, and verdicts unknown, not wrong; litmus/loops/lock+cas.acq.gpu.register-rel.gpu is then not decided' },
  { what: 'a counted loop is left a round too early', file: 'unroll/unroll.ts', from: '(trips.get(branch) ?? 0) + 1', to: '(trips.get(branch) ?? 0)', survives: 'the loop is cut, and the verdict unknown, not wrong; litmus/loops/MP+six-rounds-rel.gpu+spin.acq.gpu is then not decided' },
  // Axioms and answers.
  { what: 'weak writes come to be seen', back: 'V9', file: 'execution/progress.ts', from: 'if (!mutuallyInScope(write, read)) return false;', to: '' },
  { what: 'atomics are two operations in causality', file: '../models/ptx-9.4.cat', from: '(rmw?; observation; preserved-causality)', to: '(observation; preserved-causality)' },
  { what: 'a thread may exit before its reads return', file: '../models/ptx-9.4.cat', from: ' | lets-go | read-before-exit | ', to: ' | lets-go | ' },
  { what: 'an answer shows what z3 left open', back: 'V1', file: 'axiomatic/encode-execution.ts', from: 'for (const observable of this.structure.program.observed) this.observable(observable);', to: '' },
];
