import type { DiagnosticCode } from './codes.js';

/** What to do about each kind of message: where to look, with an example where one helps. */
export const REMEDIES: Readonly<Record<DiagnosticCode, string>> = {
  L0001:
    'A test is "PTX name", a description in quotes, the initial state in braces, threads as "P0 @ cta 0 { … }", and ' +
    'conditions; docs/format.md shows one. A brace that is missing moves the message to a later place.',
  L0002:
    'A declaration is a state space, a type, a name and perhaps a value, as in ".global .u32 x = 0;" or ' +
    '".shared .align 8 .b64 bar = mbarrier(2);".',
  L0003: 'An instruction is as ptxas takes it, and ends with a semicolon: "ld.relaxed.gpu.global.u32 r0, [x];".',
  L0004: 'A condition is a quantifier and a proposition: "forbid (P1:r0 == 1 /\\ P1:r1 == 0) as stale".',
  L0005: 'The format is that of NVlabs/mixedproxy; "convert" writes such a test in ours.',
  L0006: 'A log has blocks as herd7 and litmus7 print them: "Test", "States n", the states, "Ok" or "No".',
  L0007:
    'Look at the path, the permissions, and whether it is a text. The other files of the run are checked all the same.',
  L0008: 'Give it more by --timeout or --memory, or take out what the test does not need.',
  L0101: 'Look for a misspelling; docs/instructions.md lists what is understood.',
  L0102: 'The message lists what the instruction takes; qualifiers of other instructions are not known to it.',
  L0103: 'The message says what goes together; the order of the qualifiers does not matter.',
  L0104: 'The message says which operands the instruction takes; addresses stand in brackets.',
  L0105: 'Declare the register with the width that the instruction has, or convert with cvt.',
  L0106:
    'PTX has it, and a test with it cannot be decided by this version: a guess would be a wrong verdict. Take out ' +
    'what does not concern the question, or replace it by what does the same to memory.',
  L0107: 'Every branch needs one label of that name in its own thread, as in "loop:".',
  L0108: 'Set the register before it is read, or give it a value in the initial state: "P0:r0 = 1;". It holds 0.',
  L0109: 'The instruction does nothing here; what it waits for, or orders, is not in the test.',
  L0201: 'The type, size, alignment and value of a location must fit together, and its name must be its own.',
  L0202: 'Declare the location in the initial state. Until then it is a 32-bit integer in global memory that holds 0.',
  L0203: 'A condition speaks of threads, registers and locations of its test: P0:r0, x, x[1].',
  L0204: 'A thread stands once, with a place for its CTA, cluster and GPU that agrees with those of the others.',
  L0205: 'An access lies within its location, and at a multiple of its size.',
  L0206: 'Add a condition, such as "exists (P0:r0 == 1)", or "expect no-race".',
  L0207: 'The clause is checked under the models that it names; the message lists those that are known.',
  L0208:
    'A launch names a module by its path from the test, and a kernel of it: launch K "reduce.ptx" :: reduce (in, 4) ' +
    '@ grid 2, block 64. "check reduce.ptx" lists the kernels of a module.',
  L0209:
    'The place of a launch is grid, block, cluster, shared, gpu, cooperative, after and dependent on; its threads ' +
    'are chosen by run auto, run all, run warps, or run tid 0, 32 of cta 1.',
  L0210:
    'A kernel takes its parameters in order: a number, a location or &x+16 for a pointer, { … } for a structure, a ' +
    'tensor map for 128 bytes, ? for what is not known.',
  L0211:
    'The kernel cannot be decided with that instruction: launch it so that no thread that is run comes there, or ' +
    'take it out.',
  L0215: 'Write the recursion as a loop, or launch so that no thread that is run comes there.',
  L0214: 'Take the allow line out, and write it anew with the lines of the test that comes out.',
  L0213: 'Launch fewer threads, or name all that the message speaks of, so that each is a thread of the test.',
  L0216:
    'Write in the test what the message says in a way that PTX has; docs/kernels.md lists what a kernel cannot say.',
  L0217:
    'docs/forward-progress.md has the models and levels: gpu needs two CTAs or clusters on one GPU, cta two threads ' +
    'in one CTA. Without one, every thread goes on that can.',
  L0218:
    'A test with ranges is checked for each of their values (docs/kernels.md, Ranges); what is about one test takes ' +
    'one value of each: --at n=3,block=32.',
  L0301: 'docs/cat.md says what is read; the place is the first at which nothing fits.',
  L0302: 'Define the name before it is used; docs/cat.md lists those that every model has.',
  L0303: '[s] makes a relation of a set; domain(r) and range(r) make sets of a relation.',
  L0304: 'A recursion may only grow: its name may not stand under ~, nor on the right of a difference.',
  L0305: 'Put the file beside the model, or name its folder with --include; files elsewhere are not looked for.',
  L0306: 'Give each definition of one "let rec … and …" a name of its own.',
  L0307: 'A model without an axiom allows everything: add acyclic, irreflexive or empty.',
  L0308: 'Write the present name; the old one is still taken, and will go.',
  L0309: 'Name parts of a long expression with let; call functions of functions less often.',
};
