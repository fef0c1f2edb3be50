import { expect, it } from 'vitest';
import { loadTests } from '../../../src/check/load-tests.js';
import { assemble } from '../../ptxas.js';
import { describeWith, PTXAS } from '../../resources.js';
import { isOfShare, SWEEP_ALL } from '../../shares.js';
import { FORM_EXCEPTIONS } from './exceptions.js';
import { KERNEL_FORMS } from './kernel-forms.js';

/** One form of six is asked; with SWEEP=all each, and whether each exception is used. */
const EVERY = 6;
const BATCH = 400;

const FUNCTIONS = [
  '.func fn0 { ret; }',
  '.func (.param .b32 o) fn1 (.param .b32 i) { .reg .b32 t; ld.param.b32 t, [i]; st.param.b32 [o], t; ret; }',
  '.func fn2 (.param .b64 i) { ret; }',
];
const REGISTERS =
  '.reg .pred p<4>; .reg .b16 h<8>; .reg .b32 r<40>; .reg .b64 d<20>; .reg .b128 q<3>; .reg .f32 f<70>; ' +
  '.reg .f64 e<4>;';
const GLOBALS = '.global .align 16 .b8 x[256]; .global .align 16 .b8 y[256]; .const .align 4 .b32 c[4];';
const SHARED_MEMORY = '.shared .align 128 .b8 s[1024]; .shared .align 128 .b8 tile[1024]; .shared .b64 bar;';
const LOCAL = '.local .align 8 .b8 l[64];';

/** What is wrong with the module of these forms: lines, which count from 0, or the module as a whole. */
function wrongForms(target: string, forms: readonly string[]): ReadonlySet<number> | 'sound' | 'all' {
  const registers = target === 'sm_75' ? REGISTERS.replace('.reg .b128 q<3>; ', '') : REGISTERS;
  const head = `.version 9.0 .target ${target} .address_size 64 ${GLOBALS} ${FUNCTIONS.join(' ')}`;
  const body = `${registers} ${SHARED_MEMORY} ${LOCAL}`;
  const kernels = forms.map((form, i) => `.visible .entry k${i}(.param .u64 k_param_0) { ${body} ${form} ret; }`);
  const assembled = assemble(`${[head, ...kernels].join('\n')}\n`, `-arch=${target}`);
  if (assembled === 'sound') return 'sound';
  return assembled.wrong.size === 0 ? 'all' : new Set([...assembled.wrong.keys()].map((line) => line - 2));
}

/**
 * The forms that ptxas takes. Some mistakes hide others of the same module: what it does not complain of is submitted
 * again, without the rest, until nothing is wrong.
 */
function accepted(target: string, forms: readonly string[]): readonly string[] {
  if (forms.length === 0) return [];
  const wrong = wrongForms(target, forms);
  if (wrong === 'sound') return forms;
  if (wrong !== 'all')
    return accepted(
      target,
      forms.filter((_, i) => !wrong.has(i)),
    );
  if (forms.length === 1) return [];
  const half = Math.ceil(forms.length / 2);
  return [...accepted(target, forms.slice(0, half)), ...accepted(target, forms.slice(half))];
}

function load(form: string): ReturnType<typeof loadTests> {
  const text =
    `PTX form\n{ ${GLOBALS} .param .u64 k_param_0 = &x; ${SHARED_MEMORY} }\n${FUNCTIONS.join('\n')}\n` +
    `P0 @ cta 0, cluster 0 { ${REGISTERS} ${LOCAL} ${form} ret; }\nP1 @ cta 1, cluster 0 { }\nexists (true)\n`;
  return loadTests({ path: 'form.litmus', text });
}

const count = KERNEL_FORMS.flatMap(({ forms }) => forms).length;

describeWith(PTXAS, 'ptxas', () => {
  it(`takes the instruction forms of kernels that we understand, of ${count}, or one of six`, () => {
    const different: string[] = [];
    const used = new Set<RegExp>();
    let agreed = 0;
    for (const target of ['sm_75', 'sm_90a', 'sm_100a']) {
      const all = KERNEL_FORMS.filter((group) => group.target === target);
      const forms = [...new Set(all.flatMap((group) => group.forms))].filter((form) => isOfShare(form, EVERY, 'forms'));
      for (let from = 0; from < forms.length; from += BATCH) {
        const batch = forms.slice(from, from + BATCH);
        const taken = new Set(accepted(target, batch));
        for (const form of batch) {
          const ours = load(form).value !== undefined;
          // A test is for no target: what older ones lack is there all the same.
          // After a mistake ptxas blames a sound form now and then, but not one that stands alone.
          const theirs = taken.has(form) || (ours && accepted(target, [form]).length > 0);
          if (ours === theirs || (ours && target === 'sm_75')) {
            agreed += 1;
            continue;
          }
          const exception = FORM_EXCEPTIONS.find((one) => one.ours === ours && one.forms.test(form));
          if (exception === undefined) different.push(`${ours ? 'only we take' : 'only ptxas takes'}: ${form}`);
          else used.add(exception.forms);
        }
      }
    }
    expect(different).toEqual([]);
    expect(agreed).toBeGreaterThan(SWEEP_ALL ? 10_000 : 10_000 / EVERY);
    if (SWEEP_ALL) expect(FORM_EXCEPTIONS.filter(({ forms }) => !used.has(forms))).toEqual([]);
  });
});
