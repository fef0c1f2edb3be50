import { joinInto, knows } from './clock.js';
import { BLOCKED, type Family, NEXT, type Run, visible } from './compile.js';
import { Unsupported } from './launch.js';
import type { Machine } from './machine.js';
import { GPU, type Launch, type Thread } from './threads.js';

/** Launches after each other, and `griddepcontrol` (PTX ISA 9.7.15.14). */
export const griddepcontrol: Family = (at) => {
  if (at.words[1] === 'launch_dependents') return visible((thread, machine) => trigger(machine, thread));
  if (at.words[1] !== 'wait') throw new Unsupported(`${at.opcode} is not known`);
  const run: Run = (thread, machine) => {
    const { launch } = thread;
    const before = machine.dependencies(launch);
    if (before.every(({ state }) => state === 'done')) {
      takeUpEnds(thread, before);
      return NEXT;
    }
    machine.block(thread);
    launch.waiters.push(thread);
    return BLOCKED;
  };
  return { run, isVisible: true };
};

/** The end of a launch comes before all that waits for it, by any proxy. */
export function takeUpEnds(thread: Thread, launches: readonly Launch[]): void {
  for (const { end } of launches) {
    if (end === undefined) continue;
    thread.clock = joinInto(thread.clock, end);
    thread.covered = [joinInto((thread.covered[0] ?? new Int32Array(0)).slice(), end), ...thread.covered.slice(1)];
  }
}

/**
 * The first trigger of a CTA counts. Of all threads of the CTA the fences are taken that come before it: each of them
 * comes before the trigger of its own thread too.
 */
function trigger(machine: Machine, thread: Thread): void {
  const { cta, launch } = thread;
  if (cta.hasTriggered) return;
  cta.hasTriggered = true;
  for (const other of cta.threads)
    for (const release of other.fences)
      if (release !== undefined && release.scope >= GPU && knows(thread.clock, other.component, release.epoch))
        launch.triggers.push(release);
  launch.triggered++;
  machine.startLaunches();
}
