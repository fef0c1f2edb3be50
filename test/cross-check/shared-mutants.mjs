/**
 * Deliberate mistakes in what both engines share (see places.mjs for how they are located). The comparison with the
 * reference, or a law, must notice each. `family`: of which generated tests, if not of programs of one grid, or, where
 * few of them come to it, of which folder of litmus/; `slice`: tests that are held to their slices. `back`: it takes
 * back a mend of a wrong verdict. `survives`: why it cannot be noticed.
 */
export const SHARED_MUTANTS = [
  // Dependencies.
  {
    what: 'only the first operand carries a dependency',
    in: 'Interpreter.fromAll',
    from: 'operands.reduce<Dependencies<C>>((all, { from }) => this.union(all, from), this.none)',
    to: 'operands[0]?.from ?? this.none',
  },
  {
    what: 'a guard carries no dependency',
    in: 'Interpreter.step',
    from: 'guardFrom = held.from;',
    to: 'guardFrom = this.none;',
  },
  {
    what: 'what a store writes carries no dependency',
    in: 'NodeExecution.write',
    from: 'this.thread.record({ event, value, dataDependencies, ...reached });',
    to: 'this.thread.record({ event, value, dataDependencies: this.thread.none, ...reached });',
  },
  {
    what: 'the new value of an atomic does not depend on the old',
    in: 'NodeExecution.update',
    from: 'thread.record({ event: write, value, dataDependencies: from, ...reached, executed });',
    to: 'thread.record({ event: write, value, dataDependencies: thread.none, ...reached, executed });',
  },
  {
    what: 'the count of an arrival carries no dependency',
    back: 'V6',
    in: 'NodeExecution.taken',
    from: 'from = thread.union(from, operand.from);',
    to: "from = role === 'count' ? from : thread.union(from, operand.from);",
  },
  {
    what: 'the bytes of complete_tx carry no dependency',
    back: 'V6',
    in: 'NodeExecution.taken',
    from: 'from = thread.union(from, operand.from);',
    to: "from = role === 'bytes' ? from : thread.union(from, operand.from);",
  },
  {
    what: 'control never ends',
    back: 'V7',
    in: 'findJoins',
    from: 'if (next.length < 2 || node === nowhere) continue;',
    to: 'if (next.length < 9 || node === nowhere) continue;',
  },
  {
    what: 'control ends one join too late',
    in: 'findJoins',
    from: 'joins.set(id, { node, registers',
    to: 'joins.set(id, { node: Math.min(postdominators[node] ?? node, end), registers',
  },
  {
    what: 'control ends and leaves nothing in registers',
    in: 'ThreadStates.closeBranches',
    from: 'depending.set(name, { ...held, from: this.union(held.from, from) });',
    to: 'depending.set(name, held);',
  },
  {
    what: 'control ends behind a loop',
    in: 'joinsOf',
    from: 'connect(away, nodes.length + 1);',
    to: 'connect(away, nodes.length);',
  },
  // Values and memory.
  {
    what: 'a border of a cell is dropped',
    in: 'memoryCells',
    from: '.add(end);',
    to: '.add(offset);',
  },
  {
    what: 'memory is not cut where values may be torn',
    back: 'V4',
    in: 'mayTear',
    from: 'if (writes.length === 0) return false',
    to: 'if (writes.length >= 0) return false',
    survives:
      'scalars are whole by default, and with one cell they are by themselves; under scalar-accesses=bytes the ' +
      'outcomes would be missed (test/semantics/tearing.test.ts)',
  },
  {
    what: 'reads of one size are analyzed as whole',
    back: 'V5',
    in: 'possibleReads',
    from: 'mayTear(sources, read) ? bytewise(sources) : values',
    to: 'values',
    survives:
      'the rule that scalars are whole takes away what the analysis then overlooks; under scalar-accesses=bytes ' +
      'it is an internal error (test/semantics/tearing.test.ts)',
  },
  {
    what: 'a partial write is analyzed as none',
    in: 'possibleReads',
    from: 'if (partly) return anyValue(width);',
    to: '',
  },
  {
    what: 'a failing compare-and-swap writes',
    in: 'NodeExecution.update',
    from: 'else executed = domain.and(executed, changed);',
    to: '',
  },
  {
    what: 'narrow loads are extended by ones',
    in: 'resize',
    from: 'return truncate(interpretBits(bits, width, signed), to);',
    to: 'return truncate(interpretBits(bits, width, true), to);',
  },
  {
    what: 'a negated guard is taken as it stands',
    in: 'Interpreter.step',
    from: 'holds = guard.negated ? domain.not(truth) : truth;',
    to: 'holds = truth;',
  },
  // Barriers.
  {
    what: 'exited threads are waited for',
    back: 'V2',
    in: 'needsOf',
    from: 'if (instance === undefined) return undefined;',
    to: 'if (instance === undefined) return parties.length;',
  },
  {
    what: 'the count of a barrier is off by one',
    in: 'needsOf',
    from: 'Number(count / WARP_SIZE)',
    to: 'Number(count / WARP_SIZE) + 1',
  },
  {
    what: 'each thread is a warp',
    in: 'warpsOf',
    from: 'groupBy(own, ({ placement }) => placement.warp)',
    to: 'groupBy(own, ({ index }) => index)',
  },
  {
    what: 'barriers of all numbers are one',
    in: 'barrierGroups',
    from: '`${placement.cta}, barrier ${id}${',
    to: '`${placement.cta}, barrier ${',
  },
  {
    what: 'one mask of lanes is as good as another',
    in: 'barrierGroups',
    from: 'mask 0x${id.toString(16)}',
    to: 'mask',
  },
  {
    what: 'bar.sync is not aligned',
    back: 'V3',
    in: 'decodeBarrier',
    from: "const aligned = level === 'cta' &&",
    to: "const aligned = level !== 'cta' &&",
  },
  {
    what: 'arrivals do not wait for their warp',
    back: 'V3',
    in: 'convergence',
    from: 'if (builder.placement.lanes === 1 || !meets)',
    to: 'if (builder.placement.lanes >= 1 || !meets)',
  },
  {
    what: 'a number out of range is as good as another',
    back: 'V3',
    in: 'brokenBarrierRule',
    from: 'number >= BARRIERS',
    to: 'number < 0n',
  },
  // mbarriers.
  {
    what: 'a phase completes with bytes outstanding',
    in: 'MbarrierMachine.step',
    from: 'and(and(checks, this.equal(pending, zero)), this.equal(bytes, zero))',
    to: 'and(checks, this.equal(pending, zero))',
  },
  {
    what: 'an arrival counts one, whatever it says',
    in: 'MbarrierMachine.input',
    from: 'const count = run.count === undefined ? zero : this.clamp(run.count);',
    to: 'const count = run.count === undefined ? zero : this.count(1n);',
  },
  {
    what: 'expected bytes are forgotten by an arrival',
    in: 'MbarrierMachine.input',
    from: 'operation.noComplete ? yes : no, expectedBytes: bytes',
    to: 'operation.noComplete ? yes : no, expectedBytes: zero',
  },
  {
    what: 'too many arrivals are no mistake',
    in: 'MbarrierMachine.step',
    from: "['mbarrier-overrun', and(input.arrive, this.negative(pending))]",
    to: "['mbarrier-overrun', domain.no]",
  },
  // Loops.
  {
    what: 'every register is handed on by a waiting loop',
    in: 'carriedRegisters',
    from: 'return { on: mattering(on), out: mattering(out), set };',
    to: 'return { on: [], out: [], set };',
  },
  {
    what: 'every atomic of a waiting loop is silent',
    in: 'silentAtomics',
    from: 'filter(([atomic]) => isSilent(program, thread, target, round, atomic))',
    to: 'filter(() => round !== undefined)',
  },
  {
    what: 'no atomic of a waiting loop is silent',
    back: 'V8',
    in: 'obstacleIn',
    from: '!isHarmless(operation) && !silent.has(operation)',
    to: '!isHarmless(operation)',
    survives:
      'loops are cut, and verdicts unknown, not wrong; litmus/loops/lock+cas.acq.gpu.register-rel.gpu is then ' +
      'not decided',
  },
  {
    what: 'a counted loop is left a round too early',
    in: 'Unrolling.boundOf',
    from: '(this.trips.get(branch) ?? 0) + 1',
    to: '(this.trips.get(branch) ?? 0)',
    survives:
      'the loop is cut, and the verdict unknown, not wrong; litmus/loops/MP+six-rounds-rel.gpu+spin.acq.gpu is ' +
      'then not decided',
  },
  // Axioms and answers.
  {
    what: 'weak writes come to be seen',
    back: 'V9',
    in: 'mustComeToSee',
    from: 'if (!mutuallyInScope(write, read)) return false;',
    to: '',
  },
  {
    what: 'atomics are two operations in causality',
    in: 'ptx-9.4/observed-atomic',
    from: 'else rmw; observation',
    to: 'else 0',
  },
  {
    what: 'a thread may exit before its reads return',
    in: 'ptx-9.4/No-Thin-Air',
    from: '| start-after | read-before-exit',
    to: '| start-after',
  },
  {
    what: 'what memory is left with need be no value that was written last',
    back: 'V1',
    in: 'encodeFinal',
    from: 'context.assert(builder.implies(formula, isMaximal));',
    to: '',
  },
  // Grids, and threads that can change places.
  {
    family: 'grid',
    what: 'one trigger is enough for all CTAs of a grid',
    in: 'launchingCtas',
    from: 'const own = threads.filter(({ placement }) => placement.cta === cta).map(({ index }) => index);',
    to: 'const own = threads.map(({ index }) => index);',
  },
  {
    family: 'grid',
    what: 'triggers of the first thread are not counted',
    in: 'isTrigger',
    from: "event.tags.has('LAUNCH')",
    to: "event.tags.has('LAUNCH') && event.thread > 0",
  },
  {
    family: 'grid',
    what: 'a thread of each grid is not waited for',
    in: 'threadsOfGrids',
    from: 'grids.includes(placement.grid))',
    to: 'grids.includes(placement.grid)).slice(1)',
  },
  {
    family: 'litmus/grids',
    what: 'the fences of the dependent grid may come before a read that let it start',
    in: 'ptx-9.4/Ended-Before-Start',
    from: 'base-causality; over-before-start',
    to: '0',
  },
  {
    family: 'litmus/grids',
    what: 'a start is not after that of the grid before',
    in: 'ptx-9.4/start-after',
    from: 'gridend | launches',
    to: '0',
  },
  {
    family: 'litmus/grids',
    what: 'threads are alike whatever grids they wait for',
    in: 'waitsAlike',
    from: 'return [...there].every((grid) => there.has(named(grid)));',
    to: 'return true;',
  },
  {
    family: 'litmus/scopes',
    what: 'threads are alike whoever is in a CTA with them',
    in: 'renaming',
    from: 'if ((names.get(from) ?? to) !== to) return undefined;',
    to: '',
  },
  {
    family: 'grid',
    what: 'threads are alike though a condition tells them apart',
    in: 'interchangeableThreads',
    from: 'const mentioned = new Set(propositions.flatMap(threadsIn));',
    to: 'const mentioned = new Set();',
  },
  // Launches.
  {
    family: 'launch',
    what: 'what decides a guard is left out of a slice',
    in: 'Slicer.visit',
    from: 'if (guard !== undefined) this.use(thread, [guard.register]);',
    to: '',
  },
  {
    family: 'slice',
    what: 'memory that is read is left out of a slice',
    in: 'Slicer.read',
    from: 'for (const one of this.touched.of(thread, access) ?? this.locations.objects) this.add(this.matters, one);',
    to: '',
  },
  {
    family: 'launch',
    what: 'memory that is written is taken as known before the launch',
    in: 'knownMemory',
    from: "range.object.space === 'shared' || isWritten(range.object)",
    to: "range.object.space === 'shared'",
  },
  {
    family: 'launch',
    what: 'the wait of a kernel does not know of orders by number',
    in: 'decodeKernel',
    from: 'test, orders, {',
    to: 'test, { prerequisites: () => planned.launch.dependentOn }, {',
  },
];
