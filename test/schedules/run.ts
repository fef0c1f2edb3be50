import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { readKernelTest, Unsupported } from './launch.js';
import type { Machine } from './machine.js';
import { type Instruction, type Module, parseModule } from './module.js';
import { planTest, type TestPlan } from './plan.js';
import { type Ending, runOnce } from './schedule.js';

/** A test by its path, or its text with the modules that it names. */
export type Source = string | { readonly text: string; readonly modules: Readonly<Record<string, string>> };

export interface Options {
  readonly schedules: number;
  readonly seed: number;
}

/** What so many runs have shown; nothing follows of what they have not. */
export interface Found {
  readonly schedules: number;
  /** `LINE LINE` of the module, `MODULE:LINE` where there are several; in how many runs. */
  readonly races: ReadonlyMap<string, number>;
  /** Of the same pairs: lines of the source, the bytes, and whether it is the proxies alone that are not ordered. */
  readonly raceNotes: ReadonlyMap<string, string>;
  /** Runs by how they ended. */
  readonly deadlocks: number;
  readonly traps: number;
  readonly bounds: number;
  /** Lines at which threads waited for ever. */
  readonly waiting: ReadonlySet<string>;
  /** By rule, in how many runs; and where. */
  readonly undefined: ReadonlyMap<string, number>;
  readonly undefinedAt: ReadonlyMap<string, string>;
  /** What memory held at the end, of the locations that the test declares. */
  readonly finals: readonly string[];
  readonly unsupported?: string;
}

const MOST_FINALS = 20;

class Collector {
  readonly races = new Map<string, number>();
  readonly raceNotes = new Map<string, string>();
  readonly endings = { done: 0, deadlock: 0, bound: 0, trap: 0, undefined: 0 };
  readonly waiting = new Set<string>();
  readonly undefined = new Map<string, number>();
  readonly undefinedAt = new Map<string, string>();
  readonly finals = new Set<string>();
  private readonly isSingle: boolean;

  constructor(modules: number) {
    this.isSingle = modules === 1;
  }

  add({ kind, machine, waiting }: Ending, plan: TestPlan): void {
    this.endings[kind]++;
    for (const { first, second, isProxy, location } of machine.detector.races.values()) {
      const key = `${this.place(first)} ${this.place(second)}`;
      this.races.set(key, (this.races.get(key) ?? 0) + 1);
      const lines = `${first.source ?? first.opcode}, ${second.source ?? second.opcode}`;
      this.raceNotes.set(key, `${lines} on ${location}${isProxy ? ', across proxies' : ''}`);
    }
    for (const at of waiting) this.waiting.add(this.place(at));
    for (const [rule, at] of machine.undefined) {
      this.undefined.set(rule, (this.undefined.get(rule) ?? 0) + 1);
      this.undefinedAt.set(rule, `${this.place(at)} ${at.source ?? ''}`.trim());
    }
    if (kind === 'done' && this.finals.size < MOST_FINALS) this.finals.add(finalOf(machine, plan));
  }

  private place({ place, line }: Instruction): string {
    return this.isSingle ? String(line) : place;
  }
}

function finalOf({ memory }: Machine, { globals }: TestPlan): string {
  return globals
    .flatMap(({ name, isShown, size, elementSize }, index) => {
      if (!isShown) return [];
      const segment = memory.globals[index]!;
      const values: string[] = [];
      for (let at = 0; at < size; at += elementSize) values.push(String(segment.read(at, elementSize)));
      return [`${name}=${values.join(',')}`];
    })
    .join(' ');
}

/** The modules that a test names, each by the path that it gives. */
function modulesOf(source: Source, paths: readonly string[]): ReadonlyMap<string, Module> {
  const modules = new Map<string, Module>();
  for (const path of paths) {
    if (modules.has(path)) continue;
    const text = typeof source === 'string' ? readFileSync(join(dirname(source), path), 'utf8') : source.modules[path];
    if (text === undefined) throw new Unsupported(`no module ${path}`);
    modules.set(path, parseModule(text, basename(path)));
  }
  return modules;
}

export function runSchedules(source: Source, { schedules, seed }: Options): Found {
  let collector = new Collector(1);
  let unsupported: string | undefined;
  let ran = 0;
  try {
    const test = readKernelTest(typeof source === 'string' ? readFileSync(source, 'utf8') : source.text);
    const modules = modulesOf(
      source,
      test.launches.map(({ path }) => path),
    );
    const plan = planTest(test, modules);
    collector = new Collector(modules.size);
    for (; ran < schedules; ran++) collector.add(runOnce(plan, seed * 100003 + ran), plan);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if (!(error instanceof Unsupported) && !/^line \d+: /.test(error.message)) throw error;
    unsupported = error.message;
  }
  const { races, raceNotes, endings, waiting, undefined: rules, undefinedAt, finals } = collector;
  return {
    ...{ schedules: ran, races, raceNotes, waiting, undefined: rules, undefinedAt, finals: [...finals] },
    ...{ deadlocks: endings.deadlock, traps: endings.trap, bounds: endings.bound },
    ...(unsupported === undefined ? {} : { unsupported }),
  };
}
