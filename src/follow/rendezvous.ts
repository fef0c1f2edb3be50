import { WARP_SIZE } from '../kernel/grid.js';
import { brokenBarrierRule } from '../program/barrier-rules.js';
import { type BarrierOperation, type ClusterBarrierOperation, isExchange, type Operand } from '../program/operation.js';
import { electionResult } from '../semantics/elections.js';
import type { Choices } from './choices.js';
import type { ClusterCtas } from './cluster-ctas.js';
import { type ClusterPhase, ClusterReleases } from './cluster-phases.js';
import type { GivenBits, Reduction } from './exchanges.js';
import { asking, boundsOfBallot, reduced, reducedForAll, takeFacts, votedBy } from './exchanges.js';
import type { Awaited, IncompleteBarrier } from './halts.js';
import { at, each, type LaneValue } from './lane-value.js';
import { has, lanesIn } from './lanes.js';
import type { Polls } from './polls.js';
import type { Recorder } from './recorder.js';
import type { Step, Synchronization } from './trace.js';
import type { Turn } from './turn.js';
import type { Warp } from './warp.js';

type Meeting = Extract<Synchronization, { readonly barrier: string }>;

/** A barrier that is not complete yet. */
interface OpenBarrier {
  readonly key: string;
  readonly cta: number;
  readonly count: number | undefined;
  readonly arrivals: { readonly turn: Turn; readonly steps: readonly Step[]; readonly given: LaneValue }[];
  readonly waiting: { readonly turn: Turn; readonly reduction: Reduction | undefined }[];
}

interface Held {
  readonly turns: readonly Turn[];
  readonly arrivals: readonly Step[];
}

const OPEN_COLLECTIVES: ReadonlySet<Reduction['operation']> = new Set(['converge']);

/** Where threads meet: barriers of a CTA, of a cluster, of a warp, and what lanes of a warp give each other. */
export class Rendezvous {
  private readonly open = new Map<string, OpenBarrier>();
  private readonly phases = new Map<number, ClusterPhase>();
  /** Lanes that wait at bar.warp.sync for others of their mask, by that. */
  private readonly held = new Map<Warp, Map<number, Held>>();

  constructor(
    private readonly recorder: Recorder,
    private readonly warpsOfCta: readonly (readonly Warp[])[],
    private readonly ctas: ClusterCtas,
    private readonly areExchangesOrdered: boolean,
    /** Which lanes elect.sync takes; undefined: any. */
    private readonly leaders: Choices | undefined,
    private readonly polls: Pick<Polls, 'meet'>,
  ) {}

  /** Lets the lanes of a turn come to a barrier; gives those that wait there. */
  barrier(turn: Turn, barrier: BarrierOperation | ClusterBarrierOperation): number {
    if (barrier.kind === 'cluster-barrier') return this.atClusterBarrier(turn, barrier) ? turn.lanes : 0;
    if (barrier.level === 'cta') return this.atCtaBarrier(turn, barrier) ? turn.lanes : 0;
    if (barrier.reduction?.operation === 'active') {
      this.tellActive(turn, barrier.reduction);
      return 0;
    }
    let waiting = 0;
    for (const [mask, lanes] of lanesByMask(turn, barrier.id))
      if (this.collective(turn.of(lanes), barrier, mask)) waiting |= lanes;
    return waiting >>> 0;
  }

  /** Lanes ask which of them are active (PTX ISA, activemask): in this run those that come here together. */
  private tellActive(turn: Turn, reduction: Reduction): void {
    const { warp, lanes, statement } = turn;
    if (turn.isPossible || warp.lone !== undefined || warp.elected?.isApart === true)
      throw turn.notFollowed('which lanes are active is open');
    if (lanesIn(warp.present).length > 1) this.recorder.activeTogether.add(statement.span);
    turn.give(resultOf(reduction), BigInt(lanes), reduction.resultWidth);
  }

  /** Threads have exited: what waits for all that are left may be complete. */
  exited(cta: number, cluster: number): void {
    for (const barrier of [...this.open.values()]) if (barrier.cta === cta) this.complete(barrier);
    this.completePhase(cluster);
  }

