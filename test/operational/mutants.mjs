/**
 * Deliberate mistakes in the machine and in the model (see places.mjs for how they are located). The comparison of the
 * engines must notice each. `survives`: why it cannot.
 */
export const MUTANTS = [
  // The machine: strength and scopes.
  {
    what: 'one-sided scope inclusion',
    in: 'inEachOthersScope',
    from: 'b.placement) && scopeIncludes',
    to: 'b.placement) || scopeIncludes',
  },
  {
    what: 'moral strength across proxies',
    in: 'morallyStrong',
    from: 'a === b || !throughOneProxy(a, b, readings)',
    to: 'a === b',
  },
  {
    what: 'moral strength of aliases',
    in: 'overlapCompletely',
    from: 'a.virtualAddress === b.virtualAddress && a.bytes',
    to: 'a.offset === b.offset && a.bytes',
  },
  {
    what: 'moral strength of program order only with strength',
    in: 'morallyStrong',
    from: 'if (inProgramOrder(a, b) || inProgramOrder(b, a)) return true;',
    to: '',
    survives: 'what is earlier in program order at one address is known to the thread in any case, which says as much',
  },
  {
    what: 'the read of a red acquires',
    in: 'canAcquire',
    from: "!tags.has('RED')",
    to: 'tags !== undefined',
  },
  // Release and acquire.
  {
    what: 'a release fence releases nothing',
    in: 'releasePacketsOf',
    from: 'if (isMemoryFence(other) && isRelease(other)) heads |= bit(head);',
    to: 'if (isMemoryFence(other)) heads |= NONE;',
  },
  {
    what: 'st.release; st.relaxed is no release pattern',
    in: 'releasePacketsOf',
    from: "else if (isAccess(event) && other.kind === 'write'",
    to: "else if (!isAccess(event) && other.kind === 'write'",
  },
  {
    what: 'ld.relaxed; ld.acquire acquires from any location',
    in: 'observedBy',
    from: '(isAccess(event) && sameLocation(state, observer, acquire.id))',
    to: 'isAccess(event)',
  },
  {
    what: 'ld.relaxed; ld.acquire acquires nothing',
    in: 'observedBy',
    from: 'if (!isAccess(acquire) || (isAccess(event) &&',
    to: 'if (!isAccess(acquire) || (!isAccess(event) &&',
  },
  {
    what: 'fence.sc learns nothing from others',
    in: 'executeFence',
    from: 'learned |= toldByFences(state, fence);',
    to: 'learned |= NONE;',
  },
  {
    what: 'fence.sc learns from all others',
    in: 'toldByFences',
    from: 'before.thread === fence.thread || inEachOthersScope(before, fence)',
    to: 'before !== fence',
  },
  {
    what: 'restricted fences let everything through',
    in: 'carried',
    from: 'if (release.restriction === undefined && acquire.restriction === undefined) return all;',
    to: 'if (release !== acquire) return all;',
  },
  {
    what: 'a fence after a relaxed wait is told of no completion',
    in: 'executeFence',
    from: 'if (!has(earlier, wait) || context.event(wait).mbarrier === undefined) continue;',
    to: 'continue;',
  },
  {
    what: 'a read of an observed write tells nothing of it',
    in: 'causalityBefore',
    from: 'bit(fact.event) | (state.links.get(fact.event) ?? NONE)',
    to: 'bit(fact.event)',
  },
  // Reads, writes, coherence.
  {
    what: 'an atomic does not hand packets on',
    in: 'writeStates',
    from: 'if (write.partner !== undefined) packets |= state.observed.get(write.partner) ?? NONE;',
    to: '',
  },
  {
    what: 'observation order ends at an atomic',
    in: 'readStates',
    from: '(partner === undefined ? NONE : bit(partner) | (state.links.get(partner) ?? NONE))',
    to: 'NONE',
  },
  {
    what: 'atomics are not atomic',
    in: 'writeStates',
    from: 'return states.filter((one) => atomic(one));',
    to: 'return states;',
  },
  {
    what: 'coherence may later contradict a read',
    in: 'operational/fits',
    from: 'state.neverAfter.set(write, (state.neverAfter.get(write) ?? NONE) | bit(other));',
    to: '',
  },
  {
    what: 'morally strong writes stay unordered',
    in: 'writeStates',
    from: 'if (has(before, other) || !state.morallyStrong(other, write.id)) continue;',
    to: 'continue;',
  },
  {
    what: 'racing writes are ordered',
    in: 'writeStates',
    from: 'if (has(before, other) || !state.morallyStrong(other, write.id)) continue;',
    to: 'if (has(before, other)) continue;',
  },
  {
    what: 'a morally strong read may be torn',
    in: 'operational/fits',
    from: '[...membersOf(before), ...strong, ...wholes]',
    to: '[...membersOf(before), ...wholes]',
    survives:
      'two accesses of different sizes that overlap are never morally strong, and two of one size read one write ' +
      'or the other: only a third, ordered access of another size cuts them, which no test has',
  },
  // mbarriers and barriers.
  {
    what: 'a wait observes arrivals of the open phase',
    in: 'learnFromPhases',
    from: 'for (let k = seen - 1, completed = false;',
    to: 'for (let k = seen - 1, completed = true;',
  },
  {
    what: 'a relaxed wait acquires',
    in: 'learnFromPhases',
    from: 'if (!isAcquire(wait)) return;',
    to: '',
  },
  {
    what: 'a wait looks before what it knows',
    in: 'firstLook',
    from: 'first = Math.max(first, place + 1, waits.get(fact.event)?.least ?? 0);',
    to: '',
  },
  {
    what: 'a wait looks at the newest state only',
    in: 'waitStates',
    from: 'if (seen < first ||',
    to: 'if (seen < history.operations.length ||',
  },
  {
    what: 'completion is cumulative',
    in: 'learnFromPhases',
    from: 'state.learn(wait.id, acquireFrom(state, heads, wait) | completions);',
    to:
      'state.learn(wait.id, operations.reduce((all, id) => (state.context.event(id).tags.has("ASY") ? all | ' +
      'knowledgeOf(state, id) : all), acquireFrom(state, heads, wait) | completions));',
  },
  {
    what: 'a bar.sync tells nothing',
    in: 'meet',
    from: 'state.learn(member.id, knowledgeOf(state, other.id));',
    to: ';',
  },
  {
    what: 'a relaxed barrier.cluster.arrive releases',
    in: 'clusterArriveState',
    from: "if (event.tags.has('REL')) release(",
    to: 'if (next !== undefined) next.packets.set(event.id, NONE), release(',
    also: [
      {
        in: 'clusterArriveState',
        from: 'next.packets.set(event.id, releasePacketsOf(state, event));',
        to: 'next.packets.set(event.id, releasePacketsOf(state, event) | (1n << BigInt(event.id)));',
      },
    ],
  },
  {
    what: 'a fence of any scope before a relaxed cluster arrival',
    in: 'clusterGoesOn',
    from: '(isMemoryFence(other) && inEachOthersScope(other, wait))',
    to: 'isMemoryFence(other)',
  },
  // Asynchronous operations, proxies.
  {
    what: 'wait_group waits for one group too few',
    in: 'awaitedBy',
    from: 'group < closed - pending',
    to: 'group < closed - pending - 1',
  },
  {
    what: '.read tells of writes',
    in: 'awaitedBy',
    from: "if (readsOnly && (access.kind !== 'read' || access.partner !== undefined)) return false;",
    to: '',
  },
  {
    what: 'known through one proxy, known through all',
    in: 'FactTable.binds',
    from: "sameAddress && (this.throughOneProxyInOneCta(earlier, access) || (access.tags.has('GEN')",
    to: "sameAddress && (earlier !== access || (access.tags.has('GEN')",
  },
  {
    what: 'one proxy is enough, in whatever CTA',
    in: 'FactTable.throughOneProxyInOneCta',
    from: 'a.placement !== undefined && a.placement.cta === b.placement?.cta && (',
    to: 'a.placement !== undefined && (',
  },
  {
    what: 'an address and its alias are one',
    in: 'operational/overlap',
    from: 'return shareBytes(a, b) && a.virtualAddress - BigInt(a.offset) === b.virtualAddress - BigInt(b.offset);',
    to: 'return shareBytes(a, b);',
  },
  {
    what: 'a proxy fence counts in every CTA',
    in: 'operational/reachOf',
    from: "readings.lenientProxyFences && proxy === 'ASYNC' ? undefined",
    to: "proxy === 'ASYNC' ? undefined",
  },
  {
    what: 'a proxy fence counts in every state space',
    in: 'operational/spaceOf',
    from: 'proxyFence?.space === undefined || placement === undefined ||',
    to: 'placement !== undefined ||',
  },
  {
    what: '::read is cumulative',
    in: 'releaseProxy',
    from: 'if (fence.proxyFence?.readsOnly === true && !has(own, fact.event)) return false;',
    to: '',
  },
  {
    what: 'uni-directional fences of any scope',
    in: 'acquireProxy',
    from: 'if (!has(earlier, event) && !inEachOthersScope(other, fence)) return [];',
    to: '',
  },
  // What is found.
  {
    what: 'morally strong accesses race',
    in: 'noticeAccess',
    from: '!state.morallyStrong(other.id, access.id) &&',
    to: '',
  },
  {
    what: 'known through another proxy is no race',
    in: 'noticeAccess',
    from: 'if (conflict && !has(before, other.id)',
    to: 'if (conflict && !has(before | ordered, other.id)',
  },
  {
    what: 'the source may be modified in flight',
    in: 'inFlight',
    from: "return kind === 'read' ? a.kind === 'write' && !tags.has('RED')",
    to: "return kind === 'read' ? false",
  },
  {
    what: 'a wait looks as early as it can',
    in: 'judgeUnawaited',
    from: 'most > completed && most <= k',
    to: 'most > completed',
  },
  {
    what: 'nobody need wait between phases',
    in: 'judgeUnawaited',
    from: 'if (!awaited) state.find(',
    to: 'if (false) state.find(',
  },
  {
    what: 'a stale strong read deadlocks',
    in: 'isUpToDate',
    from: "if (event.kind !== 'read' || !isStrong(event)) return true;",
    to: "if (event.kind !== 'write') return true;",
  },
  {
    what: 'the final memory is any write',
    in: 'finalMemories',
    from: '!membersOf(state.after.get(write) ?? NONE).some((later) => writes.includes(later))',
    to: 'membersOf(NONE).length === 0 && write >= 0',
  },
  {
    what: 'a release overtakes',
    in: 'mustWait',
    from: 'releases || acquires',
    to: 'acquires',
  },
  {
    what: 'an acquire is overtaken',
    in: 'mustWait',
    from: 'releases || acquires',
    to: 'releases',
  },
  // The axioms.
  {
    what: 'moral strength whatever the scopes',
    in: 'ptx-9.4/morally-strong',
    from: '([strong]; sr; [strong])) & one-proxy',
    to: '([strong]; (_ * _); [strong])) & one-proxy',
  },
  {
    what: 'moral strength across proxies',
    in: 'ptx-9.4/morally-strong',
    from: '& one-proxy & complete-overlap',
    to: '& complete-overlap',
  },
  {
    what: 'observation order ends at an atomic',
    in: 'ptx-9.4/observation',
    from: '(morally-strong & rf); (rmw; (morally-strong & rf))*',
    to: 'morally-strong & rf',
  },
  {
    what: 'st.release; st.relaxed is no release pattern',
    in: 'ptx-9.4/release-pattern',
    from: '| ([W & REL]; (po & same); [strong-write])',
    to: '',
  },
  {
    what: 'a release fence releases nothing',
    in: 'ptx-9.4/release-pattern',
    from: '| ([release-fence]; po; [strong-write])',
    to: '',
  },
  {
    what: 'the read of a red acquires',
    in: 'ptx-9.4/acquire-pattern',
    from: '| ([strong-read \\ RED]; po; [acquire-fence])',
    to: '| ([strong-read]; po; [acquire-fence])',
  },
  {
    what: 'an acquire fence acquires nothing',
    in: 'ptx-9.4/acquire-pattern',
    from: '| ([strong-read \\ RED]; po; [acquire-fence])',
    to: '',
  },
  {
    what: 'a relaxed wait acquires',
    in: 'ptx-9.4/acquire-pattern',
    from: '| [WAIT & ACQ]',
    to: '| [WAIT]',
  },
  {
    what: 'fence.sc does not synchronize',
    in: 'ptx-9.4/synchronizes',
    from: 'cluster-sync-by-fence | sync_fence | syncbar',
    to: 'cluster-sync-by-fence | syncbar',
  },
  {
    what: 'barriers do not synchronize',
    in: 'ptx-9.4/synchronizes',
    from: 'sync_fence | syncbar | warp-sync',
    to: 'sync_fence | warp-sync',
  },
  {
    what: 'a relaxed cluster arrival releases',
    in: 'ptx-9.4/cluster-sync',
    from: '[CLUSTER_ARRIVE & REL]; syncclu',
    to: '[CLUSTER_ARRIVE]; syncclu',
  },
  {
    what: 'restricted fences order everything',
    in: 'ptx-9.4/base-causality',
    from: '(synchronizes \\ restricted-sync)',
    to: 'synchronizes',
  },
  {
    what: 'completion is cumulative',
    in: 'ptx-9.4/after',
    from: 'let after = base-causality | (base-causality?; issue)',
    to: 'let after = base-causality | (base-causality?; issue) | (base-causality?; issue; told; base-causality?)',
    also: [
      {
        in: 'ptx-9.4/before',
        from: 'let before = base-causality | (told; base-causality?)',
        to: 'let before = base-causality | (told; base-causality?) | (base-causality?; issue; told; base-causality?)',
      },
    ],
  },
  {
    what: 'a proxy fence counts in every CTA',
    in: 'ptx-9.4/enters-proxy',
    from: '(ordered & covers & scta); [M & p]',
    to: '(ordered & covers); [M & p]',
  },
  {
    what: 'completion needs a proxy fence',
    in: 'ptx-9.4/to-generic',
    from: '| leaves-async | completes',
    to: '| leaves-async',
  },
  {
    what: 'no coherence',
    in: 'ptx-9.4/Coherence',
    from: 'empty ((([W]; causality; [W]) & loc) \\ co) as Coherence',
    to: '',
  },
  {
    what: 'no atomicity',
    in: 'ptx-9.4/Atomicity',
    from: 'empty ((morally-strong & fr); (morally-strong & co)) & rmw as Atomicity',
    to: '',
  },
  {
    what: 'no from-reads in Causality',
    in: 'ptx-9.4/Causality',
    from: 'irreflexive (rf | fr | co); causality as Causality',
    to: 'irreflexive (rf | co); causality as Causality',
  },
  {
    what: 'no order of mbarrier operations',
    in: 'ptx-9.4/Mbarrier-Order',
    from: 'irreflexive ordered; (mbo | syncexit) as Mbarrier-Order',
    to: '',
  },
  {
    what: 'races of initial writes',
    in: 'ptx-9.4/conflict',
    from: '((R * R) | (IW * M) | (M * IW))',
    to: '(R * R)',
  },
  {
    what: 'nothing is in flight',
    in: 'ptx-9.4/in-flight',
    from: 'let in-flight = ([W]; touching; [(R & COPY) \\ RED]) |',
    to: 'let in-flight =',
  },
  {
    what: 'no Fence-SC',
    in: 'ptx-9.4/Fence-SC',
    from: 'empty ((([F & SC]; base-causality; [F & SC]) & morally-strong) \\ sync_fence) as Fence-SC',
    to: '',
    survives:
      'fence.sc are base-causality-ordered by any order of them; one that base causality contradicts makes a ' +
      'cycle that Causality forbids as well (models/README.md, "Redundant")',
  },
];
