import { ORDERS } from './accesses.js';
import { type CopyForm, copyForm, ENDS } from './copies.js';
import { accessOf, type Edge } from './cycle.js';
import type { PlacedEvent } from './layout.js';
import type { Impossible, PlannedLocation } from './memory-plan.js';
import type { TestWriter } from './test-writer.js';
import type { ThreadWriter } from './thread-writer.js';

/** An mbarrier as one thread names it. */
export interface ObjectReference {
  readonly name: string;
  /** In the thread's own CTA. */
  readonly own: boolean;
}

/** How an access is to be made: where, and depending on what. */
export interface AccessSite {
  readonly placed: PlacedEvent;
  readonly location: PlannedLocation;
  /** The name or register that addresses it. */
  readonly address: string;
  /** A register with what to write or add, for a data dependency. */
  readonly operand: string | undefined;
  /** A guard before the instruction, for a control dependency. */
  readonly guard: string;
  /** The CTA of the object that is told of the end of a copy, and the object if a hand-over brings one. */
  readonly object: ObjectReference;
}

const WAIT = 'mbarrier.try_wait.parity.acquire.cta.shared::cta.b64';

/** Writes the instructions of one event. */
export function writeAccess(test: TestWriter, thread: ThreadWriter, site: AccessSite): Impossible | undefined {
  const { placed, location, address, guard } = site;
  const { value } = placed;
  const { direction } = placed.event;
  const access = accessOf(placed.event);
  const operand = site.operand ?? String(operandOf(placed));
  const space = spaceOf(location.home, thread);
  switch (access.kind) {
    case 'nothing':
      return undefined;
    case 'plain': {
      const order = [ORDERS[access.order], ...(access.scope === undefined ? [] : [access.scope])].join('.');
      thread.line(
        direction === 'R'
          ? `${guard}ld.${order}.${space}.u32 ${thread.observe(value)}, [${address}];`
          : `${guard}st.${order}.${space}.u32 [${address}], ${operand};`,
      );
      return undefined;
    }
    case 'atomic': {
      const type = access.operation === 'exch' || access.operation === 'cas' ? 'b32' : 'u32';
      const opcode = access.operation === 'red' ? 'red' : 'atom';
      const operation = access.operation === 'red' ? 'add' : access.operation;
      const qualifiers = `${opcode}.${ORDERS[access.order]}.${access.scope}.${space}.${operation}.${type}`;
      const target = opcode === 'red' ? '' : `${direction === 'R' ? thread.observe(value) : thread.observeOnly()}, `;
      const operands = direction === 'R' ? '0' : access.operation === 'cas' ? `${value - 1}, ${operand}` : operand;
      thread.line(`${guard}${qualifiers} ${target}[${address}], ${operands};`);
      return undefined;
    }
    case 'asyncRelease':
      thread.line(
        `${guard}${access.operation}.async.release.${access.scope}.global` +
          `${access.operation === 'red' ? '.add' : ''}.u32 [${address}], ${operand};`,
      );
      return undefined;
    case 'copy':
      if (guard !== '') return { cannot: 'a control dependency leads to one instruction, and a copy takes several' };
      return writeCopy(test, thread, site, copyForm(access.copy), access.end);
  }
}

/** What a write has as its operand: the value, or what is added to the one before. */
export function operandOf({ event, value }: PlacedEvent): number {
  const access = accessOf(event);
  switch (access.kind) {
    case 'nothing':
    case 'plain':
      return value;
    case 'atomic':
      return access.operation === 'add' || access.operation === 'red' ? 1 : value;
    case 'asyncRelease':
      return access.operation === 'red' ? 1 : value;
    case 'copy':
      return copyForm(access.copy).adds ? 1 : value;
  }
}