  /** Barriers of CTAs that some have come to, and that are not complete. */
  get incomplete(): readonly IncompleteBarrier[] {
    return [...this.open.values()].flatMap(({ key, arrivals, count }) => {
      const [first] = arrivals;
      const steps = arrivals.flatMap((one) => one.steps);
      return first === undefined ? [] : [{ barrier: key, arrivals: steps, count, span: first.turn.statement.span }];
    });
  }

  /** By thread, the barrier that it waits at. */
  *awaited(): Iterable<readonly [number, Awaited]> {
    const at = (turns: readonly Turn[], barrier: string) =>
      turns.flatMap((turn) =>
        this.recorder.steps(turn).map(({ thread }) => [thread, { kind: 'barrier', barrier }] as const),
      );
    const turnOf = ({ turn }: { readonly turn: Turn }): Turn => turn;
    for (const { key, waiting } of this.open.values()) yield* at(waiting.map(turnOf), key);
    for (const [cluster, { waiting }] of this.phases) yield* at(waiting.map(turnOf), `cluster ${cluster}`);
    for (const [warp, masks] of this.held)
      for (const [mask, { turns }] of masks) if ((mask & ~warp.present) === 0) yield* at(turns, `warp ${warp.id}`);
  }

  /** The lanes of the mask give, and get, something together; whether they wait for some of them. */
  private collective(turn: Turn, { level, id, reduction, aligned }: BarrierOperation, mask: number): boolean {
    const { warp, lanes } = turn;
    if (reduction !== undefined && OPEN_COLLECTIVES.has(reduction.operation))
      throw turn.notFollowed('which lanes are active is open');
    const values = reduction === undefined ? 0n : turn.value(reduction.value, reduction.width);
    const outside = lanesIn(lanes).find((lane) => !has(mask, lane));
    if (outside !== undefined) {
      this.recorder.find(turn, outside, level === 'warp' ? 'barrier-mask' : 'outside-membermask');
      throw turn.notFollowed('a lane that is not in the mask');
    }
    if (level === 'warp') return this.atWarpBarrier(turn, mask);
    const missing = (mask & ~lanes) >>> 0;
    // Lanes on ways may come there alone in no execution.
    if (missing !== 0 && aligned && (lanes & warp.ways.lanes) === 0) this.mustBeTogether(turn);
    if ((missing & warp.present) !== 0) throw turn.notFollowed('lanes of the mask are elsewhere');
    // An exchange waits for nobody who has exited (PTX ISA 9.7.10.6, 9.7.15.9).
    if (missing !== 0 && !isExchange(reduction)) throw turn.notFollowed('lanes of the mask have exited');
    if (lanes === warp.present) warp.meet();
    const arrivals = this.recorder.stepsOfAll(turn);
    this.recorder.advance(turn);
    if (isExchange(reduction) && !this.areExchangesOrdered) this.recorder.exchanges = true;
    else if (isExchange(reduction))
      this.meet('warp-exchange', `warp ${warp.id}`, arrivals, this.recorder.stepsOfAll(turn), turn);
    if (reduction === undefined || reduction.target === '') return false;
    if (reduction.operation === 'elect') {
      this.elect(turn, id, reduction);
      return false;
    }
    const get = (given: LaneValue): LaneValue => reduced(reduction, givenIn(lanes, given), turn.size);
    if (warp.elected?.isOwn(reduction.value) === true) warp.elected.exchange(turn, reduction, get);
    else {
      const given = asking(turn, reduction, givenIn(lanes, values));
      const bounds = boundsOfBallot(reduction, given);
      turn.give(resultOf(reduction), reduced(reduction, given, turn.size), reduction.resultWidth);
      const byLane = bounds && toLanes(turn, bounds);
      if (byLane !== undefined) turn.bound(resultOf(reduction), byLane, reduction.resultWidth);
      const voted = votedBy(reduction, given, (lane) => turn.fact(warp.derived, reduction.value, lane));
      if (voted !== undefined) turn.derive(resultOf(reduction), toLanes(turn, voted), reduction.resultWidth);
      takeFacts(turn, reduction, given);
    }
    return false;
  }

