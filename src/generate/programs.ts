import type { DrawnProgram } from './generate-programs.js';
import { indented, printBody, printThread } from './print-body.js';
import { ProgramAccesses, type Role, THEMES } from './program-accesses.js';
import { ProgramThread } from './program-thread.js';
import type { Random } from './random.js';

/**
 * A small program that no cycle describes, drawn at random: accesses of several sizes that overlap, weak races of
 * values of several bytes, counts and numbers from registers, branches that join again, guards, early exits before
 * barriers, lanes of one warp, named barriers with several arrivals, loops that wait on loads and atomics, final values
 * that no condition mentions. All that a program can end with is listed under `locations`.
 */
export function drawProgram(random: Random, mostAccesses: number): DrawnProgram {
  const themes = random.pickTwo(THEMES);
  return { themes, body: new ProgramWriter(random, themes, mostAccesses).write() };
}

/** The threads of a program that is drawn, with barriers, lanes and loops. */
class ProgramWriter extends ProgramAccesses {
  write(): string {
    const { random } = this;
    const warps = this.has('lanes');
    const count = random.chance(60) ? 2 : 3;
    if (this.has('operands') || (this.has('buffering') && random.chance(40))) this.object = 'm';
    const together = warps || this.has('exits') || this.has('named') || this.object !== undefined || random.chance(40);
    const all = this.has('buffering') && this.object !== undefined;
    if ((this.has('loops') || this.has('passing')) && !this.has('buffering')) this.spots.push(this.flag);
    const threads = Array.from({ length: count }, (_, index) => {
      const place =
        together && (index < 2 || all || random.chance(70)) ? 'cta 0, cluster 0' : `cta ${index}, cluster ${index}`;
      const warp = warps && place.startsWith('cta 0') ? `, warp ${index < 2 ? 0 : random.below(2)}` : '';
      return { index, place: `${place}${warp}`, inFirst: place.startsWith('cta 0'), lane: warp !== '' };
    });
    const parties = new Set(
      threads.filter(({ inFirst }) => inFirst).map(({ lane, place, index }) => (lane ? place : index)),
    ).size;
    if ((warps || this.has('named')) && random.chance(60))
      this.meeting = { operands: `1, ${32 * parties}`, arrives: parties > 1 && random.chance(50) };
    const firstPlace = threads[0]?.place;
    const lines = threads.flatMap((thread) => {
      const writer = new ProgramThread(thread.index);
      const isFirst = thread.index === 0 || (thread.lane && thread.place === firstPlace);
      this.body(writer, thread.inFirst, thread.lane, index(thread.index, count), isFirst);
      this.observed.push(...writer.registers.map((register) => `P${thread.index}:${register}`));
      return printThread(thread.index, thread.place, indented(writer.lines));
    });
    const arrivals = this.has('buffering') ? 1 : 1 + random.below(2);
    const declarations = [
      ...this.spots.map(({ declaration }) => declaration),
      ...(this.object === undefined ? [] : [`.shared .b64 ${this.object} = mbarrier(${arrivals}) @ cta 0;`]),
    ];
    // Of bytes sometimes only the first is mentioned, and of a location sometimes nothing.
    const mentioned = [
      ...this.observed,
      ...this.spots.flatMap((spot) => (random.chance(35) ? spot.observed.slice(0, random.below(2)) : spot.observed)),
    ];
    const observed = mentioned.length > 0 ? mentioned : this.spots.flatMap((spot) => spot.observed);
    return printBody({ declarations, lines, outcome: `${observed.at(-1)} == 1`, observed });
  }

  private body(thread: ProgramThread, inFirst: boolean, lane: boolean, role: Role, isFirst: boolean): void {
    const { random } = this;
    if (this.has('buffering')) this.buffer(thread, role);
    else if (this.has('passing')) this.pass(thread, role);
    const steps =
      (this.has('buffering') || this.has('passing') ? 0 : 1) + random.below(3) + (this.accesses > 5 ? 1 : 0);
    const meets = random.below(steps + 1);
    for (let step = 0; step <= steps; step++) {
      if (step === meets && inFirst && this.meeting !== undefined && random.chance(95))
        thread.line(`bar.${this.meeting.arrives && isFirst ? 'arrive' : 'sync'} ${this.meeting.operands};`);
      if (step === steps) break;
      const choices: (readonly [number, () => void])[] = [[8, () => this.access(thread, inFirst)]];
      if (random.chance(25))
        choices.push([
          3,
          () => thread.line(`fence.${random.pick(['acq_rel', 'sc', 'acquire', 'release'])}.${this.scope()};`),
        ]);
      if (this.has('branches')) choices.push([6, () => this.branch(thread, inFirst)]);
      if (this.has('exits') && inFirst) choices.push([3, () => this.exit(thread)], [6, () => this.barrier(thread)]);
      if (this.has('named') && inFirst) choices.push([7, () => this.named(thread)]);
      if (lane) choices.push([4, () => this.warp(thread)], [2, () => this.barrier(thread)]);
      if (lane && random.chance(15)) choices.push([4, () => this.cluster(thread)]);
      if (this.has('operands') && inFirst) choices.push([7, () => this.arrival(thread, role)]);
      if (this.has('loops') && !this.has('buffering')) choices.push([5, () => this.loop(thread, role)]);
      random.weighted(choices)();
    }
  }

  private barrier(thread: ProgramThread): void {
    const form = this.random.weightedWord({ 'bar.sync 0;': 6, 'barrier.sync 0;': 2, 'bar.sync 1;': 1 });
    thread.line(form);
  }

