import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { loadTests } from '../../src/check/load-tests.js';
import type { InstructionSyntax, OperandSyntax } from '../../src/syntax/litmus-ast.js';
import { parseLitmus } from '../../src/syntax/parse-litmus.js';
import { printInstruction } from '../../src/syntax/print-litmus.js';
import { assemble } from '../ptxas.js';
import { describeWith, PTXAS } from '../resources.js';
import { shareOf } from '../shares.js';
import { ROOT } from '../support.js';
import { ASYNC_FORMS, product } from './async-forms.js';

const GLOBALS = '.global .align 16 .b8 x[64]; .global .align 16 .b8 y[64];';
const REGISTERS = '.reg .pred p<3>; .reg .b16 h<3>; .reg .b32 r<4>; .reg .b64 d<4>; .reg .b128 q<3>;';
const SHARED_MEMORY = '.shared .align 16 .b8 s[16]; .shared .align 16 .b8 tile[64]; .shared .b64 bar;';

/** Which of these instructions ptxas takes, each in a kernel of its own. */
function accepted(instructions: readonly string[], target = 'sm_90a'): readonly boolean[] {
  const lines = [
    `.version 9.0\n.target ${target}\n.address_size 64\n${GLOBALS} .global .align 64 .b8 map[128]; .global ` +
      '.align 64 .b8 imap[128];',
  ];
  const shared = `${REGISTERS} ${SHARED_MEMORY} .shared .align 16 .b8 tile2[64]; .shared .align 128 .b8 smap[128];`;
  instructions.forEach((instruction, i) => lines.push(`.visible .entry k${i}() {`, shared, instruction, 'ret;', '}'));
  const assembled = assemble(lines.join('\n'), `-arch=${target}`);
  const first = lines.slice(0, 1).join('\n').split('\n').length;
  return instructions.map((_, i) => assembled === 'sound' || !assembled.wrong.has(first + i * 5 + 3));
}

/** Whether we give the instruction a meaning. */
function understood(instruction: string): boolean {
  const tensors =
    '.global .align 64 .b8 map[128] = tensormap(x, 16); .global .align 16 .u32 ints[4]; .global .align 64 .b8 ' +
    'imap[128] = tensormap(ints, 16);';
  const memory =
    `${GLOBALS} ${SHARED_MEMORY} .shared .align 128 .b8 smap[128] = tensormap(x, 16); .shared ` +
    `.align 16 .b8 tile2[64] @ cta 1; ${tensors}`;
  const text =
    `PTX form\n{ ${memory} }\nP0 @ cta 0, cluster 0 { ${REGISTERS} ${instruction} }\nP1 @ cta 1, ` +
    `cluster 0 { }\nexists (true)\n`;
  return loadTests({ path: 'form.litmus', text }).value !== undefined;
}

/** Where we and this ptxas differ on purpose. */
const EXCEPTIONS: readonly { readonly form: RegExp; readonly why: string }[] = [
  { form: /^red\.async\.relaxed\.gpu\./, why: 'the ISA has red.async.relaxed at .cluster only' },
  {
    form: /^red\.async\.relaxed\.cluster.*\.add\.s64/,
    why: 'the ISA lists .add with .u32, .s32 and .u64 for shared memory',
  },
  { form: /v4\.u64 /, why: 'vectors of 32 bytes are for sm_100 and later' },
  { form: /^red\.async\.release\..*\.min/, why: 'the ISA has red.async.release with .add only' },
];

const ORDERS = ['', '.weak', '.relaxed', '.acquire', '.release', '.acq_rel', '.sc', '.volatile', '.mmio.relaxed'];
const SCOPES = ['', '.cta', '.cluster', '.gpu', '.sys'];