  /** A lane is taken: of one lane it is known which, else it goes beside the others, or is the one of the case. */
  private elect(turn: Turn, mask: Operand, reduction: Reduction): void {
    const { elected, id, threads } = turn.warp;
    const lanes = lanesIn(turn.lanes);
    const named = (): bigint => turn.uniform(mask, 32, 'a mask');
    if (lanes.length > 1 && elected !== undefined) return elected.take(turn, resultOf(reduction), named());
    const what = {
      ...({ kind: 'leader', options: lanes } as const),
      key: `leader of warp ${id} by ${lanes.length > 1 ? named() : lanes.join()}`,
      threads: lanes.flatMap((lane) => threads[lane]?.id ?? []),
    };
    const [only = 0] = lanes;
    const leader = lanes.length === 1 ? only : this.leaders?.take(what, (why) => turn.notFollowed(why));
    if (leader === undefined) throw turn.notFollowed('a lane that is elected, of several');
    const results = each(turn.size, (lane) => electionResult(leader, lane));
    turn.give(resultOf(reduction), results, reduction.resultWidth);
  }

  /** Lanes come to bar.warp.sync, whichever of the kernel, and wait for the others of their mask (PTX ISA 9.7.15.2). */
  private atWarpBarrier(turn: Turn, mask: number): boolean {
    const { warp, lanes } = turn;
    if ((mask & ~warp.present) !== 0) throw turn.notFollowed('lanes of the mask have exited');
    const all = this.held.get(warp) ?? new Map<number, Held>();
    this.held.set(warp, all);
    if ([...all.keys()].some((other) => other !== mask && (other & mask) !== 0))
      throw turn.notFollowed('lanes of one mask, while others wait for lanes of another');
    const held = all.get(mask) ?? { turns: [], arrivals: [] };
    const turns = [...held.turns, turn];
    const isLast = turns.reduce((come, one) => (come | one.lanes) >>> 0, 0) === mask;
    // Whichever lane is elected, it comes with them.
    const elected = isLast && mask === warp.all ? warp.elected?.turn(turn) : undefined;
    const together = elected === undefined ? [turn] : [turn, elected];
    const arrivals = [...held.arrivals, ...together.flatMap((one) => this.recorder.steps(one))];
    this.recorder.advance(turn);
    if (elected !== undefined && lanes !== warp.all) this.recorder.advance(elected);
    if (!isLast) {
      all.set(mask, { turns, arrivals });
      warp.park(turn.at, lanes);
      return true;
    }
    all.delete(mask);
    if (mask === warp.present) warp.meet();
    const waiters = [...held.turns, ...together].flatMap((one) => this.recorder.steps(one));
    this.meet('warp-barrier', `warp ${warp.id}`, arrivals, waiters, turn);
    for (const one of held.turns) warp.unpark(one.at, one.lanes, one.at + 1);
    return false;
  }

  private atCtaBarrier(turn: Turn, barrier: BarrierOperation): boolean {
    const { warp, lanes } = turn;
    const [first] = warp.threads;
    if (first === undefined) return false;
    if (barrier.aligned) this.mustBeTogether(turn);
    if (lanes !== warp.present) throw turn.notFollowed('a barrier to which not all lanes of a warp come together');
    warp.meet();
    if (barrier.instance !== undefined) throw turn.notFollowed('a barrier of another dialect');
    const number = turn.uniform(barrier.id, 32, 'a barrier number');
    const threads = barrier.count === undefined ? undefined : turn.uniform(barrier.count, 32, 'a thread count');
    const count = threads === undefined ? undefined : Number(threads);
    const broken = brokenBarrierRule(number, threads);
    if (broken !== undefined) {
      this.recorder.find(turn, lanesIn(lanes)[0] ?? 0, broken);
      throw turn.notFollowed('a barrier that is undefined');
    }
    const key = barrierOf(first.ctaId, number);
    const fresh = { key, cta: first.ctaId, count, arrivals: [], waiting: [] };
    const found: OpenBarrier = this.open.get(key) ?? fresh;
    if (found.count !== count) {
      if (found.count !== undefined && count !== undefined) this.recorder.find(turn, 0, 'barrier-counts-differ');
      throw turn.notFollowed('different counts at one barrier');
    }
    if (found.arrivals.some((one) => one.turn.warp === warp)) {
      this.recorder.find(turn, 0, 'barrier-arrival-before-reset');
      throw turn.notFollowed('a second arrival at a barrier that is not complete');
    }
    const isReduction = (one: Turn): boolean =>
      one.statement.operation.kind === 'barrier' && one.statement.operation.action === 'red';
    if (found.arrivals.some((one) => isReduction(one.turn) !== isReduction(turn))) {
      this.recorder.find(turn, 0, 'barrier-kinds-differ');
      throw turn.notFollowed('different instructions at one barrier');
    }
    this.open.set(key, found);
    const { reduction } = barrier;
    const given = reduction === undefined ? 0n : turn.value(reduction.value, reduction.width);
    found.arrivals.push({ turn, steps: this.recorder.stepsOfAll(turn), given });
    this.recorder.advance(turn);
    const waits = barrier.action !== 'arrive';
    if (waits) found.waiting.push({ turn, reduction });
    this.complete(found);
    return waits;
  }