  private warp(thread: ProgramThread): void {
    const mask = this.random.weighted([
      [7, 3],
      [2, 1],
      [1, 2],
    ]);
    thread.line(`bar.warp.sync ${mask};`);
  }

  private named(thread: ProgramThread): void {
    const { random } = this;
    const action = random.weightedWord({ sync: 5, arrive: 4 });
    const number = action === 'sync' && random.chance(8) ? thread.number(16) : random.chance(80) ? '1' : '2';
    const count = random.weighted([
      [7, 64],
      [2, 96],
    ]);
    const operand = random.chance(20) ? thread.number(count) : count;
    thread.line(`bar.${action} ${number}, ${operand};`);
  }

  private cluster(thread: ProgramThread): void {
    thread.line('barrier.cluster.arrive;');
    if (this.random.chance(80)) thread.line('barrier.cluster.wait;');
  }

  private arrival(thread: ProgramThread, role: string): void {
    const { random } = this;
    const waits = random.chance(role === 'last' ? 60 : 25);
    const order = (acquire: boolean): string =>
      random.weightedWord({ '': 3, '.relaxed.cta': 2, [acquire ? '.acquire.cta' : '.release.cta']: 1 });
    if (waits) {
      thread.line(`mbarrier.test_wait.parity${order(true)}.shared.b64 ${thread.predicate()}, [${this.object}], 0;`);
      return;
    }
    const operand = random.chance(50) ? thread.lastRegister : undefined;
    const form = random.below(4);
    if (form === 0) thread.line(`mbarrier.arrive.expect_tx${order(false)}.shared.b64 _, [${this.object}], 8;`);
    else if (form === 1) {
      const bytes = operand === undefined ? '8' : thread.plus(operand, 8);
      thread.line(`mbarrier.complete_tx.relaxed.cta.shared.b64 [${this.object}], ${bytes};`);
    } else {
      const count = operand === undefined ? random.pick(['', '', ', 2']) : `, ${thread.plus(operand, 1)}`;
      thread.line(`mbarrier.arrive${order(false)}.shared.b64 _, [${this.object}]${count};`);
    }
  }

  /** One side of a loop that waits for the flag, or a store that ends it; sometimes a loop that counts. */
  private loop(thread: ProgramThread, role: string): void {
    const { random } = this;
    if (random.chance(12)) return this.countedLoop(thread);
    if (role !== 'last' && random.chance(60)) {
      const order = this.polls
        ? `.${random.pick(['release', 'relaxed'])}.gpu`
        : this.order(['release', 'relaxed', 'weak']);
      if (!this.polls || random.chance(80)) thread.line(`st${order}.global.u32 [f], 1;`);
      else thread.line(`atom.release.gpu.global.exch.b32 ${thread.register('u32')}, [f], 1;`);
      return;
    }
    const label = thread.label();
    const [old, predicate] = [thread.register('u32'), thread.predicate()];
    const form = this.polls ? 1 + random.below(5) : 0;
    // Some loops give up in their second round, so that a register tells the rounds apart.
    const round = form < 4 && random.chance(25) ? thread.number(0) : undefined;
    thread.line(`${label}:`);
    if (form === 0) thread.line(`ld${this.order(['acquire', 'relaxed', 'weak'])}.global.u32 ${old}, [f];`);
    else if (form === 1) thread.line(`atom.acquire.gpu.global.add.u32 ${old}, [f], 0;`);
    else if (form === 2) thread.line(`atom.acquire.gpu.global.cas.b32 ${old}, [f], 1, 2;`);
    else if (form === 3) thread.line(`atom.relaxed.gpu.global.or.b32 ${old}, [f], 0;`);
    else if (form === 4) thread.line(`atom.relaxed.gpu.global.add.u32 ${old}, [f], 1;`);
    else {
      const [read, wanted] = [thread.register('u32'), thread.register('u32')];
      thread.line(`ld.relaxed.gpu.global.u32 ${read}, [f];`);
      thread.line(`add.u32 ${wanted}, ${read}, 1;`);
      thread.line(`atom.relaxed.gpu.global.cas.b32 ${old}, [f], ${read}, ${wanted};`);
      thread.line(`setp.ne.u32 ${predicate}, ${old}, ${read};`);
      thread.line(`@${predicate} bra ${label};`);
      return;
    }
    thread.line(`setp.${form === 2 ? 'ne' : 'eq'}.u32 ${predicate}, ${old}, ${form === 2 ? 1 : 0};`);
    if (round !== undefined) {
      const first = `q${thread.label()}`;
      thread.line(`add.u32 ${round}, ${round}, 1;`);
      thread.line(`setp.lt.u32 ${first}, ${round}, 2;`);
      thread.line(`and.pred ${predicate}, ${predicate}, ${first};`);
    }
    thread.line(`@${predicate} bra ${label};`);
  }

  /** The flag is increased in two rounds. */
  private countedLoop(thread: ProgramThread): void {
    this.accesses -= 2;
    const [label, round, predicate] = [thread.label(), thread.number(0), `q${thread.label()}`];
    thread.line(`${label}:`);
    thread.line('red.relaxed.gpu.global.add.u32 [f], 1;');
    thread.line(`add.u32 ${round}, ${round}, 1;`);
    thread.line(`setp.lt.u32 ${predicate}, ${round}, 2;`);
    thread.line(`@${predicate} bra ${label};`);
  }
}

const index = (thread: number, count: number): Role =>
  thread === 0 ? 'first' : thread === count - 1 ? 'last' : 'middle';