const FORMS: readonly string[] = [
  ...product(['ld'], ORDERS, SCOPES, ['.global', ''], ['.u32 r0, [x];']),
  ...product(['st'], ORDERS, SCOPES, ['.global', ''], ['.u32 [x], r0;']),
  ...product(
    ['ld', 'ld.relaxed.cta', 'ld.volatile', 'ld.mmio.relaxed.sys'],
    ['.shared', '.shared::cta', '.shared::cluster'],
    ['.u32 r0, [s];'],
  ),
  ...product(
    ['ld.global'],
    ['.b8', '.u8', '.s8', '.b16', '.u16', '.s16', '.b32', '.s32'],
    [' r0, [x];', ' h0, [x];', ' d0, [x];'],
  ),
  ...product(['ld.global', 'ld.relaxed.gpu.global', 'st.global'], ['.v2', '.v4'], ['.u8', '.u16', '.u32', '.u64']).map(
    (form) => (form.startsWith('st') ? `${form} [x], {${vector(form)}};` : `${form} {${vector(form)}}, [x];`),
  ),
  ...product(['atom'], ['', '.weak', '.relaxed', '.acquire', '.release', '.acq_rel', '.sc'], SCOPES, [
    '.global.add.u32 r0, [x], r1;',
  ]),
  ...product(['red'], ['', '.weak', '.relaxed', '.acquire', '.release', '.acq_rel'], SCOPES, [
    '.global.add.u32 [x], r1;',
  ]),
  ...product(
    ['atom.global'],
    ['.add', '.inc', '.dec', '.min', '.max', '.and', '.or', '.xor', '.exch', '.sub'],
    ['.b32', '.u32', '.s32'],
    [' r0, [x], r1;'],
  ),
  ...product(
    ['atom.global'],
    ['.add', '.inc', '.dec', '.min', '.max', '.and', '.or', '.xor', '.exch'],
    ['.b64', '.u64', '.s64'],
    [' d0, [x], d1;'],
  ),
  ...product(
    ['red.global'],
    ['.add', '.inc', '.dec', '.min', '.max', '.and', '.or', '.xor', '.exch', '.cas'],
    ['.b32', '.u32', '.s32'],
    [' [x], r1;'],
  ),
  'atom.global.cas.b16 h0, [x], h1, h2;',
  'atom.global.cas.b32 r0, [x], r1, r2;',
  'atom.global.cas.u32 r0, [x], r1, r2;',
  'atom.global.cas.b64 d0, [x], d1, d2;',
  'atom.global.cas.b128 q0, [x], q1, q2;',
  'atom.global.exch.b128 q0, [x], q1;',
  'atom.global.add.u32 _, [x], 1;',
  'atom.global.cas.b32 r0, [x], r1;',
  ...product(['fence'], ['', '.sc', '.acq_rel', '.acquire', '.release', '.relaxed'], [...SCOPES], [';']),
  'fence.proxy.alias;',
  'fence.proxy;',
  'fence.proxy.alias.gpu;',
  ...product(['membar'], ['', '.cta', '.gl', '.sys', '.gpu', '.proxy.alias'], [';']),
  ...product(
    ['bar', 'bar.cta', 'barrier', 'barrier.cta'],
    ['.sync', '.arrive'],
    ['', '.aligned'],
    [' 0;', ' 0, 64;', ' 16;', ' 0, 48;', ' r0, r1;'],
  ).filter((form) => !/^bar(\.cta)?\.\w+\.aligned/.test(form)),
  ...product(
    ['bar.red', 'barrier.cta.red'],
    ['.popc.u32 r0', '.and.pred p0', '.or.pred p0', '.popc.pred p0', '.and.u32 r0'],
    [', 0, p1;', ', 0, 64, !p1;'],
  ),
  'bar.warp.sync 0xffffffff;',
  'bar.warp.sync r0;',
  'bar.warp.arrive 1;',
  ...product(['add', 'sub', 'min', 'max', 'div'], ['.u32', '.s32', '.b32'], [' r0, r1, 3;']),
  ...product(['mul', 'mul.lo', 'mul.hi'], ['.u32', '.s32', '.b32'], [' r0, r1, 3;']),
  'mul.wide.u32 d0, r1, r2;',
  'mul.wide.u64 d0, d1, d2;',
  'mul.wide.s16 r0, h1, h2;',
  ...product(['and', 'or', 'xor'], ['.u32', '.b32'], [' r0, r1, 3;']),
  'and.pred p0, p1, p2;',
  'not.pred p0, p1;',
  'not.b32 r0, r1;',
  'not.u32 r0, r1;',
  ...product(['shl', 'shr'], ['.b32', '.u32', '.s32'], [' r0, r1, 3;']),
  ...product(
    ['setp'],
    ['.eq', '.ne', '.lt', '.le', '.gt', '.ge', '.lo', '.ls', '.hi', '.hs'],
    ['.u32', '.s32', '.b32'],
    [' p0, r0, r1;'],
  ),
  'setp.eq.and.u32 p0, r0, r1, p2;',
  'setp.eq.and.u32 p0|p1, r0, r1, !p2;',
  'setp.eq.u32 p0|p1, r0, r1;',
  'setp.eq.u32 p0, d0, r1;',
  'setp.eq.u32 p0, r0, r1, p2;',
  'selp.u32 r0, r1, 2, p0;',
  'selp.b32 r0, r1, 2, p0;',
  'cvt.u64.u32 d0, r0;',
  'cvt.s64.s32 d0, r0;',
  'cvt.u8.u32 r0, r1;',
  'cvt.u32 r0, r1;',
  'mov.u32 r0, r1;',
  'mov.b32 r0, 1;',
  'mov.u64 d0, x;',
  'mov.pred p0, p1;',
  'mov.b64 d0, {r0, r1};',
  'mov.b64 {r0, r1}, d0;',
  'mov.b128 q0, {d0, d1};',
  'mov.u32 r0, d0;',
  'mov.u64 d0, {r0, r1};',
  'exit;',
  'ret;',
  '@p0 exit;',
  '@!p0 bra L; L:',
  'bra.uni L; L:',
];

