import type { Span } from '../diagnostics/source.js';
import type { Effect } from '../effects/effect.js';
import { effectsOf } from '../effects/effects-of.js';
import { spanAt } from '../kernel/code.js';
import { clusterOf, ctasOfCluster, pointOf, volume, WARP_SIZE } from '../kernel/grid.js';
import { isComputation, type Operation } from '../program/operation.js';
import type { CheckBudget } from '../program/undecided.js';
import { isOfRegisters } from '../program/undefined-rules.js';
import { AsyncOperations } from './async-operations.js';
import { Choices } from './choices.js';
import { ClusterCtas } from './cluster-ctas.js';
import { compute, numbersOf, opened } from './compute.js';
import { addElected, isPlain } from './elected-lane.js';
import { FenceTurns } from './fence-turns.js';
import { fence } from './fences.js';
import type { Followed } from './followed.js';
import { letGridsBegin, waitForGrids } from './grids.js';
import { GuardedUpdates } from './guarded-updates.js';
import { HeldBack } from './held-back.js';
import { LaneMemory } from './lane-memory.js';
import { at } from './lane-value.js';
import { lanesIn } from './lanes.js';
import { LastOfAll } from './last-of-all.js';
import { type Begun, inOrder, isBesideOthers, startOf } from './launch-order.js';
import { Mbarriers } from './mbarriers.js';
import { type Accessor, MemoryImage } from './memory-image.js';
import { Polls } from './polls.js';
import { QueueRounds } from './queue-rounds.js';
import { Recorder } from './recorder.js';
import { initialValues, registersAtEnd } from './registers.js';
import { Rendezvous } from './rendezvous.js';
import type { LaunchCode, Setting } from './setting.js';
import { TornVectors } from './torn-vectors.js';
import type { FollowedThread } from './trace.js';
import { guarded, meetsOthers, NotFollowed, Turn } from './turn.js';
import { unreachedBy } from './unreached.js';
import { requests, UnstartedClusters } from './unstarted-clusters.js';
import { ValueNumbers } from './value-numbers.js';
import { endWaiting } from './wait-for-ever.js';
import { Warp } from './warp.js';
import { findDivergence } from './warpgroups.js';
import { releaseWays, WayThreads } from './way-threads.js';
import type { WhichRun } from './which-run.js';

/** Threads of all launches that are followed at most, and statements that their warps execute. */
const MOST_THREADS = 1 << 17;
const MOST_STEPS = 20_000_000;
/** Steps in which no memory changes: so many are those of a loop that waits, and lets nobody else go on. */
const MOST_QUIET_STEPS = 2_000_000;

/**
 * Follows all threads of the launches of a test through one run: warp by warp, the hindmost lanes first, each as far as
 * it comes. Values that are open are undefined; where one of them decides what is done, following stops.
 */
export class Follower {
  private readonly image: MemoryImage;
  private readonly recorder = new Recorder();
  private readonly memory: LaneMemory;
  private readonly mbarriers: Mbarriers;
  private readonly asynchronous: AsyncOperations;
  private readonly polls: Polls;
  private readonly held: HeldBack;
  private readonly lasts: LastOfAll;
  private readonly guarded: GuardedUpdates;
  private readonly ways: WayThreads;
  private readonly rendezvous: Rendezvous;
  private readonly fences: FenceTurns;
  private readonly unstarted: UnstartedClusters;
  private readonly queue: QueueRounds | undefined;
  private readonly numbering: ValueNumbers | undefined;
  private readonly warpsOfCta: Warp[][] = [];
  private readonly ctas: ClusterCtas;
  private clusters = 0;
  private steps = 0;
  /** The last step by which memory had changed, as far as that is looked at, and how often. */
  private moved = { step: 0, changes: 0 };