  /** Lets those go on that wait at a barrier, if all have arrived. */
  private complete(barrier: OpenBarrier): void {
    const { key, cta, count, arrivals, waiting } = barrier;
    const present = (this.warpsOfCta[cta] ?? []).filter((warp) => warp.present !== 0);
    const [last] = arrivals.slice(-1);
    if (last === undefined) return;
    const wanted = count ?? present.length * WARP_SIZE;
    if (arrivals.length * WARP_SIZE < wanted) return;
    this.open.delete(key);
    this.polls.meet(arrivals.map(({ turn }) => turn));
    const steps = arrivals.flatMap((one) => one.steps);
    this.meet(
      'cta-barrier',
      key,
      steps,
      waiting.flatMap(({ turn }) => this.recorder.stepsOfAll(turn)),
      last.turn,
    );
    const given = arrivals.flatMap((one) => lanesIn(one.turn.lanes).map((lane) => at(one.given, lane)));
    const all = given.map((bits, lane) => ({ lane, bits }));
    for (const { turn, reduction } of waiting) {
      if (reduction !== undefined)
        turn.give(resultOf(reduction), reducedForAll(turn, reduction, all), reduction.resultWidth);
      turn.warp.put(turn.at + 1, turn.lanes);
    }
  }

  private atClusterBarrier(turn: Turn, { action, order, aligned }: ClusterBarrierOperation): boolean {
    const { warp, lanes } = turn;
    const cluster = warp.threads[0]?.clusterId ?? 0;
    if (aligned) this.mustBeTogether(turn);
    if (lanes !== warp.present) throw turn.notFollowed('a barrier to which not all lanes of a warp come together');
    const releases = new ClusterReleases();
    const fresh: ClusterPhase = { arrived: new Set(), releases, waiting: [], passed: new Map() };
    const phase = this.phases.get(cluster) ?? fresh;
    this.phases.set(cluster, phase);
    const steps = this.recorder.stepsOfAll(turn);
    this.recorder.advance(turn);
    if (action === 'arrive') {
      if (steps.some(({ thread }) => phase.arrived.has(thread) || phase.passed.has(thread))) {
        this.recorder.find(turn, 0, 'cluster-arrival-twice');
        throw turn.notFollowed('a second arrival at the barrier of the cluster');
      }
      for (const { thread } of steps) phase.arrived.add(thread);
      const { released, releasedBefore, fenced } = phase.releases;
      fenced.push(...steps.flatMap(({ thread }) => this.recorder.initFences.get(thread) ?? []));
      if (order === 'release') released.push(...steps);
      else {
        this.recorder.isClusterRelaxed = true;
        releasedBefore.push(...steps.flatMap(({ thread }) => this.recorder.releaseFences.get(thread) ?? []));
      }
      this.completePhase(cluster);
      return false;
    }
    const waiting = { turn, acquires: order === 'acquire' };
    if (steps.every(({ thread }) => phase.passed.has(thread))) {
      this.passPhase(cluster, phase, waiting);
      return false;
    }
    if (!steps.every(({ thread }) => phase.arrived.has(thread))) {
      this.recorder.find(turn, 0, 'cluster-wait-without-arrival');
      throw turn.notFollowed('a wait at the barrier of the cluster without an arrival');
    }
    phase.waiting.push(waiting);
    return true;
  }