/** The write half of an atomic instruction follows from its edge; the read half gives the register. */
export function writeAtomic(
  thread: ThreadWriter,
  edge: Edge & { readonly kind: 'atomic' },
  location: PlannedLocation,
  name: string,
  value: number,
): void {
  const type = edge.operation === 'add' ? 'u32' : 'b32';
  const operands = { exch: `${value}`, add: '1', cas: `${value - 1}, ${value}` }[edge.operation];
  const qualifiers = `${ORDERS[edge.order]}.${edge.scope}.${spaceOf(location.home, thread)}.${edge.operation}.${type}`;
  thread.line(`atom.${qualifiers} ${thread.observe(value - 1)}, [${name}], ${operands};`);
}

function writeCopy(
  test: TestWriter,
  thread: ThreadWriter,
  site: AccessSite,
  form: CopyForm,
  end: string,
): Impossible | undefined {
  const { placed, location, address, object } = site;
  const reads = placed.event.direction === 'R';
  const give = giveOf(placed);
  const home = form.destination === 'own' || object.own ? thread.place.cta : test.homeOf(object.name);
  const box = reads ? test.box(form.destination === 'global' ? undefined : home, form.bytes) : undefined;
  if (site.operand !== undefined && form.source !== 'value')
    return {
      cannot: 'a data dependency leads to an instruction with the value as an operand, and a copy takes it from memory',
    };
  const amount = operandOf(placed);
  const source = reads
    ? address
    : form.source === 'value'
      ? (site.operand ?? String(amount))
      : test.constant(amount, form.source === 'global' ? undefined : thread.place.cta, form.bytes);
  const expect = give === 'tx' || give === 'tx.short' || end === 'wait';
  if (form.completion === 'mbarrier' && expect)
    thread.line(expectLine(object, give === 'tx.short' ? form.bytes / 2 : form.bytes));
  thread.line(
    form.text({
      to: box ?? address,
      space: spaceOf(reads ? home : location.home, thread),
      from: source,
      object: object.name,
    }),
  );
  if (give === 'tx.late') thread.line(expectLine(object, form.bytes));
  for (const line of ENDS[form.completion][end] ?? []) thread.line(line);
  if (end === 'wait') spin(thread, WAIT, object.name);
  if (box === undefined) return undefined;
  const read = { box, space: form.destination === 'global' ? 'global' : 'shared::cta', value: placed.value };
  // The thread that is told of the end reads the copy.
  if (give === undefined) readBox(thread, read);
  else test.handedBox = read;
  return undefined;
}

export interface Box {
  readonly box: string;
  readonly space: string;
  readonly value: number;
}

/** Reads what a copy brought. */
export function readBox(thread: ThreadWriter, { box, space, value }: Box): void {
  thread.line(`ld.weak.${space}.u32 ${thread.observe(value)}, [${box}];`);
}

/** The hand-over that tells of the end of a copy, if one does. */
function giveOf({ outgoing }: PlacedEvent): string | undefined {
  return outgoing.kind === 'handOver' && /^(tx|cp\.async)/.test(outgoing.give) ? outgoing.give : undefined;
}

/** An arrival that expects the bytes of a copy. */
export function expectLine({ name, own }: ObjectReference, bytes: number): string {
  return (
    `mbarrier.arrive.expect_tx.release.${own ? 'cta.shared::cta' : 'cluster.shared::cluster'}.b64 _, ` +
    `[${name}], ${bytes};`
  );
}

/** Waits in a loop for phase 0 of an object. */
export function spin(thread: ThreadWriter, instruction: string, object: string, phase = '0'): void {
  const label = thread.fresh('wait');
  const predicate = thread.fresh('%p');
  thread.label(label);
  thread.line(`${instruction} ${predicate}, [${object}], ${phase};`);
  thread.line(`@!${predicate} bra ${label};`);
}

export function spaceOf(home: number | undefined, thread: ThreadWriter): string {
  if (home === undefined) return 'global';
  return home === thread.place.cta ? 'shared::cta' : 'shared::cluster';
}