  constructor(
    private readonly setting: Setting,
    private readonly checkBudget: CheckBudget,
    private readonly which: WhichRun = {},
  ) {
    const { without, given, newElements, results = new Map() } = which;
    this.image = new MemoryImage(setting.memory.locations, without, given, setting.words);
    const torn = new TornVectors(this.image, this.recorder, newElements);
    this.memory = new LaneMemory(this.image, this.recorder, torn, which);
    this.ctas = new ClusterCtas(setting.launches);
    this.mbarriers = new Mbarriers(this.image, this.recorder, this.ctas);
    this.unstarted = new UnstartedClusters(this.recorder, Choices.in(this.recorder, which.cancellations));
    const cancel = (turn: Turn, lane: number) => this.unstarted.request(turn, lane);
    this.asynchronous = new AsyncOperations(which.schedule, cancel, this.image, this.recorder, this.mbarriers);
    const newCta = () => ({ ctaId: this.warpsOfCta.push([]) - 1, clusterId: this.clusters++ });
    this.lasts = new LastOfAll(this.recorder, newCta, which.anybody);
    this.ways = new WayThreads(this.image, this.recorder, results, this.lasts, which.areWaysLong);
    this.polls = new Polls(this.image, this.recorder, torn, results, this.warpsOfCta, which.schedule);
    this.held = new HeldBack(this.image, this.recorder, which);
    const leaders = Choices.in(this.recorder, which.leaders);
    this.rendezvous = new Rendezvous(
      ...([this.recorder, this.warpsOfCta, this.ctas] as const),
      setting.areExchangesOrdered === true,
      ...([leaders, this.polls] as const),
    );
    this.guarded = new GuardedUpdates(this.image, this.recorder, (one) => this.held.wait(one), which.areLocksOrdered);
    this.fences = new FenceTurns(which.schedule);
    this.queue = which.queue && new QueueRounds(this.recorder, which.queue);
    // What stands for any round of a queue is no one value.
    this.numbering = without?.sameValue.size && which.queue === undefined ? new ValueNumbers() : undefined;
  }

  run(): Followed {
    let stopped: NotFollowed | undefined;
    try {
      for (const launch of inOrder(this.setting.launches)) this.runLaunch(launch);
      const { rendezvous, mbarriers, polls } = this;
      this.recorder.incomplete.push(...rendezvous.incomplete);
      const awaited = new Map([...rendezvous.awaited(), ...mbarriers.awaited(), ...polls.awaited()]);
      endWaiting(this.recorder, this.waiting, awaited);
      findDivergence(this.warpsOfCta.flat(), this.recorder);
      stopped = this.queue?.unlike;
    } catch (thrown) {
      if (!(thrown instanceof NotFollowed)) throw thrown;
      stopped = thrown;
    }
    const [{ steps }, { pieces }, { threads }] = [this, this.image, this.recorder];
    const trace = this.recorder.trace({
      pieces,
      owners: pieces.map((piece) => this.ctas.ownerOf(piece)),
      peers: this.ctas.peers(),
      objects: this.mbarriers.objects,
      results: this.which.results ?? new Map(),
      coherence: this.held.coherence,
    });
    const unreached = unreachedBy(this.setting.launches, this.warpsOfCta.flat());
    const register = registersAtEnd(threads, this.warpsOfCta);
    return { trace, image: this.image, register, unreached, stopped, steps, areWaysCut: this.ways.areCut };
  }

  /** Launches with threads that wait, which others that are still to come may end. */
  private waiting: Begun[] = [];

  private runLaunch(launch: number): void {
    const code = this.setting.launches[launch];
    if (code === undefined) return;
    const { synchronizations, accesses } = this.recorder;
    const { after, launchedBy } = startOf(this.setting.launches, launch);
    // What waits before it begins waits for ever, unless it lets this launch begin before it is over.
    const before = this.waiting.filter((one) => [...after, ...launchedBy].includes(one.launch));
    if (before.some((one) => launchedBy.includes(one.launch)))
      throw new NotFollowed(code.planned.launch.syntax.span, 'a grid that waits, and lets this one begin');
    if (before.length > 0) return;
    synchronizations.push({ kind: 'grid-start', row: accesses.count, launch, after, launchedBy });
    const first = this.warpsOfCta.length;
    this.start(code, launch);
    const warps = this.warpsOfCta.slice(first).flat();
    if (this.which.schedule === 'last') warps.reverse();
    const begun = [...this.waiting, { launch, code, warps }];
    this.driveAll(begun.flatMap((one) => one.warps));
    this.waiting = begun.filter((one) => !this.isOver(one));
  }

