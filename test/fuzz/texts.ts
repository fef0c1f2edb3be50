import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';

/** Texts of every kind that the tool reads, and ways to break them. */
const ROOT = process.env['PTX_LITMUS_ROOT'] ?? join(import.meta.dirname, '../..');

export const litmusTexts = readdirSync(join(ROOT, 'litmus'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.litmus') && !file.startsWith('kernels/launched/'))
  .map((file) => readFileSync(join(ROOT, 'litmus', file), 'utf8'));
export const catTexts = ['sc', 'ptx-6.0', 'ptx-7.5'].map((name) =>
  readFileSync(join(ROOT, 'models', `${name}.cat`), 'utf8'),
);
export const columns =
  'PTX c\n"two columns"\n{ x = 0; t @ texture aliases x; 0:r1 = &x; }\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n ' +
  'st.weak x, 1 | LC0: ;\n fence.sc.gpu | atom.relaxed.gpu.exch r0, x, 1 ;\n | bne r0, 1, LC0 ;\nexists (1:r0 = ' +
  '1 /\\ [x] = 1)\n';
export const template =
  '.global x;\n.surfref s virtually aliases x;\nd0.b0.t0 {\n  $0 [x], 1;\n  ld r0, [x] == 1;\n}\npermit (r0 == ' +
  '$1 && !(r0 != 1)) as a;\n$$\nst | 1\nst.weak | 0x1\n';
export const log =
  'Test MP Allowed\nStates 2\n1:r0=0; 1:r1=0;\n1:r0=1; 1:r1=1;\nNo\nWitnesses\nPositive: 0 Negative: ' +
  '2\nCondition exists (1:r0=1)\nObservation MP Never 0 2\nTime MP 0.02\n';

/** Words that mean something somewhere, so that mutations come near to being right. */
const WORDS = (
  'PTX { } ; | @ cta gpu warp P0 P1 0: exists forall ~exists filter locations expect race as for /\\ \\/ == != ( ) ' +
  '[ ] .global .u32 .b128 aliases mbarrier(1) ? & -1 0x ld.acquire.gpu st.weak atom cas red.add fence.sc bar.sync 0 ' +
  'bra L L: @p @!p %r1 {r0,r1} let rec and acyclic irreflexive empty flag ~ include "x" show rf co po ^-1 * + (* *) ' +
  '// /* */ $$ $0 d0.b0.t0 Test States Histogram'
).split(' ');
const piece = fc.oneof(
  fc.constantFrom(...WORDS),
  fc.string({ maxLength: 8 }),
  fc.string({ unit: 'binary', maxLength: 4 }),
  fc.constant('\n'),
  fc.constant('9'.repeat(60)),
  fc.constant('('.repeat(40)),
);

interface Edit {
  readonly at: number;
  readonly remove: number;
  readonly insert: string;
}
const edit = fc.record({
  at: fc.nat(),
  remove: fc.oneof(fc.nat(3), fc.nat(60)),
  insert: fc.oneof(
    fc.constant(''),
    piece,
    fc.array(piece, { maxLength: 4 }).map((pieces) => pieces.join(' ')),
  ),
});
export const mutated = (texts: readonly string[]) =>
  fc.tuple(fc.constantFrom(...texts), fc.array(edit, { minLength: 1, maxLength: 4 })).map(([text, edits]) =>
    edits.reduce((now: string, { at, remove, insert }: Edit) => {
      const place = at % (now.length + 1);
      return now.slice(0, place) + insert + now.slice(place + remove);
    }, text),
  );
export const random = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(' '));