  /** Lets those go on that wait for the other threads of a cluster, if all have arrived. */
  private completePhase(cluster: number): void {
    const phase = this.phases.get(cluster);
    if (phase === undefined || phase.arrived.size === 0) return;
    const warps = this.ctas.of(cluster).flatMap((cta) => this.warpsOfCta[cta] ?? []);
    const hasArrived = (warp: Warp): boolean =>
      lanesIn(warp.present).every((lane) => phase.arrived.has(warp.threads[lane]?.id ?? -1));
    if (!warps.every(hasArrived)) return;
    for (const thread of phase.arrived) phase.passed.set(thread, phase.releases);
    phase.arrived.clear();
    phase.releases = new ClusterReleases();
    for (const waiting of phase.waiting.splice(0)) {
      this.passPhase(cluster, phase, waiting);
      waiting.turn.warp.put(waiting.turn.at + 1, waiting.turn.lanes);
    }
  }

  private passPhase(
    cluster: number,
    { passed }: ClusterPhase,
    { turn, acquires }: ClusterPhase['waiting'][number],
  ): void {
    const waiters = this.recorder.stepsOfAll(turn);
    const [first] = waiters;
    const of = first && passed.get(first.thread);
    const { released, releasedBefore, fenced: fences } = of ?? new ClusterReleases();
    for (const { thread } of waiters) passed.delete(thread);
    if (acquires) this.meet('cluster-barrier', `cluster ${cluster}`, released, waiters, turn);
    const ctaOf = (thread: number | undefined): number | undefined => this.recorder.threads[thread ?? -1]?.ctaId;
    const before = releasedBefore.flatMap(({ ofCta, ofCluster = [] }) =>
      ctaOf(ofCta.thread) === ctaOf(first?.thread) ? ofCta : ofCluster,
    );
    if (acquires && before.length > 0)
      this.meet('cluster-fence', `fences of cluster ${cluster}`, before, waiters, turn);
    const { synchronizations, accesses } = this.recorder;
    if (acquires && fences.length > 0)
      synchronizations.push({ kind: 'init-fence', row: accesses.count, fences, waiters });
  }

  /** All threads of a warp that have not exited come to an aligned instruction (PTX ISA 9.7.15.1). */
  private mustBeTogether(turn: Turn): void {
    const { warp, lanes } = turn;
    const past = warp.pastOf(lanes);
    if (lanes === warp.present && past === 'none') return;
    // Others that are at a barrier themselves do not come here; lanes that exchange something may.
    const isAtBarrier = (at: number): boolean => {
      const operation = warp.code.statements[at]?.operation;
      return operation?.kind === 'cluster-barrier' || (operation?.kind === 'barrier' && operation.level === 'cta');
    };
    const isCertain = lanes === warp.present ? past === 'certainly' : warp.places.every(isAtBarrier);
    if (isCertain) this.recorder.find(turn, lanesIn(lanes)[0] ?? 0, 'aligned-divergence');
    throw turn.notFollowed('an aligned instruction to which not all lanes of a warp come together');
  }

  private meet(
    kind: Meeting['kind'],
    barrier: string,
    arrivals: readonly Step[],
    waiters: readonly Step[],
    { statement: { span } }: Turn,
  ): void {
    const row = this.recorder.accesses.count;
    this.recorder.synchronizations.push({ kind, row, barrier, arrivals, waiters, span });
  }
}

/** What a barrier of a CTA is called. */
export const barrierOf = (cta: number, number: bigint): string => `cta ${cta} barrier ${number}`;

/** The lanes of a turn, by the mask that each gives, as far as its warp has such lanes. */
function lanesByMask(turn: Turn, operand: Operand): ReadonlyMap<number, number> {
  const masks = turn.value(operand, 32);
  const found = new Map<number, number>();
  for (const lane of lanesIn(turn.lanes)) {
    const bits = at(masks, lane);
    if (bits === undefined) throw turn.notFollowed('a mask that is open');
    const mask = (Number(bits) & turn.warp.all) >>> 0;
    found.set(mask, ((found.get(mask) ?? 0) | (1 << lane)) >>> 0);
  }
  return found;
}

const resultOf = ({ target }: Reduction) => ({ register: target, signed: false });

const givenIn = (lanes: number, given: LaneValue): readonly GivenBits[] =>
  lanesIn(lanes).map((lane) => ({ lane, bits: at(given, lane) }));

const toLanes = <T>({ size, lanes }: Turn, one: T): readonly (T | undefined)[] =>
  Array.from({ length: size }, (_, lane) => (has(lanes, lane) ? one : undefined));