  /** Lets warps go on until none can. */
  private driveAll(warps: readonly Warp[]): void {
    let [moved, isHurried] = [true, false];
    while (moved || !isHurried) {
      // Lanes that wait for others of their warp go on without them only where nobody else can.
      isHurried = !moved && !this.goesOn(warps);
      moved = false;
      for (const warp of warps) {
        if (this.unstarted.has(warp)) continue;
        warp.hurry(isHurried && !moved);
        warp.elected?.warp.hurry(isHurried && !moved);
        moved = this.drive(warp) || moved;
      }
      if (isHurried && !moved) moved = this.unstarted.startRest();
    }
  }

  /** Lets some go on that have waited for all others to come as far as they can; whether there are any. */
  private goesOn(warps: readonly Warp[]): boolean {
    const others = (): boolean => releaseWays(warps) || this.fences.release() || this.asynchronous.release();
    return this.unstarted.startNext(warps) || this.polls.wake() || this.held.release() || others();
  }

  /** Whether all threads of a launch have come to their ends. */
  private isOver({ code, warps }: Begun): boolean {
    const { span } = code.planned.launch.syntax;
    const alone = this.asynchronous.left;
    if (alone !== undefined) throw alone.notFollowed('warps of a warpgroup that do not multiply together');
    if (this.held.unfinished !== undefined) throw new NotFollowed(span, this.held.unfinished);
    return warps.every(({ present }) => present === 0);
  }

  private start({ planned, ranks }: LaunchCode, launch: number): void {
    const { shape, gpu, syntax, cooperative } = planned.launch;
    const [ctas, size] = [volume(shape.grid), volume(shape.block)];
    if (this.recorder.threads.length + ctas * size > MOST_THREADS)
      throw new NotFollowed(syntax.span, `more than ${MOST_THREADS} threads`);
    const ofHardware = ['warpid', 'nwarpid'].find((name) => planned.special.has(name));
    if (ofHardware !== undefined) throw new NotFollowed(syntax.span, `%${ofHardware}, which PTX leaves open`);
    const { clusters } = this;
    const mayCancel = this.unstarted.areFollowed && ranks.some(({ code }) => requests(code));
    if (mayCancel && (cooperative || isBesideOthers(this.setting.launches, launch)))
      throw new NotFollowed(syntax.span, 'requests to cancel CTAs of a grid that is cooperative, or beside others');
    for (let cta = 0; cta < ctas; cta++) {
      this.checkBudget();
      const { cluster, rank } = clusterOf(shape, cta);
      const own = ranks[rank];
      if (own === undefined) throw new Error(`no code for rank ${rank}`);
      const [ctaId, clusterId] = [this.warpsOfCta.length, clusters + cluster];
      const corner = pointOf(ctasOfCluster(shape, cluster)[0] ?? cta, shape.grid);
      this.clusters = Math.max(this.clusters, clusterId + 1);
      this.ctas.add(clusterId, rank, ctaId);
      const warps: Warp[] = [];
      for (let first = 0; first < size; first += WARP_SIZE) {
        const id = this.recorder.threads.length;
        const lanes = Array.from(
          { length: Math.min(WARP_SIZE, size - first) },
          (_, lane): FollowedThread => ({
            ...{ id: id + lane, launch, cta, tid: first + lane, gpu, ctaId, clusterId },
          }),
        );
        this.recorder.add(lanes, 1);
        const accessors = lanes.map(
          (one): Accessor => ({ placement: own.placement, cluster: clusterId, thread: one.id }),
        );
        const warp = new Warp(own.code, lanes, accessors, initialValues(planned, lanes), this.queue);
        warp.numbering = this.numbering;
        if (this.which.leaders === undefined) addElected(warp, this.recorder);
        if (mayCancel) this.unstarted.add(clusterId, warp, { launch, first: corner, span: syntax.span });
        warps.push(warp);
      }
      this.warpsOfCta.push(warps);
    }
  }