function vector(form: string): string {
  const bank = /64/.test(form) ? 'd' : /u(8|16)/.test(form) ? 'h' : 'r';
  return (form.includes('.v4') ? [0, 1, 2, 0] : [0, 1]).map((i) => `${bank}${i}`).join(', ');
}

/** What sm_90a does not have. */
const BLACKWELL: readonly RegExp[] = [
  /clusterlaunchcontrol|tcgen05|cta_group|st\.bulk|\.f32x2|redux\S*f32|(st|red)\.async\S*\.release/,
  /\.f32\.b?f16 |(min|max)\S*f32 (\S+, ){3}/,
];
/**
 * Newer than the ptxas of CUDA 13.0: .mmio.acquire and .mmio.release came with PTX ISA 9.3, relaxed bulk copies too,
 * one-way alias fences, ::read and ::readonly with 9.4.
 */
const NEWER = /\.mmio\.(acquire|release)|proxy\.alias\.(acquire|release)|cp\.async\.bulk\.relaxed|::read\b|::readonly/;

describeWith(PTXAS, 'ptxas', () => {
  it(`takes exactly the instruction forms that we understand, of ${FORMS.length} generated ones`, () => {
    const verdicts = accepted(FORMS);
    expect(verdicts.filter(Boolean).length).toBeGreaterThan(100);
    const different = FORMS.flatMap((form, i) => {
      const ours = understood(form);
      if (ours === verdicts[i] || EXCEPTIONS.some(({ form: exception }) => exception.test(form))) return [];
      return [`${ours ? 'only we take' : 'only ptxas takes'}: ${form}`];
    });
    expect(different).toEqual([]);
  });

  it(
    'takes exactly the forms of clusters, mbarriers, asynchronous operations and warps that we understand, of ' +
      `${ASYNC_FORMS.length}`,
    () => {
      const verdicts = accepted(ASYNC_FORMS, 'sm_100a');
      expect(verdicts.filter(Boolean).length).toBeGreaterThan(300);
      const different = ASYNC_FORMS.flatMap((form, i) => {
        const ours = understood(form);
        if (ours === verdicts[i] || EXCEPTIONS.some(({ form: exception }) => exception.test(form))) return [];
        return [`${ours ? 'only we take' : 'only ptxas takes'}: ${form}`];
      });
      expect(different).toEqual([]);
    },
  );

  it('assembles every thread of our litmus tests that uses no shorthand', () => {
    const files = readdirSync(join(ROOT, 'litmus'), { recursive: true, encoding: 'utf8' }).filter(
      (file) => file.endsWith('.litmus') && !file.startsWith('kernels/launched/'),
    );
    // Few modules a target, since starting ptxas takes long; and not one, so that what is kept of the others stays.
    const modules = new Map<string, { readonly file: string; readonly line: string }[]>();
    let assembled = 0;
    for (const file of files) {
      const source = { path: file, text: readFileSync(join(ROOT, 'litmus', file), 'utf8') };
      const [program] = loadTests(source).value ?? [];
      const syntax = parseLitmus(source).value;
      if (program === undefined || syntax === undefined) throw new Error(file);
      const names = new Map(
        program.locations.ranges.flatMap(({ name, object }) => (object.space === 'tensor' ? [] : [[name, object]])),
      );
      const descriptors = syntax.declarations.filter(({ kind }) => kind === 'descriptor');
      const locations = [
        ...[...names].map(([name, object]) => `.${object.space} .align 128 .b8 ${name}[${object.size}];`),
        ...descriptors.map((one) => `.shared .b64 ${'name' in one ? one.name : ''};`),
      ];
      const kernels = syntax.threads.flatMap((thread, index) => {
        const instructions = thread.statements.filter((statement) => statement.kind === 'instruction');
        // Calls and jump tables: litmus/compiled has those that nvcc printed.
        if (thread.statements.some(({ kind }) => kind === 'block' || kind === 'targets')) return [];
        // Parameters are those of the kernel: litmus/compiled has kernels with theirs.
        if (program.locations.objects.some(({ space }) => space === 'param')) return [];
        if (instructions.some((instruction) => isShorthand(instruction) || NEWER.test(printInstruction(instruction))))
          return [];
        const body = thread.statements.map((statement) =>
          statement.kind === 'label'
            ? `${statement.name}:`
            : statement.kind === 'instruction'
              ? `${nativePtx(statement)};`
              : '',
        );
        const registers = [...(program.threads[index]?.registers.values() ?? [])].filter(
          ({ name }) => !name.startsWith('#'),
        );
        const declared = registers.map(
          ({ name, type }) => `.reg .${type.kind === 'pred' ? 'pred' : `b${Math.max(16, type.width)}`} ${name};`,
        );
        assembled += 1;
        return [['{', ...declared, ...locations, ...body, 'ret;', '}'].join(' ').replaceAll('\n', ' ')];
      });
      const target = kernels.some((line) => BLACKWELL.some((form) => form.test(line))) ? 'sm_100a' : 'sm_90a';
      const of = `${target} ${shareOf(file, 16, 'modules for ptxas')}`;
      modules.set(of, [...(modules.get(of) ?? []), ...kernels.map((line) => ({ file, line }))]);
    }
    expect(assembled).toBeGreaterThan(250);
    for (const [of, lines] of modules) {
      const [target = ''] = of.split(' ');
      const head = `.version 9.0 .target ${target} .address_size 64`;
      const module = [head, ...lines.map(({ line }, i) => `.visible .entry k${i}() ${line}`), ''].join('\n');
      const assembled = assemble(module, '-O0', `-arch=${target}`);
      const refused = [...(assembled === 'sound' ? [] : assembled.wrong)].map(([line, message]) => {
        const at = lines[line - 2];
        return `${at?.file}: ${at?.line}: ${message}`;
      });
      expect(refused).toEqual([]);
      expect(assembled).toBe('sound');
    }
  });
});

/** Registers keep their names without %, as our printer gives them; only predefined ones have it. */
function nativePtx(statement: InstructionSyntax): string {
  const native = (operand: OperandSyntax): OperandSyntax => {
    if (operand.kind === 'address' || operand.kind === 'tensor') return { ...operand, percent: false };
    return operand.kind === 'name' && SPECIAL.test(operand.name) ? { ...operand, name: `%${operand.name}` } : operand;
  };
  return printInstruction({ ...statement, operands: statement.operands.map(native) });
}
const SPECIAL =
  /^(clock64|globaltimer|n?smid|laneid|warpid|n?(tid|ctaid)\.[xyz]|cluster_n?ctarank|lanemask_..|clusterid\.x)$/;

function isShorthand(statement: InstructionSyntax): boolean {
  return (
    /^(call|tld|suld|cold|ldc|sust|suatom|sured|goto|b(eq|ne|lt|le|gt|ge))$/.test(statement.mnemonic) ||
    (statement.mnemonic === 'fence' &&
      statement.qualifiers.some(({ text }) => ['texture', 'surface', 'constant', 'generic'].includes(text)))
  );
}