  /** Lets a warp go on as far as it can. */
  private drive(warp: Warp): boolean {
    let moved = warp.elected?.isApart === true && this.drive(warp.elected.warp);
    for (let group = warp.take(); group !== undefined; group = warp.take()) {
      if (this.fences.stopsBefore(warp, group)) break;
      this.step(warp, group.at, group.lanes);
      moved = true;
      if (this.fences.stopsBehind(warp, group)) break;
    }
    return moved;
  }

  private step(warp: Warp, here: number, all: number): void {
    const { code, elected, ways } = warp;
    const lanes = ways.lanes === 0 ? all : ways.take(here, all);
    if (lanes === 0 || (elected ?? warp.lone)?.meets(warp, here, lanes) === true) return;
    const statement = code.statements[here];
    if (statement === undefined) return this.exit(warp, here, lanes);
    const { operation, guard } = statement;
    const { steps: most = MOST_STEPS } = this.which;
    this.steps += 1;
    if (this.steps % 1024 === 0) this.mustGoOn(statement.span);
    if (this.steps > most) throw new NotFollowed(statement.span, `more than ${most} steps of warps`);
    const turn = new Turn(warp, here, lanes, statement);
    if (this.lasts.meet(turn)) return;
    elected?.part(turn);
    const { holds, open } = guard === undefined ? { holds: lanes, open: 0 } : guarded(turn, guard);
    warp.put(here + 1, (lanes & ~holds & ~open) >>> 0);
    if (open !== 0 && guard !== undefined) this.queue?.part(turn.of(open), guard.register);
    const executing = holds === 0 && open !== 0 ? ways.partAt(turn.of(open), this.ways) : holds;
    // Those of which it is open come here again by themselves.
    if (holds !== 0) warp.put(here, open);
    if (executing === 0) return;
    const refused = code.refused.get(here);
    if (refused !== undefined) throw new NotFollowed(statement.span, refused.message);
    if (code.perLane.has(here)) throw new NotFollowed(statement.span, 'what is not the same for all lanes of a warp');
    if (operation.kind === 'branch') {
      const target = code.targets[here] ?? code.statements.length;
      if (target <= here && warp.goesInCircles(here, executing, this.image.changes))
        throw new NotFollowed(statement.span, 'a loop that waits for others');
      if (target <= here) this.queue?.goBack(turn.of(executing), target);
      return warp.put(target, executing);
    }
    this.perform(turn.of(executing), operation);
  }

  /** Lets lanes execute an operation that is no branch. */
  private perform(turn: Turn, operation: Exclude<Operation, { readonly kind: 'branch' }>): void {
    const { warp, at: here, lanes } = turn;
    this.setting.watch?.executes(turn);
    // What the elected lane cannot be followed at is told before what the others would do.
    if (warp.elected?.isApart === true && !isPlain(operation)) this.drive(warp.elected.warp);
    warp.elected?.mustFollow(turn, operation);
    warp.lone?.mustDoAlone(turn, operation);
    if (turn.isPossible) warp.ways.mustStay(turn, operation);
    if (operation.kind === 'exit')
      return turn.isPossible ? warp.put(warp.code.statements.length, lanes) : this.exit(warp, here, lanes);
    if (lanes !== warp.present && meetsOthers(turn) && warp.defer(here, lanes)) return;
    if (operation.kind === 'trap') {
      for (const lane of lanesIn(lanes)) this.recorder.find(turn, lane, 'trap');
      throw turn.notFollowed('a trap');
    }
    const waiting = this.execute(turn, operation);
    for (const lane of lanesIn(waiting)) warp.waitsAt[lane] = here;
    warp.put(here + 1, (lanes & ~waiting) >>> 0);
  }

  private mustGoOn(span: Span): void {
    this.checkBudget();
    if (this.image.changes !== this.moved.changes) this.moved = { step: this.steps, changes: this.image.changes };
    if (this.steps - this.moved.step > MOST_QUIET_STEPS) throw new NotFollowed(span, 'a loop that waits for others');
  }

  private exit(warp: Warp, here: number, lanes: number): void {
    this.mbarriers.mustNotTry(warp, lanes, spanAt(warp.code, here));
    const apart = warp.lone ?? (warp.elected?.isApart === true ? warp.elected : undefined);
    if (apart !== undefined) return apart.exit(warp, here, lanes);
    warp.exit(lanes);
    const [first] = warp.threads;
    if (warp.present === 0 && first !== undefined) this.rendezvous.exited(first.ctaId, first.clusterId);
  }

  /** Executes an operation; gives the lanes that wait there. */
  private execute(turn: Turn, operation: Operation): number {
    if (isComputation(operation)) {
      const { target, type } = operation;
      const result = { register: target, signed: type.kind === 's' };
      const evaluate = (own: Turn): void => {
        const numbers = numbersOf(own, operation);
        if (operation.kind === 'compute') compute(own, operation, result, this.ways);
        else own.give(result, opened(own, operation), type.width);
        own.number(result, numbers, operation.kind === 'compute' ? operation.arithmetic.resultWidth : type.width);
      };
      const { elected } = turn.warp;
      if (elected === undefined) evaluate(turn);
      else elected.compute(turn, operation, evaluate);
      return 0;
    }
    turn.rounds?.mayDo(turn, operation);
    turn.warp.act(turn.lanes, turn.at);
    if (operation.kind !== 'mbarrier' || operation.action !== 'wait')
      this.mbarriers.mustNotTry(turn.warp, turn.lanes, turn.statement.span);
    if (operation.kind === 'async') {
      this.asynchronous.issue(turn, operation);
      return 0;
    }
    if (operation.kind === 'mbarrier' && operation.action === 'async_arrive') {
      this.asynchronous.arrive(turn, operation);
      return 0;
    }
    if (operation.kind === 'tensor' || operation.kind === 'tensor-step' || operation.kind === 'pair-step')
      return this.asynchronous.tensor(turn, operation);
    const poll = turn.warp.code.polls.get(turn.at);
    const waits = this.guarded.look(turn) ?? (poll === undefined ? undefined : this.polls.look(turn, poll));
    if (waits !== undefined) return waits;
    const effects = effectsOf(operation);
    const [first] = effects;
    const held = first?.kind === 'update' ? this.held.hold(turn, first) : 0;
    const others = turn.of((turn.lanes & ~held) >>> 0);
    let waiting = held;
    if (others.lanes !== 0)
      for (const [index, effect] of effects.entries()) waiting |= this.effect(others, index, effect);
    return waiting >>> 0;
  }

  /** Does what an effect says; gives the lanes that wait. */
  private effect(turn: Turn, index: number, effect: Effect): number {
    switch (effect.kind) {
      case 'read':
        this.memory.read(turn, index, effect);
        return 0;
      case 'write':
        this.memory.write(turn, index, effect);
        return 0;
      case 'update':
        this.lasts.made(turn, this.memory.update(turn, index, effect));
        return 0;
      case 'barrier':
        return this.rendezvous.barrier(turn, effect.barrier);
      case 'check': {
        const value = effect.takes?.value === undefined ? undefined : turn.value(effect.takes.value.operand, 1);
        const wrong = lanesIn(turn.lanes).find((lane) => at(value, lane) !== 1n);
        if (wrong === undefined) return 0;
        if (at(value, wrong) !== undefined) this.recorder.find(turn, wrong, effect.rule);
        if (at(value, wrong) !== undefined && isOfRegisters(effect)) return 0;
        throw turn.notFollowed('what is undefined, or may be');
      }
      case 'fence':
        fence(this.recorder, turn, effect);
        return 0;
      case 'grid':
        if (effect.grid === undefined) letGridsBegin(this.recorder, turn);
        else waitForGrids(this.recorder, turn, effect.grid, this.setting.launches);
        return 0;
      case 'group':
        return this.asynchronous.group(turn, effect.group);
      case 'mbarrier':
        return this.mbarriers.step(turn, effect);
      case 'issue':
      case 'tensor-step':
        throw turn.notFollowed('an asynchronous operation');
    }
  }
}
